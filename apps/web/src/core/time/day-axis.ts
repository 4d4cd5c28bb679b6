import { wallTime } from './format.ts';

/**
 * A common axis for several days: every wall time of any day once, in order. A day of 25 hours adds an hour in which other days are empty;
 * a day of 23 hours is empty in the hour that it skips.
 */
export function dayAxis(days: readonly (readonly number[])[]): string[] {
  const named = days.map((moments) => moments.map(wallTime)).toSorted((a, b) => b.length - a.length);
  return [...new Set(named.flat())];
}

/** The entries of a day at each index of an axis; null where the day has none. */
export function onAxis<T>(axis: readonly string[], day: readonly T[], atOf: (entry: T) => number): (T | null)[] {
  const byTime = new Map(day.map((entry) => [wallTime(atOf(entry)), entry]));
  return axis.map((time) => byTime.get(time) ?? null);
}

/** Labels for narrow columns: every third full hour, else empty. */
export const sparseHour = (time: string): string =>
  time.length === 5 && time.endsWith(':00') && Number(time.slice(0, 2)) % 3 === 0 ? time.slice(0, 2) : '';
