import { expect, test } from 'vitest';
import { parseSchedule } from './expression.ts';
import { secondsBetweenRuns } from './period.ts';

const HOUR = 3600;
const AT = Date.parse('2026-03-20T00:00:00Z');
const secondsOf = (expression: string, timeZone = 'Europe/Berlin') => secondsBetweenRuns(parseSchedule(expression), AT, timeZone);

test('a daily or weekly schedule has a period in days, including across a clock change', () => {
  expect(secondsOf('0 30 1 * * ? *')).toBe(24 * HOUR);
  expect(secondsOf('0 30 1 ? * 2 *')).toBe(7 * 24 * HOUR);
});

test('an hourly schedule, or one with a divisor of the day, has a period in elapsed time, down to a quarter of an hour', () => {
  expect(secondsOf('0 5 * * * ? *')).toBe(HOUR);
  expect(secondsOf('0 0 0/6 * * ? *', 'Asia/Shanghai')).toBe(6 * HOUR);
  expect(secondsOf('0 0/15 * * * ? *')).toBe(HOUR / 4);
  expect(secondsOf('0 0/10 * * * ? *')).toBeUndefined();
});

test('a schedule that pauses at night, of several weekdays, of days of a month, or one that ends soon has no period', () => {
  for (const expression of [
    '0 0 5-23 * * ? *',
    '0 0 0/7 * * ? *',
    '0 30 1 ? * 2,4 *',
    '0 30 1 1/3 * ? *',
    '0 30 1 1 * ? *',
    '0 30 1 31 12 ? 2026',
  ])
    expect(secondsOf(expression)).toBeUndefined();
});
