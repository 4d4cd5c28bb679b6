import { countedProfile } from '@hes/contract/reading/reading.ts';
import { daysBackOf } from '@hes/contract/states/plan.ts';
import type { Context } from '#db/context.ts';
import { inTurn, type Turns } from '#nodes/turns.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { markLostGaps, scanGaps } from '#storage/gaps.ts';
import { findEnabledPlans } from './plan-queries.ts';
import { queueDueRefills } from './refill-queries.ts';
import { COLLECTABLE, targetCondition } from './target-queries.ts';

const LOOK_EVERY_MS = 60_000;
const SCAN_EVERY_LOOKS = 5;
/** Newer captures may still arrive. */
const GRACE_MS = 30 * 60_000;

type RefillContext = Pick<Context, 'db' | 'pool' | 'clock' | 'log' | 'settings'>;

/** Starts the periodic job that records gaps of plans and queues their refills. */
export function watchGaps(context: RefillContext, turns: Turns): PeriodicJob {
  const ctx = { ...context, log: context.log.child({ part: 'refills' }) };
  let looks = 0;
  const look = async () => {
    if (++looks % SCAN_EVERY_LOOKS === 0) await findPlannedGaps(ctx);
    await queueDueRefills(ctx);
  };
  return startPeriodicJob(LOOK_EVERY_MS, inTurn(turns, 'gaps', look), (error) => ctx.log.warn('Gaps could not be refilled', { error }));
}

/** Records the gaps in the profiles of enabled plans. */
export async function findPlannedGaps(ctx: RefillContext): Promise<void> {
  const now = ctx.clock.now();
  const zone = new Zone(ctx.settings.timeZone);
  for (const plan of await findEnabledPlans(ctx.pool)) {
    const profile = countedProfile.safeParse(plan.type);
    if (!profile.success) continue;
    await scanGaps(ctx.pool, {
      profile: profile.data,
      from: zone.startOf(zone.dayOf(now) - daysBackOf(profile.data, plan.lookBackDays) + 1),
      to: now - GRACE_MS,
      timeZone: ctx.settings.timeZone,
      now,
      condition: `${COLLECTABLE} and ${targetCondition(plan.targetKind, 6)}`,
      ids: plan.targetIds,
    });
  }
  await markLostGaps(ctx.pool, now);
}
