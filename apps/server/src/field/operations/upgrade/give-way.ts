import type { Pool } from 'pg';
import { Batcher } from '../../batcher.ts';
import { UPGRADE_PRIORITY } from './record.ts';

/** Many DCUs are asked about at once. */
const GATHER_MS = 20;
const MAX_DCUS = 500;
const LOOK_EVERY_MS = 200;

/** Whether work that is more urgent than firmware waits for a DCU. */
export type QueueAhead = Batcher<string, boolean>;

export const lookAhead = (pool: Pool): QueueAhead =>
  new Batcher(
    async (dcuIds) => {
      const found = await pool.query<{ dcuId: string }>({
        name: 'upgrade_ahead',
        text: `select d as "dcuId" from unnest($1::bigint[]) d where exists (
          select from task_item where dcu_id = d and state = 'waiting' and priority < ${UPGRADE_PRIORITY} and not_before <= now())`,
        values: [dcuIds],
      });
      const busy = new Set(found.rows.map((row) => row.dcuId));
      return dcuIds.map((dcuId) => busy.has(dcuId));
    },
    { waitMs: GATHER_MS, maxItems: MAX_DCUS },
  );

/**
 * Says after every block whether the turn at a DCU is over, because it should end anyway or because others wait. They are looked up
 * beside the exchanges, which wait for nothing.
 */
export function giveWay(queue: QueueAhead, dcuId: string, shouldEnd: () => boolean): () => boolean {
  let lookedAt = performance.now();
  let isAhead = false;
  const look = async (): Promise<void> => {
    // A database that is away is noticed by whoever writes something.
    isAhead ||= await queue.ask(dcuId).catch(() => false);
  };
  return () => {
    if (performance.now() - lookedAt > LOOK_EVERY_MS) {
      lookedAt = performance.now();
      void look();
    }
    return isAhead || shouldEnd();
  };
}
