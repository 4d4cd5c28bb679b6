import { expect, test } from 'vitest';
import { hoursOnline, shareOnline } from './hours-online.ts';

const HOUR = 3_600_000;
const now = 100 * HOUR + 20 * 60_000;

test('the hour under way is judged by the minutes that are over', () => {
  const hours = hoursOnline([60, 60, 20], 0, now);
  expect(hours.map((hour) => hour.state)).toEqual(['good', 'good', 'good']);
  expect(shareOnline(hours)).toBe('100.0');
});

test('before it was registered an hour is unknown, without contact it is off, with a hole it is a gap', () => {
  const hours = hoursOnline([null, 0, 30, 20], 98 * HOUR, now);
  expect(hours.map((hour) => hour.state)).toEqual(['unknown', 'off', 'gap', 'good']);
});
