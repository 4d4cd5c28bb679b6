import type { Pool } from 'pg';
import { msBetween, type Clock, type MonotonicMs } from '#platform/clock.ts';

/** Smaller differences are drift or query latency. */
export const MIN_STEP_MS = 10_000;

/** Detects backward steps of the database's wall clock, which decides when items are due. */
export class ClockSteps {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #last: { databaseMs: number; at: MonotonicMs } | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Milliseconds by which the clock was set back since the previous call; 0 for none. */
  async measureSetBackMs(pool: Pool): Promise<number> {
    const { rows } = await pool.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
    const seen = { databaseMs: Number(rows[0]?.ms), at: this.#clock.monotonic() };
    const last = this.#last;
    this.#last = seen;
    if (last === undefined) return 0;
    const backMs = msBetween(last.at, seen.at) - (seen.databaseMs - last.databaseMs);
    return backMs < MIN_STEP_MS ? 0 : backMs;
  }
}
