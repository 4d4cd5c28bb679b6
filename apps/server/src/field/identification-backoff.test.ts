import { expect, test } from 'vitest';
import { monotonicAt } from '#platform/clock.ts';
import { IdentificationBackoff } from './identification-backoff.ts';

const NAME = 'DCU27000001';
const HOST = '192.0.2.7';
const SAME_HOST = '192.0.2.7';
const OTHER_HOST = '192.0.2.8';

/** Held names with an adjustable clock in milliseconds. */
function heldAt(): { backoff: IdentificationBackoff; at(ms: number): void } {
  let now = 0;
  return { backoff: new IdentificationBackoff({ monotonic: () => monotonicAt(now) }), at: (ms) => void (now = ms) };
}

test('a failed name is delayed at its host, twice as long after each failure, and at no other host', () => {
  const { backoff, at } = heldAt();
  backoff.recordFailure(NAME, HOST);
  expect([backoff.isDelayed(NAME, SAME_HOST), backoff.isDelayed(NAME, OTHER_HOST)]).toEqual([true, false]);
  at(1000);
  expect(backoff.isDelayed(NAME, SAME_HOST)).toBe(false);
  backoff.recordFailure(NAME, SAME_HOST);
  at(2999);
  expect(backoff.isDelayed(NAME, HOST)).toBe(true);
  at(3000);
  expect(backoff.isDelayed(NAME, HOST)).toBe(false);
});

test('at the host of the last successful authentication, the delay is at most two seconds', () => {
  const { backoff, at } = heldAt();
  backoff.recordSuccess(NAME, HOST);
  for (let i = 0; i < 10; i++) backoff.recordFailure(NAME, SAME_HOST);
  at(2000);
  expect(backoff.isDelayed(NAME, HOST)).toBe(false);
});

test('a change of the archive ends the delay of a name', () => {
  const { backoff } = heldAt();
  backoff.recordFailure(NAME, HOST);
  backoff.recordFailure('XDCU27000001', HOST);
  backoff.clear(NAME);
  expect([backoff.isDelayed(NAME, HOST), backoff.isDelayed('XDCU27000001', HOST)]).toEqual([false, true]);
});
