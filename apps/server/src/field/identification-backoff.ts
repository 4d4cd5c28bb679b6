import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { hostOf } from '#platform/address-ranges.ts';
import { LONG_AGO, msAfter, msBetween, type Clock, type MonotonicMs } from '#platform/clock.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
/** Maximum delay at the host where the name was last authenticated: a DCU may share a mobile gateway with an attacker. */
const LONGEST_WAIT_AFTER_SUCCESS_MS = 2_000;
const MAX_KEPT = 50_000;

interface Failures {
  count: number;
  notBefore: MonotonicMs;
}

/**
 * Delays identifications under a name whose authentication has failed from the same host, with exponential back-off. Other hosts are not
 * delayed, because otherwise an attacker could lock a DCU out by failing under its name.
 */
export class IdentificationBackoff {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #failures = new BoundedCache<string, Failures>(MAX_KEPT);
  readonly #lastSuccess = new BoundedCache<string, string>(MAX_KEPT);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  isDelayed(name: string, address: string): boolean {
    const { notBefore } = this.#failures.get(keyOf(name, address)) ?? { notBefore: LONG_AGO };
    return msBetween(notBefore, this.#clock.monotonic()) < 0;
  }

  recordFailure(name: string, address: string): void {
    const key = keyOf(name, address);
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    const longestMs = this.#lastSuccess.get(name) === hostOf(address) ? LONGEST_WAIT_AFTER_SUCCESS_MS : LONGEST_WAIT_MS;
    const waitMs = Math.min(longestMs, FIRST_WAIT_MS * 2 ** Math.min(count - 1, 20));
    this.#failures.set(key, { count, notBefore: msAfter(this.#clock.monotonic(), waitMs) });
  }

  recordSuccess(name: string, address: string): void {
    this.#failures.delete(keyOf(name, address));
    this.#lastSuccess.set(name, hostOf(address));
  }

  /** Ends the delays of a DCU after a change in the archive, so that its next attempt uses the new keys at once. */
  clear(name: string): void {
    for (const key of this.#failures.keys()) if (key.endsWith(`/${name}`)) this.#failures.delete(key);
  }
}

const keyOf = (name: string, address: string): string => `${hostOf(address)}/${name}`;
