import { DAY_MS } from './calendar.ts';

/** UTC offset of a zone in milliseconds at an instant in epoch milliseconds, as from `offsetsOf`. */
export type OffsetAt = (at: number) => number;

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;
/** Largest UTC offset of any zone. */
const MOST_AHEAD_MS = 15 * HOUR_MS;
const MOST_BEHIND_MS = 13 * HOUR_MS;

/** Local calendar day of an instant, in days since 1970-01-01. */
export const localDayOf = (offset: OffsetAt, at: number): number => Math.floor((at + offset(at)) / DAY_MS);

/**
 * First instant of a local day (days since 1970-01-01). Midnight may be skipped or repeated; a day that a zone
 * skipped starts with the next one. PostgreSQL's `at time zone` behaves differently: see `#db/local-day.ts`.
 */
export function startOfLocalDay(offset: OffsetAt, day: number): number {
  const local = day * DAY_MS;
  const before = offset(local - DAY_MS);
  if (before === offset(local + DAY_MS)) return local - before;
  let low = Math.floor((local - MOST_AHEAD_MS) / QUARTER_MS);
  let high = Math.ceil((local + MOST_BEHIND_MS) / QUARTER_MS);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (localDayOf(offset, middle * QUARTER_MS) < day) low = middle;
    else high = middle;
  }
  return high * QUARTER_MS;
}

/** Two instants are in one local hour when neither the hour on the wall clock nor the offset differs. */
const isSameHour = (offset: OffsetAt, a: number, b: number): boolean =>
  offset(a) === offset(b) && Math.floor((a + offset(a)) / HOUR_MS) === Math.floor((b + offset(b)) / HOUR_MS);

/** Start of the local hour of an instant: hh:00, or the clock change within that hour. */
export function startOfLocalHour(offset: OffsetAt, at: number): number {
  let begins = Math.floor(at / QUARTER_MS) * QUARTER_MS;
  while (isSameHour(offset, begins - QUARTER_MS, at)) begins -= QUARTER_MS;
  return begins;
}

/** An hour of a local day; shorter if clocks change by half an hour. */
export interface LocalHour {
  /** Epoch milliseconds; `to` is not part of it. */
  from: number;
  to: number;
}

/** Hours of a local day in order: 24, or 23 or 25 on a day with a clock change. */
export function hoursOfLocalDay(offset: OffsetAt, day: number): LocalHour[] {
  const ends = startOfLocalDay(offset, day + 1);
  const hours: LocalHour[] = [];
  for (let at = startOfLocalDay(offset, day); at < ends; at += QUARTER_MS) {
    const last = hours.at(-1);
    if (last !== undefined && isSameHour(offset, last.from, at)) last.to = at + QUARTER_MS;
    else hours.push({ from: at, to: at + QUARTER_MS });
  }
  return hours;
}

/** The last local hours up to and including that of an instant. */
export function localHoursUpTo(offset: OffsetAt, at: number, count: number): LocalHour[] {
  const hours: LocalHour[] = [];
  let begins = startOfLocalHour(offset, at);
  let ends = begins + QUARTER_MS;
  while (isSameHour(offset, begins, ends)) ends += QUARTER_MS;
  while (hours.length < count) {
    hours.unshift({ from: begins, to: ends });
    ends = begins;
    begins = startOfLocalHour(offset, begins - 1);
  }
  return hours;
}

/**
 * Instant of a local time (milliseconds as if it were UTC). A repeated local time yields its first instant; a skipped
 * one is shifted by the length of the gap.
 */
export function instantOfLocal(offset: OffsetAt, local: number): number {
  const first = local - offset(local - DAY_MS);
  if (local - offset(first) === first) return first;
  const second = local - offset(local + DAY_MS);
  return local - offset(second) === second ? second : first;
}

/** Whether the local time of the instant is the second occurrence of a repeated one. */
export const isRepeated = (offset: OffsetAt, at: number): boolean => instantOfLocal(offset, at + offset(at)) < at;
