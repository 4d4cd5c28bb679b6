import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseSchedule } from './expression.ts';
import { nextRun, nextRuns } from './runs.ts';
import { DAY_MODE, defaultSettings, expressionOf, MODE, type PlainSettings, type PlainUnit, type ScheduleSettings } from './settings.ts';

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
const FROM = Date.UTC(2024, 0, 1);
const TO = Date.UTC(2029, 0, 1);
/** Zones with clock changes of the northern and southern hemisphere, none, by half an hour, and at midnight, where the day starts an hour late. */
const ZONES = ['Europe/Berlin', 'America/Santiago', 'Asia/Shanghai', 'Australia/Lord_Howe', 'Africa/Cairo'];

/** Quarters of an hour of five years by local time, each with 0, 1 or 2 instants. */
function wallClock(timeZone: string): Map<number, number[]> {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const nameOf = (at: number) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
  const instants = new Map<number, number[]>();
  for (let day = FROM - DAY_MS; day < TO + DAY_MS; day += DAY_MS) {
    const isEven = nameOf(day + DAY_MS) - nameOf(day) === DAY_MS;
    const first = nameOf(day);
    for (let at = day; at < day + DAY_MS; at += QUARTER_MS) {
      const local = isEven ? first + at - day : nameOf(at);
      instants.set(local, [...(instants.get(local) ?? []), at]);
    }
  }
  return instants;
}
interface Wall {
  instants: Map<number, number[]>;
  /** Existing local times in order. */
  names: number[];
}
const walls = new Map<string, Wall>();
function wallOf(zone: string): Wall {
  const known = walls.get(zone);
  if (known !== undefined) return known;
  const instants = wallClock(zone);
  const wall = { instants, names: [...instants.keys()].toSorted((a, b) => a - b) };
  walls.set(zone, wall);
  return wall;
}

/** Whether a calendar day matches the settings: an implementation independent of the evaluator. */
function isWanted({ day, week }: ScheduleSettings, local: Date): boolean {
  const date = local.getUTCDate();
  const weekday = local.getUTCDay() + 1;
  const last = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0)).getUTCDate();
  const isWorkday = (number: number) => {
    const name = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), number)).getUTCDay();
    return number >= 1 && number <= last && name >= 1 && name <= 5;
  };
  switch (day.mode) {
    case DAY_MODE.weeksFrom:
      return weekday >= week.start && (weekday - week.start) % week.increment === 0;
    case DAY_MODE.daysFrom:
      return date >= day.start && (date - day.start) % day.increment === 0;
    case DAY_MODE.weekdays:
      return week.specific.length === 0 || week.specific.includes(weekday);
    case DAY_MODE.days:
      return day.specific.length === 0 || day.specific.includes(date);
    case DAY_MODE.last:
      return date === last;
    case DAY_MODE.lastWorkday:
      return isWorkday(date) && ![1, 2, 3].some((more) => isWorkday(date + more));
    case DAY_MODE.lastWeekday:
      return weekday === day.lastWeekday && date + 7 > last;
    case DAY_MODE.beforeEnd:
      return date === last - day.daysBeforeEnd;
    case DAY_MODE.nearest: {
      const wanted = day.nearestWeekday;
      const nearest = wanted > last ? undefined : [0, -1, 1, -2, 2].map((by) => wanted + by).find(isWorkday);
      return date === nearest;
    }
    case DAY_MODE.nth:
      return weekday === week.nthDay && Math.ceil(date / 7) === week.nth;
    default:
      return true;
  }
}

/** All runs of five years, found by walking through local time. */
function bruteForce(settings: ScheduleSettings, zone: string): number[] {
  const wall = wallOf(zone);
  const { hour, minute, month } = settings;
  const hours = hour.mode === 1 ? undefined : hour.specific;
  const runs = new Set<number>();
  for (let local = FROM - DAY_MS; local < TO + DAY_MS; local += QUARTER_MS) {
    const at = new Date(local);
    if (local % DAY_MS === 0 && !isWanted(settings, at)) {
      local += DAY_MS - QUARTER_MS;
      continue;
    }
    if (hours?.includes(at.getUTCHours()) === false || !minute.specific.includes(at.getUTCMinutes())) continue;
    if (month.mode !== 1 && !month.specific.includes(at.getUTCMonth() + 1)) continue;
    const instants = wall.instants.get(local) ?? [];
    if (hours === undefined) instants.forEach((instant) => runs.add(instant));
    else if (instants[0] !== undefined) runs.add(instants[0]);
    else {
      const after = wall.names.find((other) => other > local);
      const first = after === undefined ? undefined : wall.instants.get(after)?.[0];
      if (first !== undefined) runs.add(first);
    }
  }
  return [...runs].filter((run) => run > FROM && run < TO).toSorted((a, b) => a - b);
}

