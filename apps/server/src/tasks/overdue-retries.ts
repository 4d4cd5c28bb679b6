import { msAfter, msBetween, type Clock, type MonotonicMs } from '#platform/clock.ts';
import type { BroughtForward } from './queries.ts';

/** Tolerance before a retry counts as overdue: the database and this process round differently. */
const TOLERANCE_MS = 10_000;
/** An item may be due for long without being claimed, while its DCU is away. */
const LOOK_AGAIN_MS = 30_000;
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

  /**
   * Passes the ids of the items that are due by now. Returns how many of them waited for a later time. Items that are not claimed yet are
   * passed again later: a clock that is ahead makes them due, and when it is set back they wait again.
   */
  async correct(bringForward: (ids: string[]) => Promise<BroughtForward>): Promise<number> {
    const now = this.#clock.monotonic();
    const due = [...this.#dueAt].filter(([, dueAt]) => msBetween(dueAt, now) >= 0);
    if (due.length === 0) return 0;
    const { corrected, unclaimed } = await bringForward(due.map(([id]) => id));
    const waiting = new Set(unclaimed);
    for (const [id, dueAt] of due) {
      // An item that was postponed again meanwhile has a later time.
      if (this.#dueAt.get(id) !== dueAt) continue;
      this.#dueAt.delete(id);
      if (waiting.has(id)) this.#dueAt.set(id, msAfter(now, LOOK_AGAIN_MS));
    }
    return corrected;
  }
}
