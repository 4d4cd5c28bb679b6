import { LONG_AGO, monotonicNow, msSince } from './clock.ts';

export interface FlushOptions {
  /** Flushes once nothing has been scheduled for this long. */
  quietMs: number;
  /** Flushes at the latest this long after the first `schedule`. The same as `quietMs`: the delay is fixed. */
  longestMs: number;
  /** Called with the error of a flush that failed; without it, a flush must not fail. */
  onError?: (error: unknown) => void;
}

/** Decides when a writer flushes its own queue, and runs one flush at a time. */
export class DebouncedFlush {
  readonly #flush: () => Promise<void> | void;
  readonly #options: FlushOptions;
  #timer: NodeJS.Timeout | undefined;
  #scheduledAt = LONG_AGO;
  #running: Promise<void> | undefined;
  #mustRepeat = false;

  constructor(flush: () => Promise<void> | void, options: FlushOptions) {
    this.#flush = flush;
    this.#options = options;
  }

  /** Flushes after the delay. */
  schedule(): void {
    const { quietMs, longestMs } = this.#options;
    if (this.#timer === undefined) {
      this.#scheduledAt = monotonicNow();
      this.#timer = setTimeout(() => this.flushNow(), quietMs);
    } else if (quietMs < longestMs && msSince(this.#scheduledAt) < longestMs - quietMs) this.#timer.refresh();
  }

  /** Flushes now, or again after the flush that is running. */
  flushNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#mustRepeat = true;
    this.#running ??= this.#run();
  }

  /** An entry that arrives while a flush returns may be missed by it: `flushNow` then repeats the flush. */
  async #run(): Promise<void> {
    try {
      while (this.#mustRepeat) {
        this.#mustRepeat = false;
        await this.#flushOnce();
      }
    } finally {
      this.#running = undefined;
    }
  }

  async #flushOnce(): Promise<void> {
    const { onError } = this.#options;
    try {
      await this.#flush();
    } catch (error) {
      if (onError === undefined) throw error;
      onError(error);
    }
  }

  /** Flushes everything, entries that arrive meanwhile included; returns when nothing is scheduled. */
  async flushAll(): Promise<void> {
    do {
      this.flushNow();
      await this.#running;
    } while (this.#timer !== undefined);
  }
}
