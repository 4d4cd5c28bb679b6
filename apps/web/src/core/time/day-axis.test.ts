import { hoursOfLocalDay, startOfLocalDay } from '@hes/contract/schedule/local-day.ts';
import { offsetsOf } from '@hes/contract/schedule/zone.ts';
import { afterEach, expect, test } from 'vitest';
import { dayTicks } from '#kit/chart/day-ticks.ts';
import { dayAxis, onAxis, sparseHour } from './day-axis.ts';
import { instantOf, startOfDay, useServerTime, wallTime } from './format.ts';

const DAY_MS = 86_400_000;
const SLOT_MS = 900_000;

afterEach(() => useServerTime.setState({ timeZone: 'UTC' }));

const slotsOf = (timeZone: string, day: string): number[] => {
  const number = Date.parse(day) / DAY_MS;
  const [begins, ends] = [startOfLocalDay(offsetsOf(timeZone), number), startOfLocalDay(offsetsOf(timeZone), number + 1)];
  return Array.from({ length: (ends - begins) / SLOT_MS }, (_, k) => begins + k * SLOT_MS);
};

test.each([
  ['UTC', '2025-06-10', 96],
  ['Asia/Kolkata', '2025-06-10', 96],
  ['Asia/Kathmandu', '2025-06-10', 96],
  ['Europe/Berlin', '2025-10-26', 100],
  ['Europe/Berlin', '2025-03-30', 96],
  ['Australia/Lord_Howe', '2025-04-06', 98],
  ['Australia/Lord_Howe', '2025-10-05', 96],
  ['America/St_Johns', '2025-11-02', 100],
  ['Pacific/Chatham', '2025-04-06', 100],
  ['Atlantic/Azores', '2025-10-26', 100],
])('in %s the day %s and the one before share an axis of %d places, on which each slot of both stands once', (timeZone, day, places) => {
  useServerTime.setState({ timeZone });
  const before = new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10);
  for (const days of [
    [slotsOf(timeZone, day), slotsOf(timeZone, before)],
    [slotsOf(timeZone, before), slotsOf(timeZone, day)],
  ]) {
    const axis = dayAxis(days);
    expect(axis).toHaveLength(places);
    for (const slots of days) expect(onAxis(axis, slots, (at) => at).filter((at) => at !== null)).toEqual(slots);
    expect(dayTicks(axis).map((place) => axis[place] ?? '24:00')).toEqual(['00:00', '04:00', '08:00', '12:00', '16:00', '20:00', '24:00']);
  }
});

test.each([
  ['Asia/Kolkata', '2025-06-10', 24],
  ['Europe/Berlin', '2025-10-26', 25],
  ['Europe/Berlin', '2025-03-30', 23],
])('in %s the hours of %s have %d names, and every third full hour is written', (timeZone, day, count) => {
  useServerTime.setState({ timeZone });
  const names = hoursOfLocalDay(offsetsOf(timeZone), Date.parse(day) / DAY_MS).map(({ from }) => wallTime(from));
  expect(new Set(names).size).toBe(count);
  expect(names.map(sparseHour).filter((text) => text !== '')).toEqual(['00', '03', '06', '09', '12', '15', '18', '21']);
});

test('the second of two hours of one name says which it is', () => {
  useServerTime.setState({ timeZone: 'Europe/Berlin' });
  expect(['2025-10-26T00:15:00Z', '2025-10-26T01:15:00Z'].map((at) => wallTime(Date.parse(at)))).toEqual(['02:15', '02:15 +01:00']);
  useServerTime.setState({ timeZone: 'America/St_Johns' });
  expect(wallTime(Date.parse('2025-11-02T04:35:00Z'))).toBe('01:05 -03:30');
});

test('typed times are local times of the utility, on days of 23 and 25 hours too', () => {
  useServerTime.setState({ timeZone: 'Europe/Berlin' });
  expect(instantOf('2025-10-26T12:00')).toBe('2025-10-26T11:00:00.000Z');
  expect(instantOf('2025-03-30 12:00')).toBe('2025-03-30T10:00:00.000Z');
  expect(instantOf('')).toBeUndefined();
  useServerTime.setState({ timeZone: 'America/Santiago' });
  expect(startOfDay('2025-09-07')).toBe('2025-09-07T04:00:00.000Z');
  useServerTime.setState({ timeZone: 'Atlantic/Azores' });
  expect(startOfDay('2025-10-26')).toBe('2025-10-26T00:00:00.000Z');
});
