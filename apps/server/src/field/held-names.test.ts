import { expect, test } from 'vitest';
import { monotonicAt } from '#platform/clock.ts';
import { HeldNames } from './held-names.ts';

const NAME = 'DCU27000001';
const HOST = '192.0.2.7';
const SAME_HOST = '192.0.2.7';
const OTHER_HOST = '192.0.2.8';

/** Held names with an adjustable clock in milliseconds. */
function heldAt(): { held: HeldNames; at(ms: number): void } {
  let now = 0;
  return { held: new HeldNames({ monotonic: () => monotonicAt(now) }), at: (ms) => void (now = ms) };
}

test('a failed name is delayed at its host, twice as long after each failure, and at no other host', () => {
  const { held, at } = heldAt();
  held.failed(NAME, HOST);
  expect([held.isHeld(NAME, SAME_HOST), held.isHeld(NAME, OTHER_HOST)]).toEqual([true, false]);
  at(1000);
  expect(held.isHeld(NAME, SAME_HOST)).toBe(false);
  held.failed(NAME, SAME_HOST);
  at(2999);
  expect(held.isHeld(NAME, HOST)).toBe(true);
  at(3000);
  expect(held.isHeld(NAME, HOST)).toBe(false);
});

test('at the host of the last successful authentication, the delay is at most two seconds', () => {
  const { held, at } = heldAt();
  held.proved(NAME, HOST);
  for (let i = 0; i < 10; i++) held.failed(NAME, SAME_HOST);
  at(2000);
  expect(held.isHeld(NAME, HOST)).toBe(false);
});

test('a change of the archive ends the delay of a name', () => {
  const { held } = heldAt();
  held.failed(NAME, HOST);
  held.failed('XDCU27000001', HOST);
  held.forget(NAME);
  expect([held.isHeld(NAME, HOST), held.isHeld('XDCU27000001', HOST)]).toEqual([false, true]);
});
