import { expect, test } from 'vitest';
import { fillingPercent } from './filling.ts';

const HOUR_MS = 3_600_000;
const history = { nowMs: HOUR_MS, firstDeviceMs: 0, days: [{ got: 40, expected: 100 }], meters: { installed: 0, active: 10 } };

test('the week of a new installation is read in percent of all meters in service', () => {
  expect(fillingPercent(history)).toBe(40);
  expect(fillingPercent({ ...history, meters: { installed: 10, active: 10 } })).toBe(20);
  expect(fillingPercent({ ...history, days: [], meters: { installed: 10, active: 0 } })).toBe(0);
});

test('nothing is being filled when the week is read, after a day, and without devices', () => {
  expect(fillingPercent({ ...history, days: [{ got: 98, expected: 100 }] })).toBeNull();
  expect(fillingPercent({ ...history, nowMs: 25 * HOUR_MS })).toBeNull();
  expect(fillingPercent({ ...history, firstDeviceMs: null })).toBeNull();
});
