import { z } from 'zod';
import { WEEKDAY_NAMES } from './expression.ts';

/** Inclusive bounds. */
type Bound = readonly [low: number, high: number];
const whole = ([low, high]: Bound) => z.int().min(low).max(high);
const list = ([low, high]: Bound) => z.array(whole([low, high])).max(high - low + 1);

/** Inclusive bounds of all inputs of the builder. @spec seed §5 */
export const BOUNDS = {
  second: { increment: [1, 60], start: [0, 59], rangeStart: [1, 60], rangeEnd: [0, 59], specific: [0, 59] },
  minute: { increment: [1, 60], start: [0, 59], rangeStart: [1, 60], rangeEnd: [0, 59], specific: [0, 59] },
  hour: { increment: [0, 23], start: [0, 23], rangeStart: [0, 23], rangeEnd: [0, 23], specific: [0, 23] },
  day: { increment: [1, 31], start: [1, 31], rangeStart: [1, 31], rangeEnd: [1, 31], specific: [1, 31] },
  week: { increment: [1, 7], start: [1, 7], rangeStart: [1, 7], rangeEnd: [1, 7], specific: [1, 7] },
  month: { increment: [0, 12], start: [0, 12], rangeStart: [1, 12], rangeEnd: [1, 12], specific: [1, 12] },
  year: { increment: [1, 99], start: [2018, 2118], rangeStart: [2018, 2118], rangeEnd: [2018, 2118], specific: [2018, 2117] },
} as const satisfies Record<string, Record<'increment' | 'start' | 'rangeStart' | 'rangeEnd' | 'specific', Bound>>;

export const DAY_BOUNDS = { daysBeforeEnd: [1, 31], nearestWeekday: [1, 31], lastWeekday: [1, 7] } as const;
export const NTH_BOUNDS = { nthDay: [1, 7], nth: [1, 5] } as const;

export type ScheduleUnit = keyof typeof BOUNDS;
/** Units that have the four ordinary modes only. */
export const PLAIN_UNITS = ['second', 'minute', 'hour', 'month', 'year'] as const;
export type PlainUnit = (typeof PLAIN_UNITS)[number];

/** Modes of a unit by number. @spec seed §4 */
export const MODE = { every: 1, interval: 2, specific: 3, range: 4 } as const;
export const DAY_MODE = {
  every: 1,
  weeksFrom: 2,
  daysFrom: 3,
  weekdays: 4,
  days: 5,
  last: 6,
  lastWorkday: 7,
  lastWeekday: 8,
  beforeEnd: 9,
  nearest: 10,
  nth: 11,
} as const;

const parts = (unit: ScheduleUnit) => {
  const { increment, start, rangeStart, rangeEnd, specific } = BOUNDS[unit];
  return {
    increment: whole(increment),
    start: whole(start),
    rangeStart: whole(rangeStart),
    rangeEnd: whole(rangeEnd),
    specific: list(specific),
  };
};
const plain = (unit: PlainUnit) => z.object({ mode: whole([1, 4]), ...parts(unit) });

/** Stored state of the schedule builder. Weekdays are 1 = Sunday to 7 = Saturday. */
export const scheduleSettings = z.object({
  second: plain('second'),
  minute: plain('minute'),
  hour: plain('hour'),
  day: z.object({
    mode: whole([1, 11]),
    ...parts('day'),
    lastWeekday: whole(DAY_BOUNDS.lastWeekday),
    daysBeforeEnd: whole(DAY_BOUNDS.daysBeforeEnd),
    nearestWeekday: whole(DAY_BOUNDS.nearestWeekday),
    /** Ordinal for mode 11 of the day; `week` has the weekday. */
    nthWeekday: whole(NTH_BOUNDS.nth),
  }),
  /** Weekdays for modes 2, 4 and 11 of the day; `mode` has no effect. */
  week: z.object({ mode: whole([1, 4]), ...parts('week'), nthDay: whole(NTH_BOUNDS.nthDay), nth: whole(NTH_BOUNDS.nth) }),
  month: plain('month'),
  year: plain('year'),
});
export type ScheduleSettings = z.infer<typeof scheduleSettings>;
export type PlainSettings = ScheduleSettings[PlainUnit];

/** Initial settings of the builder: every second of every day. */
export const defaultSettings = (thisYear: number): ScheduleSettings => ({
  second: { mode: 1, increment: 1, start: 0, rangeStart: 1, rangeEnd: 59, specific: [] },
  minute: { mode: 1, increment: 1, start: 0, rangeStart: 1, rangeEnd: 59, specific: [] },
  hour: { mode: 1, increment: 1, start: 0, rangeStart: 0, rangeEnd: 23, specific: [] },
  day: {
    mode: 1,
    increment: 1,
    start: 1,
    rangeStart: 1,
    rangeEnd: 31,
    specific: [],
    lastWeekday: 2,
    daysBeforeEnd: 1,
    nearestWeekday: 15,
    nthWeekday: 1,
  },
  week: { mode: 1, increment: 1, start: 2, rangeStart: 1, rangeEnd: 7, specific: [], nthDay: 2, nth: 1 },
  month: { mode: 1, increment: 1, start: 1, rangeStart: 1, rangeEnd: 12, specific: [] },
  year: { mode: 1, increment: 1, start: thisYear, rangeStart: thisYear, rangeEnd: 2118, specific: [] },
});

const joined = (values: readonly number[], show: (value: number) => string = String): string =>
  values
    .toSorted((a, b) => a - b)
    .map(show)
    .join(',');

function plainField({ mode, increment, start, rangeStart, rangeEnd, specific }: PlainSettings): string {
  if (mode === MODE.interval) return `${start}/${increment}`;
  if (mode === MODE.range) return `${rangeStart}-${rangeEnd}`;
  return mode === MODE.specific && specific.length > 0 ? joined(specific) : '*';
}

const weekdayName = (weekday: number): string => WEEKDAY_NAMES[weekday - 1] ?? '?';

/** Fields of day and weekday: one is a question mark if the other is set. @spec seed §4 */
function dayFields({ day, week }: Pick<ScheduleSettings, 'day' | 'week'>): [day: string, weekday: string] {
  switch (day.mode) {
    case DAY_MODE.weeksFrom:
      return ['?', `${week.start}/${week.increment}`];
    case DAY_MODE.daysFrom:
      return [`${day.start}/${day.increment}`, '?'];
    case DAY_MODE.weekdays:
      return week.specific.length > 0 ? ['?', joined(week.specific, weekdayName)] : ['*', '?'];
    case DAY_MODE.days:
      return [day.specific.length > 0 ? joined(day.specific) : '*', '?'];
    case DAY_MODE.last:
      return ['L', '?'];
    case DAY_MODE.lastWorkday:
      return ['LW', '?'];
    case DAY_MODE.lastWeekday:
      return ['?', `${day.lastWeekday}L`];
    case DAY_MODE.beforeEnd:
      return [`L-${day.daysBeforeEnd}`, '?'];
    case DAY_MODE.nearest:
      return [`${day.nearestWeekday}W`, '?'];
    case DAY_MODE.nth:
      return ['?', `${week.nthDay}#${week.nth}`];
    default:
      return ['*', '?'];
  }
}

/** Converts builder settings to the expression of seven fields. */
export function fieldsOf(settings: ScheduleSettings): string[] {
  const [day, weekday] = dayFields(settings);
  const { second, minute, hour, month, year } = settings;
  return [plainField(second), plainField(minute), plainField(hour), day, plainField(month), weekday, plainField(year)];
}

export const expressionOf = (settings: ScheduleSettings): string => fieldsOf(settings).join(' ');
