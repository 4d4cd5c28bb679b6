import { expect, test } from 'vitest';
import { monotonicAt } from '#platform/clock.ts';
import { FlapDetector } from './link-watch.ts';

const MINUTE_MS = 60_000;

test('three changes within ten minutes are reported once, and again only after ten minutes without a change', () => {
  const flaps = new FlapDetector();
  const reportedOf = (...minutes: number[]) => minutes.filter((minute) => flaps.recordChange('1', monotonicAt(minute * MINUTE_MS)));
  expect(reportedOf(0, 3, 6)).toEqual([6]);
  expect(reportedOf(10, 14, 18, 22)).toEqual([]);
  expect(reportedOf(40, 41)).toEqual([]);
  expect(reportedOf(42)).toEqual([42]);
});

test('one reconnect is not unstable, nor are reconnects of several DCUs at the same time', () => {
  const flaps = new FlapDetector();
  for (const dcu of ['1', '2', '3'])
    expect([0, 1].map((minute) => flaps.recordChange(dcu, monotonicAt(minute * MINUTE_MS)))).toEqual([false, false]);
  expect(flaps.recordChange('1', monotonicAt(11 * MINUTE_MS))).toBe(false);
});

test('a change exactly ten minutes ago no longer counts', () => {
  const at = (minutes: number) => monotonicAt(minutes * MINUTE_MS);
  const flaps = new FlapDetector();
  expect([0, 5, 10].map((minute) => flaps.recordChange('1', at(minute)))).toEqual([false, false, false]);
  const others = new FlapDetector();
  expect([0, 5, 9.99].map((minute) => others.recordChange('1', at(minute)))).toEqual([false, false, true]);
});
