import { expect, test } from 'vitest';
import { fillingOf } from './filling.ts';

const HOUR_MS = 3_600_000;
const history = { nowMs: HOUR_MS, firstDeviceMs: 0, days: [{ got: 40, expected: 100 }], meters: { installed: 0, active: 10 } };

test('the week of a new installation is read in percent of all meters in service', () => {
  expect(fillingOf(history)?.percent).toBe(40);
  expect(fillingOf({ ...history, meters: { installed: 10, active: 10 } })?.percent).toBe(20);
  expect(fillingOf({ ...history, days: [], meters: { installed: 10, active: 0 } })?.percent).toBe(0);
});

test('the time left follows from the pace so far, and is not told while too little is read', () => {
  // 40 % in an hour: the 57 % that are left until the week counts as read take 85.5 minutes.
  expect(fillingOf(history)?.minutesLeft).toBe(86);
  expect(fillingOf({ ...history, days: [{ got: 2, expected: 100 }] })?.minutesLeft).toBeNull();
  expect(fillingOf({ ...history, days: [], meters: { installed: 10, active: 0 } })?.minutesLeft).toBeNull();
});

test('nothing is being filled when the week is read, after a day, and without devices', () => {
  expect(fillingOf({ ...history, days: [{ got: 98, expected: 100 }] })).toBeNull();
  expect(fillingOf({ ...history, nowMs: 25 * HOUR_MS })).toBeNull();
  expect(fillingOf({ ...history, firstDeviceMs: null })).toBeNull();
});
