import { wallTime } from './format.ts';

/**
 * One axis for several days: every wall time of any of them once, in order. A day of 25 hours gives it an hour more, in
 * which the others have no place; a day of 23 has none in the hour that it skips.
 */
export function dayAxis(days: readonly (readonly number[])[]): string[] {
  const named = days.map((moments) => moments.map(wallTime)).toSorted((a, b) => b.length - a.length);
  return [...new Set(named.flat())];
}

/** What a day has at each place of an axis; null where it has none. */
export function onAxis<T>(axis: readonly string[], day: readonly T[], atOf: (entry: T) => number): (T | null)[] {
  const byTime = new Map(day.map((entry) => [wallTime(atOf(entry)), entry]));
  return axis.map((time) => byTime.get(time) ?? null);
}

/** The names of hours that stand under a narrow column: every third of them. */
export const sparseHour = (time: string): string =>
  time.length === 5 && time.endsWith(':00') && Number(time.slice(0, 2)) % 3 === 0 ? time.slice(0, 2) : '';