const some = (low: number, high: number, max: number) =>
  fc.uniqueArray(fc.integer({ min: low, max: high }), { minLength: 1, maxLength: max });

const anySettings = (mode: number) =>
  fc
    .record({
      hours: fc.oneof(fc.constant(undefined), some(0, 4, 2), some(0, 23, 2)),
      minutes: fc.uniqueArray(fc.constantFrom(0, 15, 30, 45), { minLength: 1, maxLength: 2 }),
      months: fc.oneof(fc.constant(undefined), some(1, 12, 4)),
      weekdays: some(1, 7, 4),
      days: some(1, 31, 4),
      one: fc.integer({ min: 1, max: 31 }),
      other: fc.integer({ min: 1, max: 31 }),
      weekday: fc.integer({ min: 1, max: 7 }),
      step: fc.integer({ min: 1, max: 7 }),
      nth: fc.integer({ min: 1, max: 5 }),
    })
    .map(({ hours, minutes, months, weekdays, days, one, other, weekday, step, nth }): ScheduleSettings => {
      const base = defaultSettings(2024);
      return {
        ...base,
        second: { ...base.second, mode: 3, specific: [0] },
        minute: { ...base.minute, mode: 3, specific: minutes },
        // Hourly schedules are combined with rare days only, which limits a case to a few thousand runs.
        hour: hours === undefined && mode > 4 ? base.hour : { ...base.hour, mode: 3, specific: hours ?? [2] },
        day: {
          ...base.day,
          mode,
          specific: days,
          start: one,
          increment: other,
          lastWeekday: weekday,
          daysBeforeEnd: one,
          nearestWeekday: one,
        },
        week: { ...base.week, specific: weekdays, start: weekday, increment: step, nthDay: weekday, nth },
        month: months === undefined ? base.month : { ...base.month, mode: 3, specific: months },
      };
    });

describe('the evaluator agrees with walking the clock on the wall through five years', () => {
  it.each([
    ['S-391', 1],
    ['S-392', 2],
    ['S-393', 3],
    ['S-394', 4],
    ['S-395', 5],
    ['S-396', 6],
    ['S-397', 7],
    ['S-398', 8],
    ['S-399', 9],
    ['S-400', 10],
    ['S-401', 11],
  ])('%s: day mode %i', (_statement, mode) => {
    fc.assert(
      fc.property(anySettings(mode), fc.constantFrom(...ZONES), (settings, zone) => {
        const schedule = parseSchedule(expressionOf(settings));
        const runs: number[] = [];
        for (let run = nextRun(schedule, FROM, zone); run !== undefined && run < TO; run = nextRun(schedule, run, zone)) runs.push(run);
        expect(runs).toEqual(bruteForce(settings, zone));
      }),
      { numRuns: 8, seed: 20261121, endOnFailure: true },
    );
  });
});

const at = (text: string) => new Date(text).getTime();
const local = (expression: string, after: string, zone: string) => {
  const run = nextRun(parseSchedule(expression), at(after), zone);
  return run === undefined ? undefined : new Date(run).toISOString();
};

test('a run at a skipped local time happens once, at the end of the gap', () => {
  const runs = nextRuns(parseSchedule('0 0,30 2 28 3 ? 2027'), at('2027-03-28T00:00:00+01:00'), 'Europe/Berlin', 9);
  expect(runs.map((run) => new Date(run).toISOString())).toEqual(['2027-03-28T01:00:00.000Z']);
});

