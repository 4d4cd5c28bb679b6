import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { ok } from '@hes/contract/core/outcome.ts';
import { msFromNow, msUntil, type MonotonicMs } from '#platform/clock.ts';
import { LAST_OPERATOR_PRIORITY } from '#tasks/retry.ts';
import type { WrapOperation } from './wrap-operations.ts';

/** Upgrades whose restarts are remembered; few run at the same time. */
const KEPT_JOBS = 20;
/** Assumed before the first meter of an upgrade has restarted. */
const FIRST_MS = 15_000;

/**
 * Meters that restart to activate their image, and the shortest restart of each upgrade so far. Polling a restarting meter blocks the channel
 * of its DCU until the timeout.
 */
export class Restarts {
  readonly #shortestMs = new BoundedCache<string, number>(KEPT_JOBS);
  readonly #backAt = new Map<string, MonotonicMs>();

  /** Notes a restart that was ordered now. Returns its expected duration in milliseconds; undefined: unknown for this upgrade. */
  recordRestart(jobId: string, meterId: string): number | undefined {
    const expectedMs = this.#shortestMs.get(jobId);
    this.#backAt.set(meterId, msFromNow(expectedMs ?? FIRST_MS));
    return expectedMs;
  }

  recordReturn(jobId: string, meterId: string, afterMs: number): void {
    this.#backAt.delete(meterId);
    this.#shortestMs.set(jobId, Math.min(afterMs, this.#shortestMs.get(jobId) ?? Number.POSITIVE_INFINITY));
  }

  /** How long a meter is away at least; undefined: it may answer. */
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
