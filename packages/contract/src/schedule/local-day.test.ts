import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hoursOfLocalDay, instantOfLocal, isRepeated, localDayOf, localHoursUpTo, startOfLocalDay, startOfLocalHour } from './local-day.ts';
import { offsetsOf } from './zone.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const QUARTER_MS = HOUR_MS / 4;

/** Zones with offsets in whole, half and quarter hours, changes by an hour and half an hour, and skipped and repeated midnights and days. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Australia/Adelaide',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Chatham',
  'Pacific/Apia',
  'America/Santiago',
  'America/Havana',
  'Atlantic/Azores',
  'Africa/Cairo',
];
/** Until 2011 St. John's changed its clocks at 00:01, which is not a full quarter of an hour. */
const FIRST_DAY = Date.UTC(2012, 0, 1) / DAY_MS;
const DAYS = 20 * 365;

/** Independent oracle of local time: the formatter of the runtime. */
const walls = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' }),
  ]),
);
const wallOf = (timeZone: string, at: number): string => walls.get(timeZone)?.format(at) ?? '';
const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

const changes = (timeZone: string): number[] => {
  const offset = offsetsOf(timeZone);
  return Array.from({ length: DAYS }, (_, i) => FIRST_DAY + i).filter((day) => offset(day * DAY_MS) !== offset((day + 1) * DAY_MS));
};
/** Half of the samples lie near a clock change, where errors are most likely. */
const cases = fc.constantFrom(...ZONES).chain((timeZone) => {
  const near = changes(timeZone).flatMap((day) => [day - 1, day, day + 1]);
  const any = fc.integer({ min: FIRST_DAY, max: FIRST_DAY + DAYS });
  return fc.tuple(fc.constant(timeZone), near.length === 0 ? any : fc.oneof(fc.constantFrom(...near), any));
});
const RUNS = { numRuns: 300 };

test('every quarter of an hour belongs to exactly one local day, the one of its local time', () => {
  fc.assert(
    fc.property(cases, ([timeZone, day]) => {
      const offset = offsetsOf(timeZone);
      const [begins, ends] = [startOfLocalDay(offset, day), startOfLocalDay(offset, day + 1)];
      expect(wallOf(timeZone, begins - 1).slice(0, 10) < dayText(day)).toBe(true);
      expect(wallOf(timeZone, ends).slice(0, 10) >= dayText(day + 1)).toBe(true);
      for (let at = begins; at < ends; at += QUARTER_MS) {
        expect(wallOf(timeZone, at).slice(0, 10)).toBe(dayText(day));
        expect(localDayOf(offset, at)).toBe(day);
      }
    }),
    RUNS,
  );
});

test('the hours of a local day are contiguous, start at hh:00 or at a change, and contain only times with their hour', () => {
  fc.assert(
    fc.property(cases, ([timeZone, day]) => {
      const offset = offsetsOf(timeZone);
      const hours = hoursOfLocalDay(offset, day);
      const [begins, ends] = [startOfLocalDay(offset, day), startOfLocalDay(offset, day + 1)];
      expect(hours.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(ends - begins);
      let at = begins;
      for (const { from, to } of hours) {
        expect(from).toBe(at);
        const isChange = offset(from - 1) !== offset(from);
        if (!isChange) expect(wallOf(timeZone, from).slice(14)).toBe('00:00');
        for (let quarter = from; quarter < to; quarter += QUARTER_MS) {
          expect(wallOf(timeZone, quarter).slice(0, 13)).toBe(wallOf(timeZone, from).slice(0, 13));
          expect(startOfLocalHour(offset, quarter)).toBe(from);
          expect(startOfLocalHour(offset, quarter + QUARTER_MS - 1)).toBe(from);
        }
        at = to;
      }
      if (ends - begins === DAY_MS && offset(begins) === offset(ends)) expect(hours).toHaveLength(24);
    }),
    RUNS,
  );
});

test.each([
  ['UTC', '2026-03-29', 24, 24],
  ['Europe/Berlin', '2026-03-29', 23, 23],
  ['Europe/Berlin', '2026-10-25', 25, 25],
  ['Asia/Kolkata', '2026-03-29', 24, 24],
  ['Asia/Kathmandu', '2026-03-29', 24, 24],
  ['Australia/Adelaide', '2026-04-05', 25, 25],
  ['Australia/Lord_Howe', '2026-04-05', 25, 24.5],
  ['Australia/Lord_Howe', '2026-10-04', 24, 23.5],
  ['America/St_Johns', '2026-11-01', 25, 25],
  // The changes at 2:45 and 3:45 split the hours around them.
  ['Pacific/Chatham', '2026-09-27', 24, 23],
  ['Pacific/Chatham', '2026-04-05', 26, 25],
  ['Asia/Tehran', '2022-03-22', 23, 23],
  ['America/Santiago', '2026-09-06', 23, 23],
  ['Atlantic/Azores', '2026-10-25', 25, 25],
  ['Pacific/Apia', '2011-12-29', 24, 24],
  ['Pacific/Apia', '2011-12-30', 0, 0],
  ['Pacific/Apia', '2011-12-31', 24, 24],
])('in %s the day %s has %d hours, %d long together', (timeZone, day, count, long) => {
  const hours = hoursOfLocalDay(offsetsOf(timeZone), Date.parse(day) / DAY_MS);
  expect(hours).toHaveLength(count);
  expect(hours.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(long * HOUR_MS);
});

test('the last hours up to an instant are those of their days', () => {
  fc.assert(
    fc.property(cases, fc.nat({ max: DAY_MS }), ([timeZone, day], after) => {
      const offset = offsetsOf(timeZone);
      const at = startOfLocalDay(offset, day) + after;
      const known = [-2, -1, 0, 1, 2].flatMap((k) => hoursOfLocalDay(offset, day + k)).filter(({ from }) => from <= at);
      expect(localHoursUpTo(offset, at, 24)).toEqual(known.slice(-24));
    }),
    RUNS,
  );
});

test('a local time is its first instant, and only the second occurrence is repeated', () => {
  fc.assert(
    fc.property(cases, fc.nat({ max: 95 }), ([timeZone, day], quarter) => {
      const offset = offsetsOf(timeZone);
      const local = day * DAY_MS + quarter * QUARTER_MS;
      const shown = Array.from({ length: 4 * 72 }, (_, k) => local - 36 * HOUR_MS + k * QUARTER_MS).filter(
        (at) => at + offset(at) === local,
      );
      const [first, ...later] = shown;
      if (first === undefined) return;
      expect(instantOfLocal(offset, local)).toBe(first);
      expect(isRepeated(offset, first)).toBe(false);
      expect(later.every((at) => isRepeated(offset, at))).toBe(true);
    }),
    RUNS,
  );
});