test('a run at a repeated local time happens at its first occurrence', () => {
  const runs = nextRuns(parseSchedule('0 30 2 31 10 ? 2027'), at('2027-10-30T22:00:00Z'), 'Europe/Berlin', 9);
  expect(runs.map((run) => new Date(run).toISOString())).toEqual(['2027-10-31T00:30:00.000Z']);
  expect(local('0 30 2 31 10 ? 2027', '2027-10-31T00:40:00Z', 'Europe/Berlin')).toBeUndefined();
});

test('a schedule for every hour follows elapsed time through both clock changes', () => {
  const every = parseSchedule('0 0/30 * * * ? *');
  for (const start of ['2027-03-28T00:00:00Z', '2027-10-31T00:00:00Z']) {
    const runs = nextRuns(every, at(start), 'Europe/Berlin', 8);
    expect(runs).toEqual(Array.from({ length: 8 }, (_, index) => at(start) + (index + 1) * 1_800_000));
  }
});

test('a run on a skipped calendar day happens at the first instant of the next day', () => {
  expect(local('0 0 12 30 12 ? 2011', '2011-12-29T00:00:00Z', 'Pacific/Apia')).toBe('2011-12-30T10:00:00.000Z');
});

test('seconds of a schedule are respected', () => {
  expect(local('5/20 59 23 31 12 ? *', '2026-12-31T23:59:26Z', 'UTC')).toBe('2026-12-31T23:59:45.000Z');
});

it('S-399: a month that has no such day before its end has no run', () => {
  expect(local('0 0 0 L-30 * ? *', '2027-01-02T00:00:00Z', 'UTC')).toBe('2027-03-01T00:00:00.000Z');
});

test('a schedule that never runs is reported without a long search', () => {
  const before = performance.now();
  expect(local('0 0 0 30 2 ? *', '2026-01-01T00:00:00Z', 'Europe/Berlin')).toBeUndefined();
  expect(local('0 0 0 1 1 ? 2020', '2026-01-01T00:00:00Z', 'Europe/Berlin')).toBeUndefined();
  expect(performance.now() - before).toBeLessThan(1000);
});

