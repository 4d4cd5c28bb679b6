import type { Schedule } from './expression.ts';
import { nextRuns } from './runs.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Looked at, so that a schedule of weekdays is not taken for one of days. */
const RUNS_SEEN = 10;

/** Days from each run of a schedule to the next, when they are always as many at the same time of day; undefined: it runs otherwise. */
export function daysBetweenRuns(schedule: Schedule, after: number, timeZone: string): number | undefined {
  const runs = nextRuns(schedule, after, timeZone, RUNS_SEEN);
  const gaps = runs.slice(1).map((at, i) => at - (runs[i] ?? at));
  const days = Math.round((gaps[0] ?? 0) / DAY_MS);
  // An hour more or less: clocks were changed in between.
  const isSteady = runs.length === RUNS_SEEN && days >= 1 && gaps.every((gap) => Math.abs(gap - days * DAY_MS) <= HOUR_MS);
  return isSteady ? days : undefined;
}
