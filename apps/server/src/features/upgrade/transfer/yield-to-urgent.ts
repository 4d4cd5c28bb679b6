import type { Pool } from 'pg';
import { monotonicNow, msSince } from '#platform/clock.ts';
import { RequestBatcher } from '#field/request-batcher.ts';
import { countUrgentItems } from './record-queries.ts';

/** Requests of many DCUs share one statement. */
const BATCH_MS = 20;
const MAX_DCUS = 500;
const CHECK_EVERY_MS = 200;

/** Number of waiting items of a DCU that are more urgent than its upgrade. */
export type UrgentCounts = RequestBatcher<string, number>;

export const batchUrgentCounts = (pool: Pool): UrgentCounts =>
  new RequestBatcher((dcuIds) => countUrgentItems(pool, dcuIds), { waitMs: BATCH_MS, maxItems: MAX_DCUS });

/** Returns a check that ends a turn when `shouldEnd` says so or more urgent items wait. It looks them up in parallel with the transfer. */
export function yieldToUrgent(counts: UrgentCounts, dcuId: string, shouldEnd: () => boolean): () => boolean {
  let checkedAt = monotonicNow();
  let isUrgentWaiting = false;
  const check = async (): Promise<void> => {
    // A write reports the loss of the database; this check may ignore it.
    isUrgentWaiting ||= (await counts.load(dcuId).catch(() => 0)) > 0;
  };
  return () => {
    if (msSince(checkedAt) > CHECK_EVERY_MS) {
      checkedAt = monotonicNow();
      void check();
    }
    return isUrgentWaiting || shouldEnd();
  };
}
