import { WEEKDAY_NAMES } from './expression.ts';
import {
  DAY_MODE,
  defaultSettings,
  expressionOf,
  MODE,
  scheduleSettings,
  type PlainSettings,
  type PlainUnit,
  type ScheduleSettings,
} from './settings.ts';

function plainOf(text: string, own: PlainSettings): PlainSettings | undefined {
  if (text === '*') return own;
  const interval = /^(\d+)\/(\d+)$/.exec(text);
  if (interval) return { ...own, mode: MODE.interval, start: Number(interval[1]), increment: Number(interval[2]) };
  const range = /^(\d+)-(\d+)$/.exec(text);
  if (range) return { ...own, mode: MODE.range, rangeStart: Number(range[1]), rangeEnd: Number(range[2]) };
  return /^\d+(,\d+)*$/.test(text) ? { ...own, mode: MODE.specific, specific: text.split(',').map(Number) } : undefined;
}

type Days = Pick<ScheduleSettings, 'day' | 'week'>;

function daysOf(text: string, { day, week }: Days): Days | undefined {
  const inDay = (change: Partial<Days['day']>): Days => ({ day: { ...day, ...change }, week });
  if (text === '*') return { day, week };
  if (text === 'L') return inDay({ mode: DAY_MODE.last });
  if (text === 'LW') return inDay({ mode: DAY_MODE.lastWorkday });
  const interval = /^(\d+)\/(\d+)$/.exec(text);
  if (interval) return inDay({ mode: DAY_MODE.daysFrom, start: Number(interval[1]), increment: Number(interval[2]) });
  const before = /^L-(\d+)$/.exec(text);
  if (before) return inDay({ mode: DAY_MODE.beforeEnd, daysBeforeEnd: Number(before[1]) });
  const nearest = /^(\d+)W$/.exec(text);
  if (nearest) return inDay({ mode: DAY_MODE.nearest, nearestWeekday: Number(nearest[1]) });
  return /^\d+(,\d+)*$/.test(text) ? inDay({ mode: DAY_MODE.days, specific: text.split(',').map(Number) }) : undefined;
}

function weekdaysOf(text: string, { day, week }: Days): Days | undefined {
  const interval = /^(\d)\/(\d)$/.exec(text);
  if (interval)
    return {
      day: { ...day, mode: DAY_MODE.weeksFrom },
      week: { ...week, start: Number(interval[1]), increment: Number(interval[2]) },
    };
  const last = /^(\d)L$/.exec(text);
  if (last) return { day: { ...day, mode: DAY_MODE.lastWeekday, lastWeekday: Number(last[1]) }, week };
  const nth = /^(\d)#(\d)$/.exec(text);
  if (nth) {
    const count = Number(nth[2]);
    return { day: { ...day, mode: DAY_MODE.nth, nthWeekday: count }, week: { ...week, nthDay: Number(nth[1]), nth: count } };
  }
  const specific = text.split(',').map((name) => WEEKDAY_NAMES.findIndex((known) => known === name) + 1);
  return specific.includes(0) ? undefined : { day: { ...day, mode: DAY_MODE.weekdays }, week: { ...week, specific } };
}

/**
 * Derives builder settings from an expression, as for built-in plans; undefined if the builder cannot express the
 * schedule.
 */
export function settingsOf(expression: string, thisYear: number): ScheduleSettings | undefined {
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = expression.trim().split(/\s+/);
  const base = defaultSettings(thisYear);
  const plain = (unit: PlainUnit, text: string) => plainOf(text, base[unit]);
  const days = weekday === '?' ? daysOf(day, base) : weekdaysOf(weekday, base);
  const candidate = {
    second: plain('second', second),
    minute: plain('minute', minute),
    hour: plain('hour', hour),
    ...days,
    month: plain('month', month),
    year: plain('year', year),
  };
  const read = scheduleSettings.safeParse(candidate);
  return read.success && expressionOf(read.data) === expression.trim() ? read.data : undefined;
}
