import { Cron } from 'croner';

/** Quartz weekdays (1 = Sunday) and starts such as `1/15`. */
const OPTIONS = { alternativeWeekdays: true, sloppyRanges: true } as const;
const FIELDS = 7;
const DAY = 3;
const WEEKDAY = 5;
/** Runs that are looked at before a rule that croner lacks gives up. */
const LAST_TRY = 100_000;

interface Parsed {
  pattern: string;
  /** `L-n` in the day field: days before the last of the month. */
  beforeLast: number | undefined;
}

function parse(expression: string): Parsed {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== FIELDS) throw new RangeError(`A schedule has ${FIELDS} fields: second minute hour day month weekday year`);
  const beforeLast = /^L-(\d{1,2})$/i.exec(fields[DAY] ?? '')?.[1];
  if (beforeLast !== undefined) fields[DAY] = '*';
  // A bare L is the last day of the week: Saturday.
  if (/^L$/i.test(fields[WEEKDAY] ?? '')) fields[WEEKDAY] = '7';
  return { pattern: fields.join(' '), beforeLast: beforeLast === undefined ? undefined : Number(beforeLast) };
}

/** Whether a local day is `n` days before the last of its month. */
function isBeforeLast(at: Date, n: number, timeZone: string): boolean {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' }).formatToParts(at);
  const part = (type: string) => Number(parts.find((candidate) => candidate.type === type)?.value);
  const last = new Date(Date.UTC(part('year'), part('month'), 0)).getUTCDate();
  return part('day') === last - n;
}

/**
 * The first run of a seven-field schedule after `after` (epoch milliseconds), in the utility's zone; undefined when there
 * is none any more. Throws a `RangeError` on anything that is not a schedule.
 */
export function nextRun(expression: string, after: number, timeZone: string): number | undefined {
  const { pattern, beforeLast } = parse(expression);
  let cron: Cron;
  try {
    cron = new Cron(pattern, { ...OPTIONS, timezone: timeZone, paused: true });
  } catch (error) {
    throw new RangeError(`Not a schedule: ${expression}`, { cause: error });
  }
  let run = cron.nextRun(new Date(after));
  for (let tries = 0; run !== null && beforeLast !== undefined && tries < LAST_TRY; tries++) {
    if (isBeforeLast(run, beforeLast, timeZone)) return run.getTime();
    run = cron.nextRun(run);
  }
  return beforeLast === undefined ? run?.getTime() : undefined;
}
