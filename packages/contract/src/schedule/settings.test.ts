import { describe, expect, it } from 'vitest';
import { faultIn, judgeSchedule } from './check.ts';
import { parseSchedule, ScheduleError } from './expression.ts';
import { settingsOf } from './restore.ts';
import { sentenceOf } from './sentence.ts';
import { BOUNDS, DAY_BOUNDS, defaultSettings, expressionOf, NTH_BOUNDS, scheduleSettings, type ScheduleSettings } from './settings.ts';

const base = defaultSettings(2026);
const NOW = Date.parse('2026-11-21T12:00:00Z');

type Change = { [K in keyof ScheduleSettings]?: Partial<ScheduleSettings[K]> };
const withChange = (change: Change): ScheduleSettings =>
  Object.fromEntries(Object.entries(base).map(([unit, own]) => [unit, { ...own, ...change[unit as keyof Change] }])) as ScheduleSettings; // as: the same keys, each with its own fields
const said = (change: Change) => expressionOf(withChange(change));

describe('the expression of the builder', () => {
  it('S-404 S-405 S-406 S-407: an untouched builder says any, with a question mark for the weekday, in seven fields', () => {
    expect(expressionOf(base)).toBe('* * * * * ? *');
  });

  it.each([
    ['S-371', 'second', { mode: 1 }, '* * * * * ? *'],
    ['S-372', 'minute', { mode: 1 }, '* * * * * ? *'],
    ['S-373', 'hour', { mode: 1 }, '* * * * * ? *'],
    ['S-374', 'month', { mode: 1 }, '* * * * * ? *'],
    ['S-375', 'year', { mode: 1 }, '* * * * * ? *'],
    ['S-376', 'second', { mode: 2, start: 5, increment: 10 }, '5/10 * * * * ? *'],
    ['S-377', 'minute', { mode: 2, start: 0, increment: 15 }, '* 0/15 * * * ? *'],
    ['S-378', 'hour', { mode: 2, start: 1, increment: 6 }, '* * 1/6 * * ? *'],
    ['S-379', 'month', { mode: 2, start: 3, increment: 3 }, '* * * * 3/3 ? *'],
    ['S-380', 'year', { mode: 2, start: 2026, increment: 2 }, '* * * * * ? 2026/2'],
    ['S-381', 'second', { mode: 3, specific: [30, 0] }, '0,30 * * * * ? *'],
    ['S-382', 'minute', { mode: 3, specific: [5] }, '* 5 * * * ? *'],
    ['S-383', 'hour', { mode: 3, specific: [18, 0, 6, 12] }, '* * 0,6,12,18 * * ? *'],
    ['S-384', 'month', { mode: 3, specific: [1, 7] }, '* * * * 1,7 ? *'],
    ['S-385', 'year', { mode: 3, specific: [2027] }, '* * * * * ? 2027'],
    ['S-386', 'second', { mode: 4, rangeStart: 1, rangeEnd: 30 }, '1-30 * * * * ? *'],
    ['S-387', 'minute', { mode: 4, rangeStart: 1, rangeEnd: 30 }, '* 1-30 * * * ? *'],
    ['S-388', 'hour', { mode: 4, rangeStart: 8, rangeEnd: 18 }, '* * 8-18 * * ? *'],
    ['S-389', 'month', { mode: 4, rangeStart: 4, rangeEnd: 9 }, '* * * * 4-9 ? *'],
    ['S-390', 'year', { mode: 4, rangeStart: 2026, rangeEnd: 2030 }, '* * * * * ? 2026-2030'],
  ])('%s S-370: %s in mode %o is %s', (_statement, unit, change, expected) => {
    expect(said({ [unit]: change })).toBe(expected);
  });

  it.each([
    [{ day: { mode: 1 } }, '* * * * * ? *'],
    [{ day: { mode: 2 }, week: { start: 2, increment: 2 } }, '* * * ? * 2/2 *'],
    [{ day: { mode: 3, start: 5, increment: 10 } }, '* * * 5/10 * ? *'],
    [{ day: { mode: 4 }, week: { specific: [6, 2, 4] } }, '* * * ? * MON,WED,FRI *'],
    [{ day: { mode: 5, specific: [15, 1] } }, '* * * 1,15 * ? *'],
    [{ day: { mode: 6 } }, '* * * L * ? *'],
    [{ day: { mode: 7 } }, '* * * LW * ? *'],
    [{ day: { mode: 8, lastWeekday: 6 } }, '* * * ? * 6L *'],
    [{ day: { mode: 9, daysBeforeEnd: 3 } }, '* * * L-3 * ? *'],
    [{ day: { mode: 10, nearestWeekday: 15 } }, '* * * 15W * ? *'],
    [{ day: { mode: 11 }, week: { nthDay: 2, nth: 1 } }, '* * * ? * 2#1 *'],
  ])('S-402 S-403: of day and weekday exactly one is a question mark: %o is %s', (change, expected) => {
    const expression = said(change);
    expect(expression).toBe(expected);
    expect(() => parseSchedule(expression)).not.toThrow();
  });

  it('S-406: a list of specific values with nothing in it means any', () => {
    for (const unit of ['second', 'minute', 'hour', 'month', 'year']) expect(said({ [unit]: { mode: 3 } })).toBe('* * * * * ? *');
    for (const mode of [4, 5]) expect(said({ day: { mode } })).toBe('* * * * * ? *');
  });
});

