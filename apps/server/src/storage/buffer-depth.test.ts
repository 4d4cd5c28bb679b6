import { expect, test } from 'vitest';
import { depthSecondsOf } from './buffer-depth.ts';

const DAY_S = 86_400;

test('a buffer reaches back its rows times their period, of what follows the calendar the longest day and month', () => {
  expect(depthSecondsOf('lpa', { entries: 960, periodSeconds: 900 })).toBe(10 * DAY_S);
  expect(depthSecondsOf('energy', { entries: 48, periodSeconds: 0 })).toBe(2 * DAY_S);
  expect(depthSecondsOf('daily', { entries: 40, periodSeconds: 0 })).toBe(40 * DAY_S);
  expect(depthSecondsOf('monthly', { entries: 13, periodSeconds: 0 })).toBe(13 * 31 * DAY_S);
});

test('a meter that does not say has no depth, and one that claims all numbers there are remembers twenty years', () => {
  expect(depthSecondsOf('lpa', { entries: undefined, periodSeconds: 900 })).toBeUndefined();
  expect(depthSecondsOf('lpa', { entries: 0, periodSeconds: 900 })).toBeUndefined();
  expect(depthSecondsOf('lpa', { entries: 0xffff_ffff, periodSeconds: 900 })).toBe(20 * 366 * DAY_S);
});
