import { streamOf, unitAt } from '#world/random.ts';
import type { FleetContext } from './context.ts';
import type { DirectMeters } from './direct-meters.ts';

/** Long invoke ids have 24 bits. */
const NUMBERS = 0x0100_0000;

/** Makes every direct meter push once in each period, by the clock of the process, each at a moment of its own. */
export function startPushSchedule({ world }: FleetContext, meters: DirectMeters, everyMs: number): { stop(): void } {
  const timers = new Map<string, NodeJS.Timeout>();
  const begun = performance.now();
  function plan(sn: string, phaseMs: number): void {
    const passed = performance.now() - begun - phaseMs;
    const round = Math.max(0, Math.floor(passed / everyMs) + 1);
    timers.set(
      sn,
      setTimeout(
        () => {
          // Numbers follow from the wall clock, so that they do not begin again when the simulator does.
          meters.push(sn, Math.floor(Date.now() / everyMs) % NUMBERS);
          plan(sn, phaseMs);
        },
        round * everyMs - passed,
      ),
    );
  }
  for (const { sn, index } of world.plan.meters.filter(({ isDirect }) => isDirect === true))
    plan(sn, unitAt(streamOf(world.plan.seed, 'push-schedule'), index) * everyMs);
  return {
    stop() {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
