import { sql } from 'kysely';
import type { WallClock } from '#platform/clock.ts';
import type { RateLimit } from '#platform/rate-limiter.ts';
import type { Db, Tx } from './context.ts';

/** A stamp of a machine whose clock is ahead by more than this does not count, or the limit would not be refilled until then. */
const MAX_AHEAD_MS = 60_000;
/** Full buckets that each call deletes. */
const FORGOTTEN_PER_CALL = 5;

/**
 * A token bucket per key that all head-ends on the database share: for passwords and for orders that switch, where each head-end for itself
 * would permit as many as all together may. Other limits are in memory (`RateLimiter`).
 */
export class SharedRateLimiter {
  readonly #tools: { db: Db; clock: WallClock };
  readonly #name: string;
  readonly #limit: RateLimit;

  constructor(tools: { db: Db; clock: WallClock }, name: string, limit: RateLimit) {
    this.#tools = tools;
    this.#name = name;
    this.#limit = limit;
  }

  /** Takes tokens. Returns 0 when the bucket held enough, else the seconds until it does. */
  async take(key: string, tokens = 1): Promise<number> {
    const { db, clock } = this.#tools;
    return db.transaction().execute(async (tx) => {
      const held = await this.#fill(tx, key, clock.now());
      if (held < tokens) return Math.ceil((tokens - held) / this.#limit.perSecond);
      await sql`update shared_limit set tokens = tokens - ${tokens} where name = ${this.#name} and key = ${key}`.execute(tx);
      return 0;
    });
  }

  /** Refills the bucket and returns its tokens. It stays locked until the transaction ends, so concurrent calls are counted one at a time. */
  async #fill(tx: Tx, key: string, now: number): Promise<number> {
    const { burst, perSecond } = this.#limit;
    const [at, latest] = [new Date(now), new Date(now + MAX_AHEAD_MS)];
    const { rows } = await sql<{ tokens: number }>`
      with refilled as (
        delete from shared_limit where (name, key) in (
          select name, key from shared_limit where name = ${this.#name} and key <> ${key} and filled_at < ${new Date(now - fullAfterMs(this.#limit))}
          limit ${FORGOTTEN_PER_CALL} for update skip locked)
      )
      insert into shared_limit as l (name, key, tokens, filled_at) values (${this.#name}, ${key}, ${burst}, ${at})
      on conflict (name, key) do update set
        tokens = least(${burst}, l.tokens + greatest(0, extract(epoch from excluded.filled_at - l.filled_at)) * ${perSecond}),
        filled_at = greatest(least(l.filled_at, ${latest}), excluded.filled_at)
      returning tokens`.execute(tx);
    return rows[0]?.tokens ?? 0;
  }
}

/** After this time without a call a bucket is full, and need not be stored. */
const fullAfterMs = ({ burst, perSecond }: RateLimit): number => (burst / perSecond) * 1000;
