import type { Pool } from 'pg';
import { msBetween, type Clock, type MonotonicMs } from '#platform/clock.ts';

/** Smaller differences are drift or query latency. */
export const MIN_STEP_MS = 10_000;

/** Detects backward steps of the database's wall clock, which decides when items are due. */
export class ClockSteps {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #last: { databaseMs: number; at: MonotonicMs } | undefined;
  /** Steps that were measured and not yet corrected. */
  #openMs = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Measures by how much the clock was set back, and corrects what depends on it. A failed correction is repeated with the next call. */
  async correct(pool: Pool, correct: (setBackMs: number) => Promise<number>): Promise<{ setBackMs: number; corrected: number }> {
    this.#openMs += await this.#measure(pool);
    const setBackMs = this.#openMs;
    const corrected = setBackMs === 0 ? 0 : await correct(setBackMs);
    this.#openMs = 0;
    return { setBackMs, corrected };
  }

  async #measure(pool: Pool): Promise<number> {
    const { rows } = await pool.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
    const seen = { databaseMs: Number(rows[0]?.ms), at: this.#clock.monotonic() };
    const last = this.#last;
    this.#last = seen;
    if (last === undefined) return 0;
    const backMs = msBetween(last.at, seen.at) - (seen.databaseMs - last.databaseMs);
    return backMs < MIN_STEP_MS ? 0 : backMs;
  }
}
