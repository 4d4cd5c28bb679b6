import { REFILL_WAITS_MIN } from '@hes/contract/reading/gap.ts';
import { expect, test } from 'vitest';
import { nextTryAfter } from './gaps.ts';

const NOW = Date.parse('2026-11-25T08:00:00Z');
const NIGHT = Date.parse('2026-11-25T18:00:00Z');

test('the wait between attempts grows, up to once a night', () => {
  const tries = REFILL_WAITS_MIN.map((_minutes, attempts) => nextTryAfter(attempts, NOW, NIGHT));
  expect(tries).toEqual(REFILL_WAITS_MIN.map((minutes) => NOW + minutes * 60_000));
  expect(nextTryAfter(REFILL_WAITS_MIN.length, NOW, NIGHT)).toBe(NIGHT);
});
