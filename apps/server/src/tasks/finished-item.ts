import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';

/** The result of an item, which ends it or returns it to the queue. */
export interface FinishedItem {
  id: string;
  /** As claimed: a result is ignored when the item was claimed again since. */
  attempts: number;
  state: 'read_success' | 'read_fail' | 'waiting';
  reasonCode: ReasonCode | null;
  reasonText: string | null;
  latencyMs: number;
  result: ItemResult | null;
  traceId: string | null;
  /** For `waiting`: milliseconds until the item is due again. */
  againInMs: number;
  /** False: the claim does not count as an attempt, because nothing was done. */
  wasStarted?: boolean;
}
