import type { MeterPlan } from '#world/plan.ts';
import { streamOf, unitAt } from '#world/random.ts';
import type { World } from '#world/world.ts';
import type { FleetContext } from './context.ts';
import type { Dcu } from './dcu.ts';

/** Spreads the pushes, because meters share the channel. */
const SPREAD_MS = 300_000;
const LOOK_EVERY_MS = 10_000;

/** Radio meters push their freeze when a day begins, each with a fixed delay: yields the meters due in (after, until] of one day. */
export function* pushersBetween(world: World, after: number, until: number): Generator<MeterPlan> {
  const day = world.localTime.dayOf(until);
  const midnight = world.localTime.startOf(day);
  if (after >= midnight + SPREAD_MS) return;
  for (const meter of world.plan.meters) {
    if (meter.mode !== 'rf' || meter.isSilent) continue;
    const at = midnight + unitAt(streamOf(world.plan.seed, `push/${meter.sn}`), day) * SPREAD_MS;
    if (at > after && at <= until) yield meter;
  }
}

/** Makes meters push by the clock of their world until it is stopped. */
export function startFreezePushes({ world, now }: FleetContext, dcuBySn: ReadonlyMap<string, Dcu>): { stop(): void } {
  let lookedAt = now();
  const timer = setInterval(() => {
    const at = now();
    for (const meter of pushersBetween(world, lookedAt, at)) dcuBySn.get(meter.dcu.sn)?.push(meter.sn, world.localTime.dayOf(at));
    lookedAt = at;
  }, LOOK_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
