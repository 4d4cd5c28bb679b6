import { expect, test } from 'vitest';
import { monotonicAt } from '#platform/clock.ts';
import { Flapping } from './link-watch.ts';

const MINUTE_MS = 60_000;

test('three changes within ten minutes are told once, and again only after ten minutes without any', () => {
  const flapping = new Flapping();
  const told = (...minutes: number[]) => minutes.filter((minute) => flapping.changed('1', monotonicAt(minute * MINUTE_MS)));
  expect(told(0, 3, 6)).toEqual([6]);
  expect(told(10, 14, 18, 22)).toEqual([]);
  expect(told(40, 41)).toEqual([]);
  expect(told(42)).toEqual([42]);
});

test('a DCU that leaves and comes back is not unstable, nor are several that do so at once', () => {
  const flapping = new Flapping();
  for (const dcu of ['1', '2', '3'])
    expect([0, 1].map((minute) => flapping.changed(dcu, monotonicAt(minute * MINUTE_MS)))).toEqual([false, false]);
  expect(flapping.changed('1', monotonicAt(11 * MINUTE_MS))).toBe(false);
});