describe('each way of a unit', () => {
  const BASE = Date.UTC(2026, 0, 1);
  /** Finer units run once, so that each run is a step of the unit under test. */
  const once: Record<PlainUnit, Partial<Record<PlainUnit, Partial<PlainSettings>>>> = (() => {
    const at = (value: number): Partial<PlainSettings> => ({ mode: MODE.specific, specific: [value] });
    return {
      second: {},
      minute: { second: at(0) },
      hour: { second: at(0), minute: at(0) },
      month: { second: at(0), minute: at(0), hour: at(0) },
      year: { second: at(0), minute: at(0), hour: at(0), month: at(1) },
    };
  })();
  const firstOfMonth = { day: { mode: DAY_MODE.days, specific: [1] } };

  it.each<[statement: string, unit: PlainUnit, change: Partial<PlainSettings>, runs: string[]]>([
    ['S-371', 'second', { mode: 1 }, ['2026-01-01T00:00:01', '2026-01-01T00:00:02']],
    ['S-372', 'minute', { mode: 1 }, ['2026-01-01T00:01:00', '2026-01-01T00:02:00']],
    ['S-373', 'hour', { mode: 1 }, ['2026-01-01T01:00:00', '2026-01-01T02:00:00']],
    ['S-374', 'month', { mode: 1 }, ['2026-02-01T00:00:00', '2026-03-01T00:00:00']],
    ['S-375', 'year', { mode: 1 }, ['2027-01-01T00:00:00', '2028-01-01T00:00:00']],
    [
      'S-376',
      'second',
      { mode: 2, start: 5, increment: 25 },
      ['2026-01-01T00:00:05', '2026-01-01T00:00:30', '2026-01-01T00:00:55', '2026-01-01T00:01:05'],
    ],
    [
      'S-377',
      'minute',
      { mode: 2, start: 10, increment: 20 },
      ['2026-01-01T00:10:00', '2026-01-01T00:30:00', '2026-01-01T00:50:00', '2026-01-01T01:10:00'],
    ],
    [
      'S-378',
      'hour',
      { mode: 2, start: 1, increment: 9 },
      ['2026-01-01T01:00:00', '2026-01-01T10:00:00', '2026-01-01T19:00:00', '2026-01-02T01:00:00'],
    ],
    ['S-379', 'month', { mode: 2, start: 3, increment: 5 }, ['2026-03-01T00:00:00', '2026-08-01T00:00:00', '2027-03-01T00:00:00']],
    ['S-380', 'year', { mode: 2, start: 2027, increment: 2 }, ['2027-01-01T00:00:00', '2029-01-01T00:00:00', '2031-01-01T00:00:00']],
    ['S-381', 'second', { mode: 3, specific: [30, 10] }, ['2026-01-01T00:00:10', '2026-01-01T00:00:30', '2026-01-01T00:01:10']],
    ['S-382', 'minute', { mode: 3, specific: [5] }, ['2026-01-01T00:05:00', '2026-01-01T01:05:00']],
    ['S-383', 'hour', { mode: 3, specific: [18, 6] }, ['2026-01-01T06:00:00', '2026-01-01T18:00:00', '2026-01-02T06:00:00']],
    ['S-384', 'month', { mode: 3, specific: [2, 7] }, ['2026-02-01T00:00:00', '2026-07-01T00:00:00', '2027-02-01T00:00:00']],
    ['S-385', 'year', { mode: 3, specific: [2028, 2030] }, ['2028-01-01T00:00:00', '2030-01-01T00:00:00']],
    ['S-386', 'second', { mode: 4, rangeStart: 58, rangeEnd: 59 }, ['2026-01-01T00:00:58', '2026-01-01T00:00:59', '2026-01-01T00:01:58']],
    ['S-387', 'minute', { mode: 4, rangeStart: 58, rangeEnd: 59 }, ['2026-01-01T00:58:00', '2026-01-01T00:59:00', '2026-01-01T01:58:00']],
    ['S-388', 'hour', { mode: 4, rangeStart: 22, rangeEnd: 23 }, ['2026-01-01T22:00:00', '2026-01-01T23:00:00', '2026-01-02T22:00:00']],
    ['S-389', 'month', { mode: 4, rangeStart: 11, rangeEnd: 12 }, ['2026-11-01T00:00:00', '2026-12-01T00:00:00', '2027-11-01T00:00:00']],
    ['S-390', 'year', { mode: 4, rangeStart: 2028, rangeEnd: 2029 }, ['2028-01-01T00:00:00', '2029-01-01T00:00:00']],
  ])('%s S-370: the %s in %o runs when it says', (_statement, unit, change, wanted) => {
    const base = { ...defaultSettings(2026), ...(unit === 'month' || unit === 'year' ? firstOfMonth : {}) };
    const settings = mergeUnits(base, { ...once[unit], [unit]: change });
    const runs = nextRuns(parseSchedule(expressionOf(settings)), BASE, 'UTC', wanted.length);
    expect(runs.map((at) => new Date(at).toISOString().slice(0, 19))).toEqual(wanted);
  });

  it.each<[statement: string, change: Partial<PlainSettings>, last: string]>([
    ['S-385', { mode: 3, specific: [2028, 2030] }, '2030-01-01T00:00:00'],
    ['S-390', { mode: 4, rangeStart: 2028, rangeEnd: 2029 }, '2029-01-01T00:00:00'],
  ])('%s: the year in %o does not run after its last', (_statement, change, last) => {
    const settings = mergeUnits({ ...defaultSettings(2026), ...firstOfMonth }, { ...once.year, year: change });
    const runs = nextRuns(parseSchedule(expressionOf(settings)), BASE, 'UTC', 10);
    expect(new Date(runs.at(-1) ?? 0).toISOString().slice(0, 19)).toBe(last);
  });
});

/** Settings with some fields of some units changed. */
function mergeUnits(base: object, changes: Partial<Record<PlainUnit, Partial<PlainSettings>>>): ScheduleSettings {
  const units = Object.entries(defaultSettings(2026)).map(([unit, own]) => [
    unit,
    { ...own, ...base[unit as keyof typeof base], ...changes[unit as PlainUnit] },
  ]);
  return Object.fromEntries(units) as ScheduleSettings; // as: the same keys, each with its own fields
}
