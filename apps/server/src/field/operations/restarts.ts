import { ok } from '@hes/contract/core/outcome.ts';
import { msFromNow, msUntil, type MonotonicMs } from '#platform/clock.ts';
import { LAST_OPERATOR_PRIORITY } from '#tasks/retry.ts';
import type { WrapOperation } from './wrap-operations.ts';

/** Upgrades that are remembered; few run at the same time. */
const KEPT_JOBS = 20;
/** As long as none of an upgrade is back. */
const FIRST_MS = 15_000;

/**
 * Meters that take their image into use and are away meanwhile, and for how long: learnt from the first of an upgrade that came
 * back. Who asks one sooner waits for an answer that cannot come, and its DCU serves nobody else as long.
 */
export class Restarts {
  readonly #shortestMs = new Map<string, number>();
  readonly #backAt = new Map<string, MonotonicMs>();

  /** It was ordered now. Answers when it can be back at the earliest; undefined: nobody knows yet. */
  begin(jobId: string, meterId: string): number | undefined {
    const expectedMs = this.#shortestMs.get(jobId);
    this.#backAt.set(meterId, msFromNow(expectedMs ?? FIRST_MS));
    return expectedMs;
  }

  cameBack(jobId: string, meterId: string, afterMs: number): void {
    this.#backAt.delete(meterId);
    this.#shortestMs.set(jobId, Math.min(afterMs, this.#shortestMs.get(jobId) ?? Number.POSITIVE_INFINITY));
    if (this.#shortestMs.size > KEPT_JOBS) this.#shortestMs.delete(this.#shortestMs.keys().next().value ?? '');
  }

  /** How long a meter is away for sure; undefined: it may be there. */
  awayMs(meterId: string): number | undefined {
    const backAt = this.#backAt.get(meterId);
    if (backAt === undefined) return undefined;
    const leftMs = msUntil(backAt);
    if (leftMs > 0) return leftMs;
    this.#backAt.delete(meterId);
    return undefined;
  }
}

/** Postpones collection of a meter that restarts until it can be back. Orders of operators fail at once instead. */
export const afterRestarts =
  (restarts: Restarts): WrapOperation =>
  (_kind, operation) =>
  async (item) => {
    const isCollection = item.meterId !== null && item.priority > LAST_OPERATOR_PRIORITY;
    const awayMs = isCollection ? restarts.awayMs(item.meterId ?? '') : undefined;
    return awayMs === undefined ? operation(item) : { outcome: ok({}), traceId: undefined, againInMs: Math.ceil(awayMs) };
  };
