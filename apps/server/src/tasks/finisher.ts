import type { Pool } from 'pg';
import { Gathering } from '#platform/gathering.ts';
import type { Log } from '#platform/log.ts';
import type { Held } from './held.ts';
import { finishItems, type EndedItem, type FinishedItem } from './queries.ts';

const BATCH_ITEMS = 500;
const BATCH_WAIT_MS = 500;
/** Nothing new for so long: the end need not wait for company. */
const QUIET_MS = 150;
const RETRY_MS = 500;
const LONGEST_RETRY_MS = 5_000;
/** Of an end that could not be written while the server stops. */
const LAST_TRIES = 2;

/** Writes the ends of items in batches: one statement for many DCUs. */
export class Finisher {
  readonly #pool: Pool;
  readonly #owner: string;
  readonly #log: Log;
  readonly #held: Held;
  readonly #onEnded: (items: EndedItem[], failedIds: string[]) => void;
  readonly #gathering = new Gathering(() => this.#drain(), { quietMs: QUIET_MS, longestMs: BATCH_WAIT_MS });
  #waiting: FinishedItem[] = [];
  #writing = 0;
  #closed = false;

  constructor(options: { pool: Pool; owner: string; log: Log; held: Held; onEnded: (items: EndedItem[], failedIds: string[]) => void }) {
    this.#pool = options.pool;
    this.#owner = options.owner;
    this.#log = options.log;
    this.#held = options.held;
    this.#onEnded = options.onEnded;
  }

  /** Somebody waits for an urgent end. After `close` an end is dropped: the item went back to the queue, and somebody else does it. */
  add(item: FinishedItem, urgent: boolean): void {
    if (this.#closed) return;
    this.#waiting.push(item);
    if (urgent || this.#waiting.length >= BATCH_ITEMS || this.#isLast()) this.#gathering.start();
    else this.#gathering.arm();
  }

  /** Nothing else is in the hands of this process: there is no company to wait for. */
  #isLast(): boolean {
    return this.#held.size <= this.#waiting.length + this.#writing;
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
   * The database may be away for longer than anybody waits: what is not written is kept, because the leases of a process that
   * lives are renewed, and nobody else would ever do these items. Only at the end they are left to whoever comes next.
   */
  async #write(items: FinishedItem[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const ended = await finishItems(this.#pool, this.#owner, items);
        this.#held.drop(items.map(({ id }) => id));
        this.#onEnded(
          ended,
          items.filter(({ reasonCode }) => reasonCode !== null).map(({ id }) => id),
        );
        return;
      } catch (error) {
        const isGivenUp = this.#closed && attempt >= LAST_TRIES;
        this.#log[isGivenUp ? 'error' : 'warn']('Ends of items could not be written', { error, attempt, items: items.length });
        if (isGivenUp) return;
        await new Promise((resolve) => setTimeout(resolve, Math.min(RETRY_MS * attempt, LONGEST_RETRY_MS)));
      }
    }
  }

  /** Returns when everything that was added is written; nothing more is taken. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#gathering.flush();
  }
}
