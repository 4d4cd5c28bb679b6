import { msAfter, msBetween, type Clock, type MonotonicMs } from '#platform/clock.ts';

/** Tolerance before a retry counts as overdue: the database and this process round differently. */
const TOLERANCE_MS = 10_000;
const MAX_RETRIES = 100_000;

/**
 * Due times of the retries that this process has postponed, by the monotonic clock. The database postpones by its wall clock: when that is
 * set back, a retry would wait for the length of the step, also when the step could not be measured.
 */
export class OverdueRetries {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #dueAt = new Map<string, MonotonicMs>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Notes a postponed item. Beyond `MAX_RETRIES` the oldest is forgotten. */
  add(id: string, againInMs: number): void {
    this.#dueAt.delete(id);
    this.#dueAt.set(id, msAfter(this.#clock.monotonic(), againInMs + TOLERANCE_MS));
    const [oldest] = this.#dueAt.size > MAX_RETRIES ? this.#dueAt.keys() : [];
    if (oldest !== undefined) this.#dueAt.delete(oldest);
  }

  /** Passes the ids of the items that are due by now, and forgets them when `bringForward` succeeds. Most of them have been claimed again. */
  async correct(bringForward: (ids: string[]) => Promise<number>): Promise<number> {
    const now = this.#clock.monotonic();
    const due = [...this.#dueAt].filter(([, dueAt]) => msBetween(dueAt, now) >= 0);
    if (due.length === 0) return 0;
    const corrected = await bringForward(due.map(([id]) => id));
    // An item that was postponed again meanwhile stays.
    for (const [id, dueAt] of due) if (this.#dueAt.get(id) === dueAt) this.#dueAt.delete(id);
    return corrected;
  }
}
