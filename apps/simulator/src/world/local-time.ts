import { DAY_MS, DEVIATION_MINUTES, TIME_ZONE, dayStart, localDay } from './calendar.ts';

/** The time that the clocks of a field show: when its days begin, and what its stamps say. */
export interface LocalTime {
  timeZone: string;
  /** Number of the local calendar day, counted from 1970-01-01. */
  dayOf(atMs: number): number;
  /** When a local calendar day begins. */
  startOf(day: number): number;
  /** UTC minus local time, summer time included. */
  deviationMinutes(atMs: number): number;
  isSummer(atMs: number): boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const QUARTER_MS = 15 * MINUTE_MS;
const REMEMBERED = 10_000;

/** The town knows no summer time, and is asked for every row of every profile. */
const TOWN: LocalTime = {
  timeZone: TIME_ZONE,
  dayOf: localDay,
  startOf: dayStart,
  deviationMinutes: () => DEVIATION_MINUTES,
  isSummer: () => false,
};

/** How far a zone is ahead of UTC. Zones change at full quarters of an hour only. */
function offsetsOf(timeZone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const known = new Map<number, number>();
  return (atMs) => {
    const quarter = Math.floor(atMs / QUARTER_MS);
    const remembered = known.get(quarter);
    if (remembered !== undefined) return remembered;
    const parts: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(quarter * QUARTER_MS)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
    const offset = Date.UTC(year, month - 1, day, hour, minute) - quarter * QUARTER_MS;
    if (known.size > REMEMBERED) known.clear();
    known.set(quarter, offset);
    return offset;
  };
}

/** The time of a zone, of the town when not said. */
export function localTimeOf(timeZone: string = TIME_ZONE): LocalTime {
  if (timeZone === TIME_ZONE) return TOWN;
  const offset = offsetsOf(timeZone);
  return {
    timeZone,
    dayOf: (atMs) => Math.floor((atMs + offset(atMs)) / DAY_MS),
    startOf(day) {
      const local = day * DAY_MS;
      // Where midnight itself is skipped this is the first moment of the day.
      return local - offset(local - offset(local));
    },
    deviationMinutes: (atMs) => -offset(atMs) / MINUTE_MS,
    isSummer(atMs) {
      const year = new Date(atMs).getUTCFullYear();
      return offset(atMs) > Math.min(offset(Date.UTC(year, 0, 1)), offset(Date.UTC(year, 6, 1)));
    },
  };
}

/** How far the full hours of a field's clocks lie behind those of UTC: half an hour in some zones. */
export const hourLeadMs = (local: LocalTime, atMs: number): number =>
  (((local.deviationMinutes(atMs) * MINUTE_MS) % HOUR_MS) + HOUR_MS) % HOUR_MS;
