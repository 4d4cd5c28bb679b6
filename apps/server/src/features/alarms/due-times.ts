import { msAfter, msBetween, type Clock, type MonotonicMs } from '#platform/clock.ts';

/** A span that began at a stored instant. */
export interface Wait {
  /** Names the wait; another span of the same row has another name. */
  key: string;
  seconds: number;
  since: Date;
}

/**
 * Ends of stored spans by the monotonic clock. The stored instant counts when a process sees the span first, and is limited by the span: a
 * wrong wall clock delays no message by more than its span.
 */
export class DueTimes {
  readonly #clock: Clock;
  #ends = new Map<string, MonotonicMs>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isDue({ key, seconds, since }: Wait): boolean {
    const spanMs = seconds * 1000;
    const now = this.#clock.monotonic();
    const name = `${key}/${since.getTime()}/${seconds}`;
    let end = this.#ends.get(name);
    if (end === undefined) {
      const leftMs = since.getTime() + spanMs - this.#clock.now();
      end = msAfter(now, Math.min(Math.max(0, leftMs), spanMs));
      this.#ends.set(name, end);
    }
    return msBetween(end, now) >= 0;
  }

  /** Forgets spans that no longer exist. */
  keep(waits: readonly Wait[]): void {
    const names = new Set(waits.map(({ key, seconds, since }) => `${key}/${since.getTime()}/${seconds}`));
    for (const name of this.#ends.keys()) if (!names.has(name)) this.#ends.delete(name);
  }
}
