import type { Context } from '#db/context.ts';
import { watch, type Watch } from '#platform/watch.ts';
import { placeOrder } from '#tasks/place-order.ts';

const LOOK_EVERY_MS = 30_000;
/** Networks form themselves after a DCU has come; what it says in the first minutes is of little use. */
const SETTLED_AFTER_MIN = 2;
const EXPIRES_AFTER_MIN = 30;
/** So many at a time, so that a fleet that comes back does not all speak at once. */
const MOST_AT_ONCE = 20;
const PLAN_PRIORITY = 5;

type PollContext = Pick<Context, 'pool' | 'db' | 'clock' | 'log'>;

/** Reads the networks of DCUs from time to time, each as often as its setting says. */
export function watchTopologies(ctx: PollContext): Watch {
  const log = ctx.log.child({ part: 'topology' });
  return watch(
    LOOK_EVERY_MS,
    () => pollTopologies(ctx),
    (error) => log.warn('Networks could not be looked at', { error }),
  );
}

/** One task for all DCUs whose network is due; none when there are none. Answers how many. */
export async function pollTopologies({ pool, db, clock }: Pick<PollContext, 'pool' | 'db' | 'clock'>): Promise<number> {
  const now = clock.now();
  const due = await pool.query<{ id: string }>(
    `select dcu.id from dcu left join topology_setting s on s.dcu_id = dcu.id
      where dcu.online_status = 'online' and coalesce(s.capture, true)
        and exists (select from dcu_session d where d.dcu_id = dcu.id and d.closed_at is null and d.opened_at < $1::timestamptz - make_interval(mins => $2))
        and not exists (select from topology_snapshot t where t.dcu_id = dcu.id and t.taken_at > $1::timestamptz - make_interval(mins => coalesce(s.poll_min, 60)))
        and not exists (select from task_item i where i.dcu_id = dcu.id and i.kind = 'topology'
          and (i.phase = 'open' or i.finished_at > $1::timestamptz - interval '10 minutes'))
      order by dcu.id limit $3`,
    [new Date(now), SETTLED_AFTER_MIN, MOST_AT_ONCE],
  );
  const items = due.rows.map(({ id }) => ({ deviceKind: 'dcu' as const, dcuId: id, meterId: null }));
  if (items.length === 0) return 0;
  await db.transaction().execute((tx) =>
    placeOrder(tx, { clock }, null, 'topology', {
      params: {},
      priority: PLAN_PRIORITY,
      expiresAt: new Date(now + EXPIRES_AFTER_MIN * 60_000),
      items,
    }),
  );
  return items.length;
}
