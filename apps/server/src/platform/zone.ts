import {
  hoursOfLocalDay,
  instantOfLocal,
  localDayOf,
  localHoursUpTo,
  startOfLocalDay,
  startOfLocalHour,
  type LocalHour,
} from '@hes/contract/schedule/local-day.ts';
import { offsetsOf } from '@hes/contract/schedule/zone.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Days, hours and offsets of the utility's zone. All instants are epoch milliseconds. */
export class Zone {
  readonly timeZone: string;
  /** Milliseconds local time is ahead of UTC. */
  readonly offsetMs: (at: number) => number;

  constructor(timeZone: string) {
    this.timeZone = timeZone;
    this.offsetMs = offsetsOf(timeZone);
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
    return localDayOf(this.offsetMs, at);
  }

  /** The local hour of the day. */
  hourOf(at: number): number {
    return Math.floor((at + this.offsetMs(at)) / HOUR_MS) % 24;
  }

  /** When a local day (days since 1970-01-01) begins. */
  startOf(day: number): number {
    return startOfLocalDay(this.offsetMs, day);
  }

  /** When the clock on the wall shows some hour of a local day. */
  startOfHour(day: number, hour: number): number {
    return instantOfLocal(this.offsetMs, day * DAY_MS + hour * HOUR_MS);
  }

  /** When the local hour of an instant began. */
  hourBegins(at: number): number {
    return startOfLocalHour(this.offsetMs, at);
  }

  /** Every hour of a local day. */
  hoursOf(day: number): LocalHour[] {
    return hoursOfLocalDay(this.offsetMs, day);
  }

  /** The last local hours, the running one last. */
  hoursUpTo(at: number, count: number): LocalHour[] {
    return localHoursUpTo(this.offsetMs, at, count);
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

/** The `YYYY-MM-DD` of days since 1970-01-01. */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
