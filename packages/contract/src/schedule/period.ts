import type { Schedule } from './expression.ts';
import { nextRuns } from './runs.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Runs to examine: enough to tell a schedule of weekdays from a daily one. */
const RUNS_SEEN = 10;
/** Minimum time span to examine: enough to tell a schedule that pauses at night from an hourly one. */
const DAYS_SEEN = 2;
/** Shortest period for repetition by a device, which needs time for other work. */
const SHORTEST_MS = HOUR_MS / 4;

/**
 * Period of a schedule in seconds if it is constant: whole days at the same time of day, or less than a day in elapsed time.
 * Undefined: the schedule is not periodic.
 */
export function secondsBetweenRuns(schedule: Schedule, after: number, timeZone: string): number | undefined {
  const [first = 0, second = 0] = nextRuns(schedule, after, timeZone, 2);
  const gap = second - first;
  if (gap < SHORTEST_MS) return undefined;
  // A difference of one hour is due to a clock change.
  const period = gap < DAY_MS - HOUR_MS ? gap : Math.round(gap / DAY_MS) * DAY_MS;
  const tolerance = period < DAY_MS ? 0 : HOUR_MS;
  const seen = Math.max(RUNS_SEEN, (DAYS_SEEN * DAY_MS) / period);
  const runs = nextRuns(schedule, after, timeZone, seen);
  const isSteady = runs.slice(1).every((at, i) => Math.abs(at - (runs[i] ?? at) - period) <= tolerance);
  return runs.length >= seen && isSteady ? period / 1000 : undefined;
}
