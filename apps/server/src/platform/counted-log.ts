import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { msBetween, type Clock, type MonotonicMs } from './clock.ts';
import type { Log, LogFields } from './log.ts';

const REPEAT_MS = 60_000;
const MAX_CAUSES = 1_000;

interface Cause {
  loggedAt: MonotonicMs;
  /** Occurrences since the line was last written. */
  unwritten: number;
}

/**
 * Rate-limits log lines that remote peers trigger. The first line of a cause is written immediately; repetitions within a minute are
 * counted, and the next line reports their number.
 */
export class CountedLog {
  readonly #log: Log;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #causes = new BoundedCache<string, Cause>(MAX_CAUSES);

  constructor(log: Log, clock: Pick<Clock, 'monotonic'>) {
    this.#log = log;
    this.#clock = clock;
  }

  info(message: string, fields: LogFields = {}, subject = ''): void {
    this.#write('info', message, fields, subject);
  }

  /** Lines with the same message and subject have the same cause. */
  warn(message: string, fields: LogFields = {}, subject = ''): void {
    this.#write('warn', message, fields, subject);
  }

  #write(level: 'info' | 'warn', message: string, fields: LogFields, subject: string): void {
    const now = this.#clock.monotonic();
    const key = `${level}/${message}/${subject}`;
    const cause = this.#causes.get(key);
    if (cause !== undefined && msBetween(cause.loggedAt, now) < REPEAT_MS) {
      cause.unwritten++;
      return;
    }
    this.#causes.set(key, { loggedAt: now, unwritten: 0 });
    const repeated = cause?.unwritten ?? 0;
    this.#log[level](message, repeated === 0 ? fields : { ...fields, repeated });
  }
}
