import { expect, test } from 'vitest';
import { monotonicAt } from './clock.ts';
import { RateLimiter } from './rate-limiter.ts';

const movable = () => {
  let ms = 0;
  return { monotonic: () => monotonicAt(ms), advance: (by: number) => void (ms += by) };
};

test('an empty bucket returns the time to wait, and refills', () => {
  const clock = movable();
  const limiter = new RateLimiter({ burst: 2, perSecond: 0.5 }, clock);
  expect([limiter.take('a'), limiter.take('a'), limiter.take('a'), limiter.take('b')]).toEqual([0, 0, 2, 0]);
  clock.advance(2000);
  expect(limiter.take('a')).toBe(0);
});

test('several head-ends permit a share each, which follows their number', () => {
  const clock = movable();
  let living = 3;
  const limiter = new RateLimiter({ burst: 6, perSecond: 3 }, clock, () => living);
  expect([limiter.take('a'), limiter.take('a'), limiter.take('a')]).toEqual([0, 0, 1]);
  // Two others die: the whole limit is that of this one.
  living = 1;
  clock.advance(2000);
  expect([limiter.take('a', 6), limiter.take('a')]).toEqual([0, 1]);
});
