import { startOfLocalDay } from '@hes/contract/schedule/local-day.ts';
import { offsetsOf } from '@hes/contract/schedule/zone.ts';
import { expect, test } from 'vitest';
import { timeTicks } from './time-ticks.ts';

const DAY_MS = 86_400_000;

const ticksOf = (timeZone: string, day: string, { days = 1, most = 8 } = {}): string[] => {
  const first = Date.parse(day) / DAY_MS;
  const offset = offsetsOf(timeZone);
  const [from, to] = [startOfLocalDay(offset, first) / 1000, startOfLocalDay(offset, first + days) / 1000];
  const wall = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return timeTicks({ from, to, most }, timeZone).map((at) => wall.format(at * 1000).slice(days > 1 ? 5 : 11));
};
const EVEN = ['00:00', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00', '00:00'];

test.each([
  ['UTC', '2025-06-10'],
  ['Asia/Kolkata', '2025-06-10'],
  ['Asia/Kathmandu', '2025-06-10'],
  ['America/St_Johns', '2025-06-10'],
  ['Europe/Berlin', '2025-03-30'],
  ['Australia/Lord_Howe', '2025-04-06'],
  ['Australia/Lord_Howe', '2025-10-05'],
  ['Pacific/Chatham', '2025-06-10'],
])('in %s the axis of the day %s has its marks at full hours of the wall clock', (timeZone, day) => {
  expect(ticksOf(timeZone, day, { most: 9 })).toEqual(EVEN);
});

test('a repeated hour has two marks, a skipped hour none', () => {
  const hours = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => `${String(from + k).padStart(2, '0')}:00`);
  expect(ticksOf('Europe/Berlin', '2025-10-26', { most: 25 })).toEqual([...hours(0, 3), ...hours(2, 24), '00:00']);
  expect(ticksOf('Europe/Berlin', '2025-03-30', { most: 25 })).toEqual([...hours(0, 2), ...hours(3, 24), '00:00']);
});

test('longer times are marked at midnights, also where midnight is an hour later', () => {
  expect(ticksOf('Asia/Kolkata', '2025-06-10', { days: 8, most: 5 })).toEqual([
    '06-10 00:00',
    '06-12 00:00',
    '06-14 00:00',
    '06-16 00:00',
    '06-18 00:00',
  ]);
  expect(ticksOf('America/Santiago', '2025-09-05', { days: 7, most: 4 })).toEqual([
    '09-05 00:00',
    '09-07 01:00',
    '09-09 00:00',
    '09-11 00:00',
  ]);
});
