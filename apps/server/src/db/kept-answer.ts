import { LONG_AGO, msFromNow, msUntil, NEVER, type MonotonicMs } from '#platform/clock.ts';
import type { Db } from './context.ts';

/** Up to here a pass over all meters takes milliseconds and is made whenever somebody asks. */
export const SMALL_FLEET = 20_000;
const KEPT_MS = 60_000;

interface Kept<T> {
  answer: Promise<T>;
  until: MonotonicMs;
}

/** What a pass over a large table tells, for all who ask within a minute; several who ask at once wait for the same pass. */
export function keptAnswer<T>(ask: (db: Db) => Promise<T>, isLarge: (answer: T) => boolean): (db: Db) => Promise<T> {
  const known = new WeakMap<Db, Kept<T>>();
  return async (db) => {
    const last = known.get(db);
    if (last !== undefined && msUntil(last.until) > 0) return last.answer;
    const kept: Kept<T> = { answer: ask(db), until: NEVER };
    known.set(db, kept);
    try {
      const answer = await kept.answer;
      kept.until = isLarge(answer) ? msFromNow(KEPT_MS) : LONG_AGO;
      return answer;
    } catch (error) {
      known.delete(db);
      throw error;
    }
  };
}
