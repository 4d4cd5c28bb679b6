import { expect, test } from 'vitest';
import { monotonicAt } from './clock.ts';
import { Nonces } from './nonces.ts';
import { RateLimiter } from './rate-limiter.ts';

const movable = () => {
  let ms = 0;
  return { now: () => ms, monotonic: () => monotonicAt(ms), advance: (by: number) => void (ms += by) };
};

test('an empty bucket returns the time to wait, and refills', () => {
  const clock = movable();
  const limiter = new RateLimiter({ burst: 2, perSecond: 0.5 }, clock);
  expect([limiter.take('a'), limiter.take('a'), limiter.take('a'), limiter.take('b')]).toEqual([0, 0, 2, 0]);
  clock.advance(2000);
  expect(limiter.take('a')).toBe(0);
});

test('a nonce can be spent once, and only before it expires', () => {
  const clock = movable();
  const nonces = new Nonces<string>(clock, 2);
  const { nonce } = nonces.issue('what it is for');
  expect([nonces.spend(nonce), nonces.spend(nonce), nonces.spend('other')]).toEqual(['what it is for', undefined, undefined]);
  const old = nonces.issue('late').nonce;
  clock.advance(120_000);
  expect(nonces.spend(old)).toBeUndefined();
});

test('unspent nonces do not accumulate', () => {
  const nonces = new Nonces(movable(), 2);
  const first = nonces.issue(true).nonce;
  for (let i = 0; i < 10_000; i++) nonces.issue(true);
  expect(nonces.spend(first)).toBeUndefined();
});
