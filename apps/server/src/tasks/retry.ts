import { REASONS, type ReasonCode } from '@hes/contract/core/outcome.ts';

export const MAX_ATTEMPTS = 3;
/** Priorities up to here are somebody waiting; the others are collection. */
export const LAST_OPERATOR_PRIORITY = 4;

const OPERATOR_WAITS_MS = [2_000, 5_000];
const BULK_WAITS_MS = [10_000, 60_000];

/** Milliseconds until a failed item is tried again; undefined when it is not. */
export function retryAfter(reason: ReasonCode, attempts: number, priority: number): number | undefined {
  if (REASONS[reason].retry !== 'soon' || attempts >= MAX_ATTEMPTS) return undefined;
  const waits = priority <= LAST_OPERATOR_PRIORITY ? OPERATOR_WAITS_MS : BULK_WAITS_MS;
  return waits[Math.min(attempts, waits.length) - 1];
}
