import { expect, test } from 'vitest';
import { parseSchedule } from './expression.ts';
import { daysBetweenRuns } from './period.ts';

const AT = Date.parse('2026-03-20T00:00:00Z');
const daysOf = (expression: string, timeZone = 'Europe/Berlin') => daysBetweenRuns(parseSchedule(expression), AT, timeZone);

test('a schedule of every day, or of one weekday, has a period in days, across a change of clocks, too', () => {
  expect(daysOf('0 30 1 * * ? *')).toBe(1);
  expect(daysOf('0 30 1 ? * 2 *')).toBe(7);
});

test('a schedule of hours, of some weekdays, of days of a month, or one that ends soon has none', () => {
  for (const expression of ['0 0 * * * ? *', '0 30 1 ? * 2,4 *', '0 30 1 1/3 * ? *', '0 30 1 1 * ? *', '0 30 1 31 12 ? 2026'])
    expect(daysOf(expression)).toBeUndefined();
});
