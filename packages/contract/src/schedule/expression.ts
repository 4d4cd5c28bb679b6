/** Order of the seven fields. @spec seed §4 */
export const SCHEDULE_FIELDS = ['second', 'minute', 'hour', 'day', 'month', 'weekday', 'year'] as const;
export type ScheduleField = (typeof SCHEDULE_FIELDS)[number];

export const WEEKDAY_NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;
const MONTH_NAMES = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Last year of a schedule; it covers the latest start plus the longest step. */
export const LAST_YEAR = 2199;
export const FIRST_YEAR = 1970;
const BOUNDS = {
  second: [0, 59],
  minute: [0, 59],
  hour: [0, 23],
  day: [1, 31],
  month: [1, 12],
  weekday: [1, 7],
  year: [FIRST_YEAR, LAST_YEAR],
} as const satisfies Record<ScheduleField, readonly [number, number]>;

/** Rule for the days of a schedule. Weekdays are 1 = Sunday to 7 = Saturday. */
export type DayRule =
  | { kind: 'any' }
  | { kind: 'days'; days: readonly number[] }
  | { kind: 'weekdays'; weekdays: readonly number[] }
  /** Number of days before the last day of the month; 0 is the last day. */
  | { kind: 'beforeEnd'; days: number }
  | { kind: 'lastWorkday' }
  | { kind: 'nearestWorkday'; day: number }
  | { kind: 'lastWeekday'; weekday: number }
  | { kind: 'nthWeekday'; weekday: number; nth: number };

/** A parsed schedule. Lists are sorted and not empty. */
export interface Schedule {
  seconds: readonly number[];
  minutes: readonly number[];
  hours: readonly number[];
  day: DayRule;
  months: readonly number[];
  years: readonly number[];
}

/** Syntax error of a schedule: the field and its text. */
export class ScheduleError extends RangeError {
  readonly field: ScheduleField;
  constructor(field: ScheduleField, text: string) {
    super(`Not a ${field} of a schedule: ${text}`);
    this.field = field;
  }
}

const span = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.max(0, Math.floor((to - from) / step) + 1) }, (_, index) => from + index * step);

/** A number or a name within the bounds of its field. */
function valueOf(field: ScheduleField, text: string): number {
  const names: readonly string[] = field === 'month' ? MONTH_NAMES : field === 'weekday' ? WEEKDAY_NAMES : [];
  const named = names.indexOf(text.toUpperCase()) + 1;
  const value = named > 0 ? named : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  const [low, high] = BOUNDS[field];
  if (!(value >= low && value <= high)) throw new ScheduleError(field, text);
  return value;
}

/** `*`, `a` or `a-b`, each with an optional `/step`. A step from a single value continues to the end of the field. */
function partOf(field: ScheduleField, part: string): number[] {
  const [range = '', step, ...more] = part.split('/');
  if (more.length > 0 || (step !== undefined && !/^[1-9]\d{0,2}$/.test(step))) throw new ScheduleError(field, part);
  const [low, high] = BOUNDS[field];
  const by = step === undefined ? 1 : Number(step);
  if (range === '*') return span(low, high, by);
  const [first = '', last, ...others] = range.split('-');
  const from = valueOf(field, first);
  if (last === undefined) return step === undefined ? [from] : span(from, high, by);
  const to = valueOf(field, last);
  if (others.length > 0 || from > to) throw new ScheduleError(field, part);
  return span(from, to, by);
}

const valuesOf = (field: ScheduleField, text: string): number[] =>
  [...new Set(text.split(',').flatMap((part) => partOf(field, part)))].toSorted((a, b) => a - b);

function dayOfMonth(text: string): DayRule {
  if (text === '*') return { kind: 'any' };
  if (text === 'L') return { kind: 'beforeEnd', days: 0 };
  if (text === 'LW') return { kind: 'lastWorkday' };
  const before = /^L-(\d{1,2})$/.exec(text)?.[1];
  if (before !== undefined) return { kind: 'beforeEnd', days: valueOf('day', before) };
  const nearest = /^(\d{1,2})W$/.exec(text)?.[1];
  if (nearest !== undefined) return { kind: 'nearestWorkday', day: valueOf('day', nearest) };
  return { kind: 'days', days: valuesOf('day', text) };
}

function dayOfWeek(text: string): DayRule {
  if (text === '*') return { kind: 'any' };
  // A bare L is the last day of the week.
  if (text === 'L') return { kind: 'weekdays', weekdays: [7] };
  const last = /^(\w{1,3})L$/.exec(text)?.[1];
  if (last !== undefined) return { kind: 'lastWeekday', weekday: valueOf('weekday', last) };
  const [, weekday, nth] = /^(\w{1,3})#([1-5])$/.exec(text) ?? [];
  if (weekday !== undefined) return { kind: 'nthWeekday', weekday: valueOf('weekday', weekday), nth: Number(nth) };
  return { kind: 'weekdays', weekdays: valuesOf('weekday', text) };
}

/** Parses a schedule of seven fields, of which exactly one of day and weekday is `?`. Throws a `ScheduleError` with the invalid field. */
export function parseSchedule(expression: string): Schedule {
  const fields = expression.trim().toUpperCase().split(/\s+/);
  if (fields.length !== SCHEDULE_FIELDS.length) throw new ScheduleError('second', expression);
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = fields;
  if ((day === '?') === (weekday === '?')) throw new ScheduleError('day', `${day} ${weekday}`);
  return {
    seconds: valuesOf('second', second),
    minutes: valuesOf('minute', minute),
    hours: valuesOf('hour', hour),
    day: weekday === '?' ? dayOfMonth(day) : dayOfWeek(weekday),
    months: valuesOf('month', month),
    years: valuesOf('year', year),
  };
}
