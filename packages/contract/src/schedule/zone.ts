import { BoundedCache } from '../core/bounded-cache.ts';
import { DAY_MS } from './calendar.ts';
import {
  hoursOfLocalDay,
  instantOfLocal,
  localDayOf,
  localHoursUpTo,
  startOfLocalDay,
  startOfLocalHour,
  type LocalHour,
  type OffsetAt,
} from './local-day.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const QUARTER_MS = 900_000;
const CACHED_ZONES = 100;
const CACHED_OFFSETS = 20_000;

const zones = new BoundedCache<string, OffsetAt>(CACHED_ZONES);

/** Milliseconds local time is ahead of UTC at an instant. Zones change at full quarters of an hour only. */
export const offsetsOf = (timeZone: string): OffsetAt => zones.getOrSet(timeZone, () => cachedOffsets(timeZone));

function cachedOffsets(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const offsets = new BoundedCache<number, number>(CACHED_OFFSETS);
  return (at) => {
    const quarter = Math.floor(at / QUARTER_MS);
    const cached = offsets.get(quarter);
    if (cached !== undefined) return cached;
    const offset = wallClock(format, quarter * QUARTER_MS) - quarter * QUARTER_MS;
    offsets.set(quarter, offset);
    return offset;
  };
}

/** The local time that a formatter shows, in milliseconds as if it were UTC. */
function wallClock(format: Intl.DateTimeFormat, at: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Days, hours and offsets of a time zone. All instants are epoch milliseconds. */
export class Zone {
  readonly timeZone: string;
  /** Milliseconds local time is ahead of UTC. */
  readonly offsetMs: (at: number) => number;

  constructor(timeZone: string) {
    this.timeZone = timeZone;
    this.offsetMs = offsetsOf(timeZone);
  }

  /** The deviation of COSEM: UTC minus local time, in minutes. */
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

  /** The instant at which the wall clock shows an hour of a local day. */
  startOfHour(day: number, hour: number): number {
    return this.startOfMinute(day, hour * 60);
  }

  /** The instant at which the wall clock shows a minute of a local day; the first one, if it shows it twice. */
  startOfMinute(day: number, minute: number): number {
    return instantOfLocal(this.offsetMs, day * DAY_MS + minute * MINUTE_MS);
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

/** The first local midnight that ends a month, at an instant or after it. */
export function monthEndFrom(at: number, zone: Zone): number {
  const { year, month, start } = monthOf(zone.dayOf(at));
  return zone.startOf(start) >= at ? zone.startOf(start) : zone.startOf(Date.UTC(year, month + 1, 1) / DAY_MS);
}

/** The month of a day, 0 to 11, and its first day. */
function monthOf(day: number): { year: number; month: number; start: number } {
  const date = new Date(day * DAY_MS);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { year, month, start: Date.UTC(year, month, 1) / DAY_MS };
}

/** Days since 1970-01-01 of a `YYYY-MM-DD`. */
export const dayNumberOf = (text: string): number => Date.parse(`${text}T00:00:00Z`) / DAY_MS;

/** The `YYYY-MM-DD` of days since 1970-01-01. */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** An interval with a constant UTC offset. */
export interface Stretch {
  /** Epoch milliseconds; `to` is not part of it. */
  from: number;
  to: number;
  offsetMs: number;
  /** The offset before `from`, when it begins with a change. */
  before: number | undefined;
}

/**
 * Intervals of constant offset from `from` on, which cover at least a day. The one after a change lasts a day, so all local times that the
 * change repeats lie within it. A zone changes at most once a day.
 */
export function stretchesOf(offset: (at: number) => number, from: number): Stretch[] {
  const to = from + DAY_MS;
  const first = offset(from);
  const last = offset(to);
  if (first === last) return [{ from, to, offsetMs: first, before: undefined }];
  let low = Math.floor(from / QUARTER_MS);
  let high = Math.ceil(to / QUARTER_MS);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle * QUARTER_MS) === first) low = middle;
    else high = middle;
  }
  const change = high * QUARTER_MS;
  return [
    { from, to: change, offsetMs: first, before: undefined },
    { from: change, to: change + DAY_MS, offsetMs: last, before: first },
  ];
}
