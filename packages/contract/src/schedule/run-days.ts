import { DAY_MS } from './calendar.ts';
import type { Schedule } from './expression.ts';
import { nextRun } from './runs.ts';
import { offsetsOf } from './zone.ts';

const dayOf = (localMs: number): string => new Date(localMs).toISOString().slice(0, 10);

/**
 * Local days such as `2026-11-24` on which a schedule runs after an instant, up to and including `lastDay`. They are derived from
 * `nextRun`, so a calendar agrees with the list of next runs, and days without remaining runs are left out.
 */
export function runDays(schedule: Schedule, after: number, timeZone: string, lastDay: string): Set<string> {
  const offset = offsetsOf(timeZone);
  const days = new Set<string>();
  for (let at: number | undefined = after; at !== undefined;) {
    const run: number | undefined = nextRun(schedule, at, timeZone);
    if (run === undefined) break;
    const local = run + offset(run);
    const day = dayOf(local);
    if (day > lastDay) break;
    days.add(day);
    const midnight = (Math.floor(local / DAY_MS) + 1) * DAY_MS;
    // A clock change before midnight can yield the same day twice; duplicates are dropped.
    at = Math.max(run, midnight - Math.max(offset(run), offset(midnight - offset(run))) - 1);
  }
  return days;
}
