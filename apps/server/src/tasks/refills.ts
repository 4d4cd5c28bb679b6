import { countedProfile } from '@hes/contract/reading/reading.ts';
import { daysBackOf } from '@hes/contract/states/plan.ts';
import { sql } from 'kysely';
import type { Context } from '#platform/context.ts';
import { watch, type Watch } from '#platform/watch.ts';
import { Zone } from '#platform/zone.ts';
import { loseOldGaps, scanGaps, SECONDS_OF_METER } from '#storage/gaps.ts';
import { COLLECTABLE, targetCondition } from './plan-targets.ts';
import { PLAN_COLUMNS, type StoredPlan } from './plan-work.ts';
import { placeOrder } from './place-order.ts';

const LOOK_EVERY_MS = 60_000;
const SCAN_EVERY_LOOKS = 5;
/** What is younger may still be on its way. */
const GRACE_MS = 30 * 60_000;
/** Any number of our own: of several head-ends one looks for gaps at a time. */
const REFILL_LOCK = 4_059_023;
/** A DCU gives at most so much of each ten minutes to the past. */
const BUDGET_SECONDS = 120;
const EVERY_MINUTES = 10;

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

/** One task for all gaps that are due: of each reachable DCU what fits its budget, newest first. Answers how many meters that are. */
export async function queueDueRefills(ctx: Pick<RefillContext, 'db' | 'clock'>): Promise<number> {
  return ctx.db.transaction().execute(async (tx) => {
    const { rows: lock } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${REFILL_LOCK}) as taken`.execute(tx);
    if (lock[0]?.taken !== true) return 0;
    const { rows } = await sql<{ dcuId: string; meterId: string }>`
      select dcu_id, meter_id from (
        select m.dcu_id, g.meter_id, max(g.day) as newest,
          sum(${sql.raw(SECONDS_OF_METER)}) over (partition by m.dcu_id order by max(g.day) desc, g.meter_id) as seconds
        from reading_gap g join meter m on m.id = g.meter_id join dcu c on c.id = m.dcu_id
        where g.state = 'open' and g.next_try_at <= ${new Date(ctx.clock.now())} and c.online_status = 'online'
          and not exists (select from task_item i join task k on k.id = i.task_id where i.kind = 'refill' and i.dcu_id = c.id
            and (i.phase = 'open' or k.created_at > now() - make_interval(mins => ${EVERY_MINUTES})))
        group by m.dcu_id, g.meter_id
      ) as due where seconds <= ${BUDGET_SECONDS} or seconds is null order by newest desc, meter_id`.execute(tx);
    if (rows.length === 0) return 0;
    const items = rows.map(({ dcuId, meterId }) => ({ deviceKind: 'meter' as const, dcuId, meterId }));
    await placeOrder(tx, ctx, null, 'refill', { params: {}, items });
    return rows.length;
  });
}
