import { DAY_MS, nextDay } from './calendar.ts';
import type { Schedule } from './expression.ts';
import { offsetsOf, stretchesOf, type Stretch } from './zone.ts';

const HOURS_A_DAY = 24;
const SECOND_MS = 1000;
/** Largest positive UTC offset of any zone. */
const MOST_AHEAD_MS = 15 * 3_600_000;

/** First value of a sorted list that is not below `wanted`; undefined if there is none. */
const atLeast = (values: readonly number[], wanted: number): number | undefined => values.find((value) => value >= wanted);

/** First time of day in seconds at or after another. */
function nextTime({ hours, minutes, seconds }: Schedule, from: number): number | undefined {
  const [fromHour, fromMinute, fromSecond] = [Math.floor(from / 3600), Math.floor(from / 60) % 60, from % 60];
  const first = (minutes[0] ?? 0) * 60 + (seconds[0] ?? 0);
  if (hours.includes(fromHour)) {
    const second = atLeast(seconds, fromSecond);
    if (minutes.includes(fromMinute) && second !== undefined) return fromHour * 3600 + fromMinute * 60 + second;
    const minute = atLeast(minutes, fromMinute + 1);
    if (minute !== undefined) return fromHour * 3600 + minute * 60 + (seconds[0] ?? 0);
  }
  const hour = atLeast(hours, fromHour + 1);
  return hour === undefined ? undefined : hour * 3600 + first;
}

/** First local time (milliseconds as if it were UTC) at or after another at which a schedule runs. */
function nextLocal(schedule: Schedule, from: number): number | undefined {
  const start = Math.ceil(from / SECOND_MS) * SECOND_MS;
  const today = Math.floor(start / DAY_MS);
  let day = nextDay(schedule, today);
  if (day === today) {
    const time = nextTime(schedule, (start - today * DAY_MS) / SECOND_MS);
    if (time !== undefined) return day * DAY_MS + time * SECOND_MS;
    day = nextDay(schedule, today + 1);
  }
  return day === undefined ? undefined : day * DAY_MS + (nextTime(schedule, 0) ?? 0) * SECOND_MS;
}

/** First run at or after `from` within a stretch of constant UTC offset. */
function runWithin(schedule: Schedule, stretch: Stretch, from: number): number | undefined {
  const { offsetMs, before } = stretch;
  const isEveryHour = schedule.hours.length === HOURS_A_DAY;
  if (before !== undefined && !isEveryHour && stretch.from >= from && offsetMs > before) {
    const missing = nextLocal(schedule, stretch.from + before);
    if (missing !== undefined && missing < stretch.from + offsetMs) return stretch.from;
  }
  const repeated = before !== undefined && !isEveryHour && offsetMs < before ? before - offsetMs : 0;
  const local = nextLocal(schedule, Math.max(from, stretch.from + repeated) + offsetMs);
  const run = local === undefined ? undefined : local - offsetMs;
  return run !== undefined && run < stretch.to ? run : undefined;
}

/**
 * First run of a schedule after an instant, in the utility's time zone; undefined if there is none.
 *
 * At clock changes a schedule for every hour follows elapsed time: it skips local times that do not exist and runs in
 * both occurrences of a repeated hour. Other schedules run once per local time: at the end of the gap if the time is
 * skipped, and at the first occurrence if it is repeated.
 */
export function nextRun(schedule: Schedule, after: number, timeZone: string): number | undefined {
  const offset = offsetsOf(timeZone);
  const from = (Math.floor(after / SECOND_MS) + 1) * SECOND_MS;
  // Starts a day earlier to include a clock change that still has an effect at `from`.
  let at = from - DAY_MS;
  for (;;) {
    const stretches = stretchesOf(offset, at);
    for (const stretch of stretches) {
      if (stretch.to <= from) continue;
      const run = runWithin(schedule, stretch, Math.max(from, stretch.from));
      if (run !== undefined) return run;
    }
    at = stretches.at(-1)?.to ?? at + DAY_MS;
    // The rest of this local day has no run: continues with the next matching day.
    const day = nextDay(schedule, Math.floor((at - MOST_AHEAD_MS) / DAY_MS));
    if (day === undefined) return undefined;
    at = Math.max(at, day * DAY_MS - MOST_AHEAD_MS);
  }
}

/** Next runs after an instant, at most `count`. */
export function nextRuns(schedule: Schedule, after: number, timeZone: string, count: number): number[] {
  const runs: number[] = [];
  for (let at = after; runs.length < count;) {
    const run = nextRun(schedule, at, timeZone);
    if (run === undefined) break;
    runs.push(run);
    at = run;
  }
  return runs;
}
