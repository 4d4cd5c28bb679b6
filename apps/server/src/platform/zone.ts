const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Days and offsets of the utility's zone. Offsets are remembered by the hour, because asking the runtime costs
 * microseconds and a profile has thousands of stamps.
 */
export class Zone {
  readonly timeZone: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  constructor(timeZone: string) {
    this.timeZone = timeZone;
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** Milliseconds local time is ahead of UTC. Zones change at full quarters of an hour only. */
  offsetMs(at: number): number {
    const key = Math.floor(at / (HOUR_MS / 4));
    const known = this.#offsets.get(key);
    if (known !== undefined) return known;
    const second = Math.floor(at / 1000) * 1000;
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(second)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: s = 0 } = parts;
    const offset = Date.UTC(year, month - 1, day, hour, minute, s) - second;
    if (this.#offsets.size > 10_000) this.#offsets.clear();
    this.#offsets.set(key, offset);
    return offset;
  }

  /** What COSEM calls deviation: UTC minus local, in minutes. */
  deviationMinutes(at: number): number {
    return -this.offsetMs(at) / 60_000;
  }

  /** `2026-11-21 13:40:10`, local time as the console shows it. */
  dateTime(at: number): string {
    return new Date(at + this.offsetMs(at)).toISOString().slice(0, 19).replace('T', ' ');
  }

  /** The local calendar day, as days since 1970-01-01. */
  dayOf(at: number): number {
    return Math.floor((at + this.offsetMs(at)) / DAY_MS);
  }

  /** The local hour of the day. */
  hourOf(at: number): number {
    return Math.floor((at + this.offsetMs(at)) / HOUR_MS) % 24;
  }

  /** When a local day (days since 1970-01-01) begins. */
  startOf(day: number): number {
    const local = day * DAY_MS;
    const guess = local - this.offsetMs(local);
    return local - this.offsetMs(guess);
  }
}

/** The first midnight that ends a month of the utility, at a moment or after it. */
export function monthEndFrom(at: number, zone: Zone): number {
  const { year, month, start } = monthOf(zone.dayOf(at));
  return zone.startOf(start) >= at ? zone.startOf(start) : zone.startOf(Date.UTC(year, month + 1, 1) / DAY_MS);
}

/** The month of a day: days since 1970-01-01 to its first. */
function monthOf(day: number): { year: number; month: number; start: number } {
  const date = new Date(day * DAY_MS);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { year, month, start: Date.UTC(year, month, 1) / DAY_MS };
}

/** Days since 1970-01-01 of a `YYYY-MM-DD`. */
export const dayNumberOf = (text: string): number => Date.parse(`${text}T00:00:00Z`) / DAY_MS;
