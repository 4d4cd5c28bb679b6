import type { Schedule } from './expression.ts';
import { nextRuns } from './runs.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Looked at, so that a schedule of weekdays is not taken for one of days. */
const RUNS_SEEN = 10;
/** And so that one that rests at night is not taken for one of hours. */
const DAYS_SEEN = 2;
/** A device that repeats something by itself has other things to do in between. */
const SHORTEST_MS = HOUR_MS / 4;

/**
 * Seconds from each run of a schedule to the next, when they are always as many: so many days, at the same time of day, or less, by
 * elapsed time. Undefined: it runs otherwise.
 */
export function secondsBetweenRuns(schedule: Schedule, after: number, timeZone: string): number | undefined {
  const [first = 0, second = 0] = nextRuns(schedule, after, timeZone, 2);
  const gap = second - first;
  if (gap < SHORTEST_MS) return undefined;
  // An hour more or less: clocks were changed in between.
  const period = gap < DAY_MS - HOUR_MS ? gap : Math.round(gap / DAY_MS) * DAY_MS;
  const tolerance = period < DAY_MS ? 0 : HOUR_MS;
  const seen = Math.max(RUNS_SEEN, (DAYS_SEEN * DAY_MS) / period);
  const runs = nextRuns(schedule, after, timeZone, seen);
  const isSteady = runs.slice(1).every((at, i) => Math.abs(at - (runs[i] ?? at) - period) <= tolerance);
  return runs.length >= seen && isSteady ? period / 1000 : undefined;
}
