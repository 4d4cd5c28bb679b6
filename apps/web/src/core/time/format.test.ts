import { expect, test } from 'vitest';
import { addDays, ageOf, dateTime, daysBetween, elapsed, localDay, useServerTime } from './format.ts';
import { figure, grouped, percent } from './number.ts';

test('moments are written in the zone of the utility', () => {
  useServerTime.setState({ timeZone: 'Asia/Shanghai' });
  expect(dateTime('2026-11-20T16:00:00Z')).toBe('2026-11-21 00:00:00');
  expect(localDay('2026-11-20T15:59:59Z')).toBe('2026-11-20');
});

test('a range counts both of its days', () => {
  expect(daysBetween('2026-11-01', '2026-11-01')).toBe(1);
  expect(daysBetween('2026-10-22', '2026-11-21')).toBe(31);
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
});

test('ages and durations are short, in the language in use', () => {
  expect(ageOf(0, 24_000, 'en-US')).toBe('24 s');
  expect(ageOf(0, 25 * 60_000, 'en-US')).toBe('25 min');
  expect([24_000, 25 * 60_000, 864_000_000].map((now) => ageOf(0, now, 'zh-CN'))).toEqual(['24秒', '25分钟', '10天']);
  expect(elapsed(100_000)).toBe('1:40');
  expect(elapsed(3_723_000)).toBe('1:02:03');
});

test('a hundred per cent means all, never nearly all', () => {
  expect(percent(99_999, 100_000)).toBe('99.99');
  expect(percent(5, 5)).toBe('100.00');
  expect(percent(0, 0)).toBeUndefined();
  expect([percent(1, 18, 1), percent(1, 100_000, 1), percent(0, 18, 1)]).toEqual(['5.6', '0.1', '0.0']);
});

test('serial numbers are grouped by four digits, names are left alone', () => {
  expect(grouped('210400180140')).toBe('2104 0018 0140');
  expect(grouped('DCU26000001')).toBe('DCU26000001');
});

test('a number is grouped, and its minus is as wide as a digit', () => {
  expect(figure(1236)).toBe('1,236');
  expect(figure(-1236.5, 2)).toBe('−1,236.50');
});
