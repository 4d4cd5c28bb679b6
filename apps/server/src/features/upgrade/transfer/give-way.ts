import type { Pool } from 'pg';
import { monotonicNow, msSince } from '#platform/clock.ts';
import { RequestBatcher } from '#field/request-batcher.ts';
import { UPGRADE_PRIORITY } from './record.ts';

/** Many DCUs are asked about at once. */
const GATHER_MS = 20;
const MAX_DCUS = 500;
const LOOK_EVERY_MS = 200;

/** More than this need not be counted. */
const COUNTED = 100;

/** How much work that is more urgent than firmware waits for a DCU. */
export type QueueAhead = RequestBatcher<string, number>;

export const lookAhead = (pool: Pool): QueueAhead =>
  new RequestBatcher(
    async (dcuIds) => {
      const found = await pool.query<{ dcuId: string; ahead: number }>({
        name: 'upgrade_ahead',
        text: `select d as "dcuId", (select count(*)::int from (select from task_item
          where dcu_id = d and phase = 'open' and state = 'waiting' and priority < ${UPGRADE_PRIORITY} and not_before <= now() limit ${COUNTED}) n) as ahead
          from unnest($1::bigint[]) d`,
        values: [dcuIds],
      });
      const aheadOf = new Map(found.rows.map((row) => [row.dcuId, row.ahead]));
      return dcuIds.map((dcuId) => aheadOf.get(dcuId) ?? 0);
    },
    { waitMs: GATHER_MS, maxItems: MAX_DCUS },
  );

/**
 * Says after every block whether the turn at a DCU is over, because it should end anyway or because others wait. They are looked up
 * beside the exchanges, which wait for nothing.
 */
export function giveWay(queue: QueueAhead, dcuId: string, shouldEnd: () => boolean): () => boolean {
  let lookedAt = monotonicNow();
  let isAhead = false;
  const look = async (): Promise<void> => {
    // A database that is away is noticed by whoever writes something.
    isAhead ||= (await queue.load(dcuId).catch(() => 0)) > 0;
  };
  return () => {
    if (msSince(lookedAt) > LOOK_EVERY_MS) {
      lookedAt = monotonicNow();
      void look();
    }
    return isAhead || shouldEnd();
  };
}
