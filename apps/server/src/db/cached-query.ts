import { LONG_AGO, msFromNow, msUntil, NEVER, type MonotonicMs } from '#platform/clock.ts';
import type { Db } from '#db/context.ts';

/** Up to this size a scan of all meters takes milliseconds, and is not cached. */
export const SMALL_FLEET = 20_000;
const CACHED_MS = 60_000;

interface Cached<T> {
  answer: Promise<T>;
  until: MonotonicMs;
}

/** Caches the result of a scan of a large table for a minute; concurrent callers share one scan. */
export function cachedQuery<T>(query: (db: Db) => Promise<T>, isLarge: (answer: T) => boolean): (db: Db) => Promise<T> {
  const known = new WeakMap<Db, Cached<T>>();
  return async (db) => {
    const last = known.get(db);
    if (last !== undefined && msUntil(last.until) > 0) return last.answer;
    const cached: Cached<T> = { answer: query(db), until: NEVER };
    known.set(db, cached);
    try {
      const answer = await cached.answer;
      cached.until = isLarge(answer) ? msFromNow(CACHED_MS) : LONG_AGO;
      return answer;
    } catch (error) {
      known.delete(db);
      throw error;
    }
  };
}
