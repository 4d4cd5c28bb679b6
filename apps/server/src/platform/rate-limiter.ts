import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { msBetween, type Clock, type MonotonicMs } from './clock.ts';

export interface RateLimit {
  /** Capacity of the bucket, in tokens. */
  burst: number;
  /** Refilled tokens per second. */
  perSecond: number;
}

const MAX_KEYS = 20_000;

/**
 * A token bucket per key, in memory; evicts the least recently used key. Several head-ends on one database share a limit equally
 * (`sharers`), so that together they permit no more, however a balancer distributes the calls.
 */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #sharers: () => number;
  readonly #buckets = new BoundedCache<string, { tokens: number; at: MonotonicMs }>(MAX_KEYS);

  constructor(limit: RateLimit, clock: Pick<Clock, 'monotonic'>, sharers: () => number = () => 1) {
    this.#limit = limit;
    this.#clock = clock;
    this.#sharers = sharers;
  }

  /** Takes tokens. Returns 0 when the bucket held enough, else the seconds until it does. */
  take(key: string, tokens = 1): number {
    const now = this.#clock.monotonic();
    const sharers = this.#sharers();
    const burst = Math.max(1, this.#limit.burst / sharers);
    const perSecond = this.#limit.perSecond / sharers;
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + (msBetween(bucket.at, now) / 1000) * perSecond);
    bucket.at = now;
    this.#buckets.set(key, bucket);
    if (bucket.tokens < tokens) return Math.ceil((tokens - bucket.tokens) / perSecond);
    bucket.tokens -= tokens;
    return 0;
  }
}
