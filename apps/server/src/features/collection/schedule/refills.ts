import { countedProfile } from '@hes/contract/reading/reading.ts';
import { daysBackOf } from '@hes/contract/states/plan.ts';
import type { Context } from '#db/context.ts';
import { watch, type Watch } from '#platform/watch.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { loseOldGaps, scanGaps } from '#storage/gaps.ts';
import { COLLECTABLE, targetCondition } from './plan-targets.ts';
import { PLAN_COLUMNS, type StoredPlan } from './plan-work.ts';
import { queueDueRefills } from './refill-queries.ts';

const LOOK_EVERY_MS = 60_000;
const SCAN_EVERY_LOOKS = 5;
/** What is younger may still be on its way. */
const GRACE_MS = 30 * 60_000;

type RefillContext = Pick<Context, 'db' | 'pool' | 'clock' | 'log' | 'settings'>;

/** Keeps the ledger of what is missing, and lets it come by itself. */
export function watchGaps(context: RefillContext): Watch {
  const ctx = { ...context, log: context.log.child({ part: 'refills' }) };
  let looks = 0;
  const look = async () => {
    if (++looks % SCAN_EVERY_LOOKS === 0) await findPlannedGaps(ctx);
    await queueDueRefills(ctx);
  };
  return watch(LOOK_EVERY_MS, look, (error) => ctx.log.warn('Gaps could not be looked after', { error }));
}

/** Whatever an enabled plan should have brought, and did not. */
export async function findPlannedGaps(ctx: RefillContext): Promise<void> {
  const now = ctx.clock.now();
  const zone = new Zone(ctx.settings.timeZone);
  const { rows } = await ctx.pool.query<StoredPlan>(`select ${PLAN_COLUMNS} from collect_plan p where enabled order by id`);
  for (const plan of rows) {
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
  await loseOldGaps(ctx.pool, now);
}
