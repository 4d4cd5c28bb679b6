import { sql } from 'kysely';
import { tryLockInTransaction } from '#db/advisory-locks.ts';
import type { Context } from '#db/context.ts';
import { SECONDS_OF_METER } from '#storage/gaps.ts';
import { placeOrder } from '#tasks/place-order.ts';

/** Seconds of each ten minutes that a DCU may spend on refills. */
const BUDGET_SECONDS = 120;
const EVERY_MINUTES = 10;

/** Places one task for the gaps that are due: for each connected DCU as many as its time budget allows, newest first. Returns the number of meters. */
export async function queueDueRefills(ctx: Pick<Context, 'db' | 'clock'>): Promise<number> {
  return ctx.db.transaction().execute(async (tx) => {
    if (!(await tryLockInTransaction(tx, 'refill'))) return 0;
    const { rows } = await sql<{ dcuId: string; meterId: string }>`
      select dcu_id, meter_id from (
        select m.dcu_id, g.meter_id, max(g.day) as newest,
          sum(${sql.raw(SECONDS_OF_METER)}) over (partition by m.dcu_id order by max(g.day) desc, g.meter_id) as seconds
        from reading_gap g join meter m on m.id = g.meter_id join endpoint c on c.id = m.dcu_id
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
