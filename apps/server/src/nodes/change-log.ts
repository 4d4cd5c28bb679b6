import { CHANGE_CHANNEL } from '#db/changes.ts';
import type { Context, StoredSettings } from '#db/context.ts';
import type { LocalBus } from '#platform/bus.ts';
import { DebouncedFlush } from '#platform/debounced-flush.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { findChanges, readSnapshot } from './change-queries.ts';
import type { Listening } from './listening.ts';

/** A bell may be lost, so the log is also read at this interval. */
const READ_MS = 15_000;
/**
 * Changes of this time are applied once more when the connection is open again: after a failover, numbers of transactions that were lost are
 * given again. Each change may be applied twice.
 */
const REPEATED_S = 300;

/**
 * Applies the changes that other nodes commit. It remembers a snapshot of the database and not the last id, because ids are given before the
 * commit: a change whose transaction ends later than that of a newer one would be skipped.
 */
export class ChangeLog {
  readonly #ctx: Pick<Context, 'pool' | 'log'>;
  readonly #bus: LocalBus;
  readonly #flush: DebouncedFlush;
  #settings: StoredSettings | undefined;
  #snapshot: string | undefined;
  #mustRepeat = false;
  #job: PeriodicJob | undefined;

  constructor(ctx: Pick<Context, 'pool' | 'log'>, bus: LocalBus) {
    this.#ctx = ctx;
    this.#bus = bus;
    this.#flush = new DebouncedFlush(() => this.#read(), {
      quietMs: 0,
      longestMs: 0,
      onError: (error) => ctx.log.warn('Changes of other nodes could not be read; the next attempt follows', { error }),
    });
  }

  /** Begins the log: call it before anything is cached that a change may concern. */
  async open(): Promise<void> {
    this.#snapshot = await readSnapshot(this.#ctx.pool);
  }

  /** Follows the log as long as there are other nodes. */
  start(listening: Listening, settings: StoredSettings): void {
    this.#settings = settings;
    listening.onNotification(CHANGE_CHANNEL, () => this.#flush.flushNow());
    listening.onOpen(() => {
      this.#mustRepeat = true;
      this.#flush.flushNow();
    });
    const readUnlessAlone = () => {
      if (listening.hasOthers) this.#flush.flushNow();
      return Promise.resolve();
    };
    this.#job = startPeriodicJob(READ_MS, readUnlessAlone, () => undefined);
  }

  /** Reads the log now: bells may have been lost. */
  readNow(): void {
    this.#flush.flushNow();
  }

  async #read(): Promise<void> {
    const { snapshot, changes } = await findChanges(this.#ctx.pool, {
      origin: this.#bus.origin,
      since: this.#snapshot ?? null,
      repeatedS: this.#mustRepeat ? REPEATED_S : null,
    });
    // Settings precede the notice that makes consoles ask for them.
    if (changes.some(({ message }) => message.type === 'notice' && message.data.about === 'settings')) await this.#settings?.reload();
    this.#snapshot = snapshot;
    this.#mustRepeat = false;
    for (const { topic, message } of changes) this.#bus.deliver(topic, message);
  }

  async stop(): Promise<void> {
    await this.#job?.stop();
    await this.#flush.flushAll();
  }
}
