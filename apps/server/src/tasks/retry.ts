import { REASONS, type ReasonCode } from '@hes/contract/core/outcome.ts';

const MAX_ATTEMPTS = 3;
/** Priorities up to this one are of the operator lane; the others are of the bulk lane (collection). */
export const LAST_OPERATOR_PRIORITY = 4;

const OPERATOR_WAITS_MS = [2_000, 5_000];
const BULK_WAITS_MS = [10_000, 60_000];

const MINUTE_MS = 60_000;

/** Retries of a plan: maximum number and interval. */
interface RetryRule {
  count: number;
  intervalMinutes: number;
}

/** Retry rule in the params of a task; undefined selects the rule of the queue. */
export function retryRuleOf(params: Record<string, unknown>): RetryRule | undefined {
  const rule = params['retry'];
  if (typeof rule !== 'object' || rule === null || !('count' in rule) || !('intervalMinutes' in rule)) return undefined;
  const { count, intervalMinutes } = rule;
  return typeof count === 'number' && typeof intervalMinutes === 'number' ? { count, intervalMinutes } : undefined;
}

/** Milliseconds until the retry of a failed item; undefined for none. A rule also retries reasons that are not worth an early retry. */
export function retryAfter(reason: ReasonCode, attempts: number, priority: number, rule?: RetryRule): number | undefined {
  if (rule !== undefined) return REASONS[reason].retry === 'no' || attempts > rule.count ? undefined : rule.intervalMinutes * MINUTE_MS;
  if (REASONS[reason].retry !== 'soon' || attempts >= MAX_ATTEMPTS) return undefined;
  const waits = priority <= LAST_OPERATOR_PRIORITY ? OPERATOR_WAITS_MS : BULK_WAITS_MS;
  return waits[Math.min(attempts, waits.length) - 1];
}
