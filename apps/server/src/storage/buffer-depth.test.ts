import { expect, test } from 'vitest';
import { depthSecondsOf } from './buffer-depth.ts';

const DAY_S = 86_400;

test('the depth of a buffer is its entries times their period, and times the longest day or month for freezes', () => {
  expect(depthSecondsOf('lpa', { entries: 960, periodSeconds: 900 })).toBe(10 * DAY_S);
  expect(depthSecondsOf('energy', { entries: 48, periodSeconds: 0 })).toBe(2 * DAY_S);
  expect(depthSecondsOf('daily', { entries: 40, periodSeconds: 0 })).toBe(40 * DAY_S);
  expect(depthSecondsOf('monthly', { entries: 13, periodSeconds: 0 })).toBe(13 * 31 * DAY_S);
});

test('an unknown number of entries gives no depth, and a maximal one is capped at twenty years', () => {
  expect(depthSecondsOf('lpa', { entries: undefined, periodSeconds: 900 })).toBeUndefined();
  expect(depthSecondsOf('lpa', { entries: 0, periodSeconds: 900 })).toBeUndefined();
  expect(depthSecondsOf('lpa', { entries: 0xffff_ffff, periodSeconds: 900 })).toBe(20 * 366 * DAY_S);
});
