import { expect, test } from 'vitest';
import { parseSchedule } from './expression.ts';
import { nextRun as nextRunOf } from './runs.ts';

const nextRun = (expression: string, after: number, timeZone: string) => nextRunOf(parseSchedule(expression), after, timeZone);
const SHANGHAI = 'Asia/Shanghai';
const from = Date.parse('2026-11-21T12:00:00+08:00');
const local = (expression: string, zone = SHANGHAI, after = from) => {
  const run = nextRun(expression, after, zone);
  return run === undefined ? undefined : new Date(run + 8 * 3_600_000).toISOString().slice(0, 19);
};

test.each([
  ['0 0 0 * * ? *', '2026-11-22T00:00:00'],
  ['0 1/15 * * * ? *', '2026-11-21T12:01:00'],
  ['0 0 2 L * ? *', '2026-11-30T02:00:00'],
  ['0 0 2 L-3 * ? *', '2026-11-27T02:00:00'],
  ['0 0 2 15W * ? *', '2026-12-15T02:00:00'],
  ['0 0 2 ? * 6L *', '2026-11-27T02:00:00'],
  ['0 0 2 ? * 2#1 *', '2026-12-07T02:00:00'],
  ['0 0 2 ? * L *', '2026-11-28T02:00:00'],
  ['0 0 0 1 1 ? 2027-2030', '2027-01-01T00:00:00'],
])('%s runs next at %s', (expression, expected) => {
  expect(local(expression)).toBe(expected);
});

test('a schedule whose years are over has no next run', () => {
  expect(nextRun('0 0 0 1 1 ? 2020', from, SHANGHAI)).toBeUndefined();
});

test('text that is no schedule is refused', () => {
  expect(() => nextRun('every day', from, SHANGHAI)).toThrow(RangeError);
  expect(() => nextRun('0 0 25 * * ? *', from, SHANGHAI)).toThrow(RangeError);
});

test('a run in the gap of a spring night happens once, after it', () => {
  const march = Date.parse('2027-03-28T00:00:00+01:00');
  expect(new Date(nextRun('0 30 2 28 3 ? 2027', march, 'Europe/Berlin') ?? 0).toISOString()).toBe('2027-03-28T01:00:00.000Z');
});
