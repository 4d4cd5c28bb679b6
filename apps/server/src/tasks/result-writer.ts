import type { Pool } from 'pg';
import { DebouncedFlush } from '#platform/debounced-flush.ts';
import type { Log } from '#platform/log.ts';
import { measures } from '#platform/measures.ts';
import type { InFlight } from './in-flight.ts';
import type { FinishedItem } from './finished-item.ts';
import { finishItems, type EndedItem } from './queries.ts';
import type { SharedClaim } from './shared-claim.ts';
import { partItems } from './shared-queries.ts';

const BATCH_ITEMS = 500;
const BATCH_WAIT_MS = 500;
/** Flushes a smaller batch after this long without a new result. */
const QUIET_MS = 150;
const RETRY_MS = 500;
const LONGEST_RETRY_MS = 5_000;
/** Results of a shared item are written together when its last member has ended, and meanwhile after this long, for those who follow the run. */
const SHARED_WAIT_MS = 5_000;
/** Shared items that are parted by one statement. */
const BATCH_CLAIMS = 20;
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
  readonly #sharedFlush = new DebouncedFlush(() => this.#flushShared(), { quietMs: SHARED_WAIT_MS, longestMs: SHARED_WAIT_MS });
  #waiting: FinishedItem[] = [];
  /** Claims with unwritten results and members in execution. */
  readonly #incomplete = new Set<SharedClaim>();
  /** Claims whose results are written with the next batch. */
  readonly #complete: SharedClaim[] = [];
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

  /** The result of one member of a shared item. */
  addMember(claim: SharedClaim, meterId: string, result: FinishedItem): void {
    if (this.#closed) return;
    claim.add(meterId, result);
    if (!claim.isComplete) {
      this.#incomplete.add(claim);
      this.#sharedFlush.schedule();
      return;
    }
    this.#incomplete.delete(claim);
    this.#complete.push(claim);
    if (this.#complete.length >= BATCH_CLAIMS || this.#isLast()) this.#flush.flushNow();
    else this.#flush.schedule();
  }

  /** No other item is in flight in this process, so a larger batch would not form. */
  #isLast(): boolean {
    return this.#inFlight.size <= this.#waiting.length + this.#complete.length + this.#writing;
  }

  #flushShared(): void {
    this.#complete.push(...this.#incomplete);
    this.#incomplete.clear();
    this.#flush.flushNow();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0 || this.#complete.length > 0) {
      const items = this.#waiting.splice(0, BATCH_ITEMS);
      const claims = this.#complete.splice(0, BATCH_CLAIMS);
      this.#writing = items.length + claims.length;
      if (items.length > 0) await this.#writeItems(items);
      if (claims.length > 0) await this.#writeShared(claims);
      this.#writing = 0;
    }
  }

  async #writeItems(items: FinishedItem[]): Promise<void> {
    const ended = await this.#untilWritten(items.length, () => finishItems(this.#pool, this.#owner, items));
    if (ended === undefined) return;
    this.#noteWritten(items);
    for (const item of items) if (item.state === 'waiting') this.#onPostponed(item);
    this.#onEnded(
      ended,
      items.filter(({ reasonCode }) => reasonCode !== null).map(({ id }) => id),
    );
  }

  async #writeShared(claims: readonly SharedClaim[]): Promise<void> {
    const taken = claims.map((claim) => claim.take());
    const results = taken.flatMap((of) => of.results);
    const parts = taken.flatMap((of) => of.parts);
    const parted = await this.#untilWritten(results.length, () => partItems(this.#pool, this.#owner, parts));
    if (parted === undefined) return;
    this.#noteWritten(results);
    for (const { id, againInMs } of parted) if (againInMs !== null) this.#onPostponed({ id, againInMs });
    this.#onEnded(
      parted,
      parted.filter(({ hasReason }) => hasReason).map(({ id }) => id),
    );
  }

  #noteWritten(results: readonly FinishedItem[]): void {
    this.#inFlight.remove(results.map(({ id }) => id));
    for (const { wasStarted = true, state, reasonCode } of results)
      if (wasStarted) measures.itemResult.publish({ state, reason: reasonCode });
  }

  /**
   * Retries without end while the database is away: this process renews the leases of these items, so no other owner would take them. Only
   * while the server stops they are abandoned to the next owner; undefined then.
   */
  async #untilWritten<T>(items: number, write: () => Promise<T>): Promise<T | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write();
      } catch (error) {
        const isGivenUp = this.#closed && attempt >= STOPPING_ATTEMPTS;
        this.#log[isGivenUp ? 'error' : 'warn']('Results of items could not be written', { error, attempt, items });
        if (isGivenUp) return undefined;
        await new Promise((resolve) => setTimeout(resolve, Math.min(RETRY_MS * attempt, LONGEST_RETRY_MS)));
      }
    }
  }

  /** Returns when every added result is written; later results are dropped. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#sharedFlush.flushAll();
    await this.#flush.flushAll();
  }
}