describe('the settings', () => {
  it('S-278 S-279 S-280 S-281 S-282: every unit has a mode, an interval with start, a range and specific values', () => {
    expect(Object.keys(base)).toEqual(['second', 'minute', 'hour', 'day', 'week', 'month', 'year']);
    for (const unit of Object.values(base)) {
      expect(Object.keys(unit)).toEqual(expect.arrayContaining(['mode', 'increment', 'start', 'rangeStart', 'rangeEnd', 'specific']));
    }
  });

  it('S-283 S-284 S-285 S-286 S-287: day and week have their own additional modes', () => {
    expect(Object.keys(base.day)).toEqual(expect.arrayContaining(['lastWeekday', 'daysBeforeEnd', 'nearestWeekday', 'nthWeekday']));
    expect(Object.keys(base.week)).toEqual(expect.arrayContaining(['nthDay', 'nth']));
  });

  it.each([
    ['S-448', BOUNDS.second.increment, [1, 60]],
    ['S-449', BOUNDS.minute.increment, [1, 60]],
    ['S-450', BOUNDS.second.start, [0, 59]],
    ['S-451', BOUNDS.minute.start, [0, 59]],
    ['S-452', BOUNDS.second.rangeStart, [1, 60]],
    ['S-453', BOUNDS.minute.rangeStart, [1, 60]],
    ['S-454', BOUNDS.second.rangeEnd, [0, 59]],
    ['S-455', BOUNDS.minute.rangeEnd, [0, 59]],
    ['S-456', BOUNDS.hour.increment, [0, 23]],
    ['S-456', BOUNDS.hour.start, [0, 23]],
    ['S-456', BOUNDS.hour.rangeStart, [0, 23]],
    ['S-456', BOUNDS.hour.rangeEnd, [0, 23]],
    ['S-457', BOUNDS.day.increment, [1, 31]],
    ['S-458', BOUNDS.week.increment, [1, 7]],
    ['S-459', DAY_BOUNDS.daysBeforeEnd, [1, 31]],
    ['S-460', DAY_BOUNDS.nearestWeekday, [1, 31]],
    ['S-461', NTH_BOUNDS.nth, [1, 5]],
    ['S-462', BOUNDS.month.increment, [0, 12]],
    ['S-462', BOUNDS.month.start, [0, 12]],
    ['S-463', BOUNDS.month.rangeStart, [1, 12]],
    ['S-463', BOUNDS.month.rangeEnd, [1, 12]],
    ['S-464', BOUNDS.year.increment, [1, 99]],
    ['S-465', BOUNDS.year.start, [2018, 2118]],
    ['S-466', BOUNDS.year.rangeStart, [2018, 2118]],
    ['S-466', BOUNDS.year.rangeEnd, [2018, 2118]],
    ['S-467', BOUNDS.second.specific, [0, 59]],
    ['S-468', BOUNDS.minute.specific, [0, 59]],
    ['S-469', BOUNDS.hour.specific, [0, 23]],
    ['S-470', BOUNDS.day.specific, [1, 31]],
    ['S-471', BOUNDS.month.specific, [1, 12]],
    ['S-472', BOUNDS.year.specific, [2018, 2117]],
  ])('%s: the bounds %o are %o', (_statement, bounds, expected) => {
    expect(bounds).toEqual(expected);
  });

  it('S-448 S-450 S-452 S-465 S-472: values outside the bounds are refused by the schema', () => {
    const refused = (change: Change) => !scheduleSettings.safeParse(withChange(change)).success;
    expect(scheduleSettings.safeParse(base).success).toBe(true);
    for (const change of [
      { second: { increment: 0 } },
      { second: { increment: 61 } },
      { second: { start: 60 } },
      { second: { rangeStart: 0 } },
      { year: { start: 2017 } },
      { year: { specific: [2118] } },
      { day: { mode: 12 } },
      { hour: { mode: 5 } },
    ])
      expect(refused(change)).toBe(true);
  });

  it('S-473: weekdays are written SUN to SAT', () => {
    expect(said({ day: { mode: 4 }, week: { specific: [7, 6, 5, 4, 3, 2, 1] } })).toBe('* * * ? * SUN,MON,TUE,WED,THU,FRI,SAT *');
  });
});

