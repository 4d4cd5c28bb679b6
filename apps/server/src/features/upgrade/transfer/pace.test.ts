import { expect, it } from 'vitest';
import { backOffDelay, pollDelay, USUAL_PACE, yieldDelay } from './pace.ts';

it('the delay grows with the number of more urgent items', () => {
  expect([1, 20, 100].map((waiting) => yieldDelay(USUAL_PACE, waiting))).toEqual([250, 2_000, 5_000]);
});

it('the polling interval grows with the time that a device is busy', () => {
  expect([0, 6_000, 600_000].map((sinceMs) => pollDelay(USUAL_PACE, sinceMs))).toEqual([1_000, 3_000, 10_000]);
});

it('each consecutive failure doubles the delay, up to a minute', () => {
  expect([0, 1, 12].map((failures) => backOffDelay(USUAL_PACE, failures))).toEqual([2_000, 4_000, 60_000]);
});
