import type { Pool } from 'pg';
import { DebouncedFlush } from '#platform/debounced-flush.ts';
import type { Log } from '#platform/log.ts';
import { measures } from '#platform/measures.ts';
import type { InFlight } from './in-flight.ts';
import { finishItems, type EndedItem, type FinishedItem } from './queries.ts';

const BATCH_ITEMS = 500;
const BATCH_WAIT_MS = 500;
/** Flushes a smaller batch after this long without a new result. */
const QUIET_MS = 150;
const RETRY_MS = 500;
const LONGEST_RETRY_MS = 5_000;
/** Attempts to write a batch while the server stops. */
const STOPPING_ATTEMPTS = 2;

/** Writes the results of items in batches: one statement for many DCUs. */
export class ResultWriter {
  readonly #pool: Pool;
  readonly #owner: string;
  readonly #log: Log;
  readonly #inFlight: InFlight;
  readonly #onEnded: (items: EndedItem[], failedIds: string[]) => void;
  readonly #onPostponed: (item: Pick<FinishedItem, 'id' | 'againInMs'>) => void;
  readonly #flush = new DebouncedFlush(() => this.#drain(), { quietMs: QUIET_MS, longestMs: BATCH_WAIT_MS });
  #waiting: FinishedItem[] = [];
  #writing = 0;
  #closed = false;

  constructor(options: {
    pool: Pool;
    owner: string;
    log: Log;
    inFlight: InFlight;
    onEnded: (items: EndedItem[], failedIds: string[]) => void;
    /** Called for each item that was returned to the queue. */
    onPostponed: (item: Pick<FinishedItem, 'id' | 'againInMs'>) => void;
  }) {
    this.#pool = options.pool;
    this.#owner = options.owner;
    this.#log = options.log;
    this.#inFlight = options.inFlight;
    this.#onEnded = options.onEnded;
    this.#onPostponed = options.onPostponed;
  }

  /** An urgent result is written at once. After `close` results are dropped: their items are back in the queue, and another owner executes them. */
  add(item: FinishedItem, urgent: boolean): void {
    if (this.#closed) return;
    this.#waiting.push(item);
    if (urgent || this.#waiting.length >= BATCH_ITEMS || this.#isLast()) this.#flush.flushNow();
    else this.#flush.schedule();
  }

  /** No other item is in flight in this process, so a larger batch would not form. */
  #isLast(): boolean {
    return this.#inFlight.size <= this.#waiting.length + this.#writing;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const items = this.#waiting.splice(0, BATCH_ITEMS);
      this.#writing = items.length;
      await this.#write(items);
      this.#writing = 0;
    }
  }

  /**
   * Retries without end while the database is away: this process renews the leases of these items, so no other owner would take them. Only
   * while the server stops they are abandoned to the next owner.
   */
  async #write(items: FinishedItem[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const ended = await finishItems(this.#pool, this.#owner, items);
        this.#inFlight.remove(items.map(({ id }) => id));
        for (const item of items) {
          measures.itemResult.publish({ state: item.state, reason: item.reasonCode });
          if (item.state === 'waiting') this.#onPostponed(item);
        }
        this.#onEnded(
          ended,
          items.filter(({ reasonCode }) => reasonCode !== null).map(({ id }) => id),
        );
        return;
      } catch (error) {
        const isGivenUp = this.#closed && attempt >= STOPPING_ATTEMPTS;
        this.#log[isGivenUp ? 'error' : 'warn']('Results of items could not be written', { error, attempt, items: items.length });
        if (isGivenUp) return;
        await new Promise((resolve) => setTimeout(resolve, Math.min(RETRY_MS * attempt, LONGEST_RETRY_MS)));
      }
    }
  }

  /** Returns when every added result is written; later results are dropped. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#flush.flushAll();
  }
}