describe('what cannot be saved', () => {
  it.each([
    [{ second: { mode: 4, rangeStart: 60, rangeEnd: 59 } }, 'startAfterEnd', 'second'],
    [{ hour: { mode: 2, increment: 0 } }, 'zeroInterval', 'hour'],
    [{ month: { mode: 2, increment: 0 } }, 'zeroInterval', 'month'],
    [{ month: { mode: 2, start: 0 } }, 'zeroStart', 'month'],
    [{ year: { mode: 4, rangeStart: 2030, rangeEnd: 2026 } }, 'startAfterEnd', 'year'],
  ])('%o: %s at %s', (change, fault, field) => {
    expect(faultIn(withChange(change))).toEqual({ fault, field });
  });

  it('fields of a mode that is not selected are not validated', () => {
    expect(faultIn(withChange({ hour: { mode: 1, increment: 0 } }))).toBeUndefined();
  });

  it.each([
    ['0 0 0 1 1 ? 2020', 'noRun', 'year'],
    ['0 0 0 30 2 ? *', 'noRun', 'year'],
    ['* * * * * ? *', 'tooOften', 'second'],
    ['0 0 25 * * ? *', 'unreadable', 'hour'],
    ['0 0 0 1 * MON *', 'unreadable', 'day'],
    ['0 0 0 ? * ? *', 'unreadable', 'day'],
    ['every day', 'unreadable', 'second'],
    ['0 0 0 * FOO ? *', 'unreadable', 'month'],
    ['0 0 0 ? * 2#6 *', 'unreadable', 'weekday'],
    ['0 0 0 * * ? 2026/0', 'unreadable', 'year'],
  ])('%s: %s at %s', (expression, fault, field) => {
    expect(judgeSchedule(expression, NOW, 'UTC', true)).toMatchObject({ ok: false, fault, field });
  });

  it('s/60 runs at its start only', () => {
    expect(judgeSchedule('7/60 0 0 * * ? *', NOW, 'UTC', true)).toMatchObject({ ok: true, next: Date.parse('2026-11-22T00:00:07Z') });
  });

  it('an invalid schedule reports its field', () => {
    expect(() => parseSchedule('0 0 0 32 * ? *')).toThrow(ScheduleError);
  });
});

describe('the sentence', () => {
  it.each([
    ['0 5 0,6,12,18 ? * MON,WED,FRI *', 'On Mon, Wed, Fri, at 00:05, 06:05, 12:05, 18:05', '每周一、周三、周五 00:05、06:05、12:05、18:05'],
    ['0 0/15 * * * ? *', 'Every 15 min', '每15分钟'],
    ['0 30 0 * * ? *', 'Every day, at 00:30', '每天 00:30'],
    ['* * * * * ? *', 'Every second', '每秒'],
    ['0 0 2 L * ? *', 'On the last day of the month, at 02:00', '每月最后一天 02:00'],
    ['0 0 2 LW * ? *', 'On the last weekday (Mon–Fri) of the month, at 02:00', '每月最后一个工作日 02:00'],
    ['0 0 2 ? * 6L *', 'On the last Fri of the month, at 02:00', '每月最后一个周五 02:00'],
    ['0 0 2 L-3 * ? *', '3 days before the last day of the month, at 02:00', '每月最后一天的前3天 02:00'],
    ['0 0 2 15W * ? *', 'On the weekday (Mon–Fri) nearest to day 15 of the month, at 02:00', '离每月15日最近的工作日 02:00'],
    ['0 0 2 ? * 2#1 *', 'On the first Mon of the month, at 02:00', '每月第1个周一 02:00'],
    ['0 0 2 ? * 2/2 *', 'On Mon, Wed, Fri, at 02:00', '每周一、周三、周五 02:00'],
    ['0 0 1 1 4-9 ? 2027', 'On day 1 of the month, in Apr–Sep, in 2027, at 01:00', '2027年4–9月每月1日 01:00'],
    ['0 5 * * * ? *', 'At minute 5, every hour', '每小时的第5分'],
    ['0 0 0/2 * * ? *', 'Every day, at minute 0, every 2 hours', '每天 每2小时的第0分'],
  ])('of %s is %s', (expression, en, zh) => {
    const schedule = parseSchedule(expression);
    expect([sentenceOf(schedule, 'en-US'), sentenceOf(schedule, 'zh-CN')]).toEqual([en, zh]);
  });
});

describe('a schedule that no builder made', () => {
  it.each([
    '* * * * * ? *',
    '0 0/15 * * * ? *',
    '0 5 0,6,12,18 ? * MON,WED,FRI *',
    '0 0 1-5 L 1,7 ? 2026/2',
    '0 0 2 LW * ? *',
    '0 0 2 L-3 * ? *',
    '0 0 2 15W * ? *',
    '0 0 2 1,15 * ? *',
    '0 0 2 5/10 * ? *',
    '0 0 2 ? * 6L *',
    '0 0 2 ? * 2#1 *',
    '0 0 2 ? * 2/2 *',
  ])('%s opens in the builder and means the same', (expression) => {
    expect(expressionOf(settingsOf(expression, 2026) ?? base)).toBe(expression);
  });

  it.each(['0 0/15,7 * * * ? *', '0 0 2 ? * MON-FRI *', 'whenever'])('%s does not', (expression) => {
    expect(settingsOf(expression, 2026)).toBeUndefined();
  });
});
