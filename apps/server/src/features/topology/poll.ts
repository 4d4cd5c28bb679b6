import type { Context } from '#db/context.ts';
import { inTurn, type Turns } from '#nodes/turns.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { findDueDcus } from './poll-queries.ts';

const LOOK_EVERY_MS = 30_000;
const EXPIRES_AFTER_MIN = 30;
const PLAN_PRIORITY = 5;

type PollContext = Pick<Context, 'pool' | 'db' | 'clock' | 'log'>;

/** Starts the periodic job that reads the networks of DCUs, each at its own interval. */
export function watchTopologies(ctx: PollContext, turns: Turns): PeriodicJob {
  const log = ctx.log.child({ part: 'topology' });
  return startPeriodicJob(
    LOOK_EVERY_MS,
    inTurn(turns, 'topologies', () => pollTopologies(ctx)),
    (error) => log.warn('Networks could not be looked at', { error }),
  );
}

/** Queues one task for all DCUs whose network is due. Returns the number of items. */
async function pollTopologies({ pool, db, clock }: Pick<PollContext, 'pool' | 'db' | 'clock'>): Promise<number> {
  const now = clock.now();
  const dcuIds = await findDueDcus(pool, now);
  const items = dcuIds.map((dcuId) => ({ deviceKind: 'dcu' as const, dcuId, meterId: null }));
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
