import { DAY_MS } from './calendar.ts';
import type { Schedule } from './expression.ts';
import { nextRun } from './runs.ts';
import { offsetsOf } from './zone.ts';

const dayOf = (localMs: number): string => new Date(localMs).toISOString().slice(0, 10);

/**
 * The local days, `2026-11-24`, on which a schedule runs after an instant, up to and including `lastDay`. They come from `nextRun`: a
 * calendar of them and a list of the next runs never disagree, and a day whose runs have all passed is none of them.
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
    // Where clocks change before midnight, the earlier of both: a day that is met twice is still one.
    at = Math.max(run, midnight - Math.max(offset(run), offset(midnight - offset(run))) - 1);
  }
  return days;
}
