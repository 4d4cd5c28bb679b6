import { expect, test } from 'vitest';
import { countFailure, lockedMinutes, NO_FAILURES, type Failures } from './lock-out.ts';

const MINUTE_MS = 60_000;
const after = (times: number[]): Failures =>
  times.reduce((failures: Failures, minute) => countFailure(failures, minute * MINUTE_MS), NO_FAILURES);

test('five wrong passwords within 15 minutes lock for 15 minutes', () => {
  const failures = after([1, 2, 3, 4, 5]);
  expect(lockedMinutes(failures, 5 * MINUTE_MS)).toBe(15);
  expect(lockedMinutes(failures, 19.5 * MINUTE_MS)).toBe(1);
  expect(lockedMinutes(failures, 20 * MINUTE_MS)).toBe(0);
});

test('four wrong passwords do not lock, and older ones expire', () => {
  expect(lockedMinutes(after([1, 2, 3, 4]), 4 * MINUTE_MS)).toBe(0);
  expect(after([1, 2, 3, 4, 17])).toEqual({ count: 1, since: new Date(17 * MINUTE_MS) });
});
