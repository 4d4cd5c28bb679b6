import { LONG_AGO, monotonicNow, msSince } from './clock.ts';

export interface GatheringOptions {
  /** Nothing new for so long: what waits goes. */
  quietMs: number;
  /** What came first waits no longer for company than this. */
  longestMs: number;
}

/** Decides when a batch goes, for a writer that drains its own queue: one drain at a time. */
export class Gathering {
  readonly #drain: () => Promise<void>;
  readonly #options: GatheringOptions;
  #timer: NodeJS.Timeout | undefined;
  #armedAt = LONG_AGO;
  #draining: Promise<void> | undefined;
  #again = false;

  /** `drain` must not reject. */
  constructor(drain: () => Promise<void>, options: GatheringOptions) {
    this.#drain = drain;
    this.#options = options;
  }

  /** Something came that can wait for company. */
  arm(): void {
    const { quietMs, longestMs } = this.#options;
    if (this.#timer === undefined) {
      this.#armedAt = monotonicNow();
      this.#timer = setTimeout(() => this.start(), quietMs);
    } else if (msSince(this.#armedAt) < longestMs - quietMs) this.#timer.refresh();
  }

  /** What waits goes now. */
  start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#again = true;
    this.#draining ??= this.#run();
  }

  /** Whoever comes while a drain returns may have been overlooked by it: it is told to look once more, in the step that ends it. */
  async #run(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        await this.#drain();
      }
    } finally {
      this.#draining = undefined;
    }
  }

  /** What waits goes now, and so does what comes in the meantime; returns when all has gone. */
  async flush(): Promise<void> {
    do {
      this.start();
      await this.#draining;
    } while (this.#timer !== undefined);
  }
}
