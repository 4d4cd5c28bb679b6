import { msBetween, type Clock, type MonotonicMs } from './clock.ts';

export interface RateLimit {
  /** Calls a key may make in one go. */
  burst: number;
  /** Calls a second that come back. */
  perSecond: number;
}

const MAX_KEYS = 20_000;

/** A bucket of tokens per key, in memory; the keys that were quiet longest are forgotten first. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #buckets = new Map<string, { tokens: number; at: MonotonicMs }>();

  constructor(limit: RateLimit, clock: Pick<Clock, 'monotonic'>) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Takes tokens, one unless said. Answers 0 when there were so many, else the seconds until there are. */
  take(key: string, tokens = 1): number {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { tokens: this.#limit.burst, at: now };
    bucket.tokens = Math.min(this.#limit.burst, bucket.tokens + (msBetween(bucket.at, now) / 1000) * this.#limit.perSecond);
    bucket.at = now;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_KEYS) this.#forgetOldest();
    if (bucket.tokens < tokens) return Math.ceil((tokens - bucket.tokens) / this.#limit.perSecond);
    bucket.tokens -= tokens;
    return 0;
  }

  #forgetOldest(): void {
    const oldest = this.#buckets.keys().next();
    if (!oldest.done) this.#buckets.delete(oldest.value);
  }
}
