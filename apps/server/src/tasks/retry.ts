import { REASONS, type ReasonCode } from '@hes/contract/core/outcome.ts';

export const MAX_ATTEMPTS = 3;
/** Priorities up to here are somebody waiting; the others are collection. */
export const LAST_OPERATOR_PRIORITY = 4;

const OPERATOR_WAITS_MS = [2_000, 5_000];
const BULK_WAITS_MS = [10_000, 60_000];

const MINUTE_MS = 60_000;

/** What a plan says about trying again. */
interface RetryRule {
  count: number;
  intervalMinutes: number;
}

/** The rule in a task's parameters; undefined: the queue's own. */
export function retryRuleOf(params: Record<string, unknown>): RetryRule | undefined {
  const rule = params['retry'];
  if (typeof rule !== 'object' || rule === null || !('count' in rule) || !('intervalMinutes' in rule)) return undefined;
  const { count, intervalMinutes } = rule;
  return typeof count === 'number' && typeof intervalMinutes === 'number' ? { count, intervalMinutes } : undefined;
}

/** Milliseconds until a failed item is tried again; undefined when it is not. With a rule, whatever may help later is tried again. */
export function retryAfter(reason: ReasonCode, attempts: number, priority: number, rule?: RetryRule): number | undefined {
  if (rule !== undefined) return REASONS[reason].retry === 'no' || attempts > rule.count ? undefined : rule.intervalMinutes * MINUTE_MS;
  if (REASONS[reason].retry !== 'soon' || attempts >= MAX_ATTEMPTS) return undefined;
  const waits = priority <= LAST_OPERATOR_PRIORITY ? OPERATOR_WAITS_MS : BULK_WAITS_MS;
  return waits[Math.min(attempts, waits.length) - 1];
}
