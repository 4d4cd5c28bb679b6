import { expect, test } from 'vitest';
import { parseSchedule } from './expression.ts';
import { secondsBetweenRuns } from './period.ts';

const HOUR = 3600;
const AT = Date.parse('2026-03-20T00:00:00Z');
const secondsOf = (expression: string, timeZone = 'Europe/Berlin') => secondsBetweenRuns(parseSchedule(expression), AT, timeZone);

test('a schedule of every day, or of one weekday, has a period in days, across a change of clocks, too', () => {
  expect(secondsOf('0 30 1 * * ? *')).toBe(24 * HOUR);
  expect(secondsOf('0 30 1 ? * 2 *')).toBe(7 * 24 * HOUR);
});

test('one of every hour, or of every so many that a day is made of, has one by elapsed time; down to a quarter of an hour', () => {
  expect(secondsOf('0 5 * * * ? *')).toBe(HOUR);
  expect(secondsOf('0 0 0/6 * * ? *', 'Asia/Shanghai')).toBe(6 * HOUR);
  expect(secondsOf('0 0/15 * * * ? *')).toBe(HOUR / 4);
  expect(secondsOf('0 0/10 * * * ? *')).toBeUndefined();
});

test('a schedule that rests at night, of some weekdays, of days of a month, or one that ends soon has none', () => {
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
