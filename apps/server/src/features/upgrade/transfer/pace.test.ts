import { expect, it } from 'vitest';
import { afterOthers, pollAfter, stumbleMs, USUAL_PACE } from './pace.ts';

it('a DCU is left alone the longer, the more others wait for it', () => {
  expect([1, 20, 100].map((waiting) => afterOthers(USUAL_PACE, waiting))).toEqual([250, 2_000, 5_000]);
});

it('a device at work is asked the less often, the longer it takes', () => {
  expect([0, 6_000, 600_000].map((sinceMs) => pollAfter(USUAL_PACE, sinceMs))).toEqual([1_000, 3_000, 10_000]);
});

it('a turn that came to nothing is tried again twice as late each time, within a minute', () => {
  expect([0, 1, 12].map((stumbles) => stumbleMs(USUAL_PACE, stumbles))).toEqual([2_000, 4_000, 60_000]);
});
