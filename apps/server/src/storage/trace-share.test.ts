import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from 'vitest';
import { beginOfTrace, isInShare } from './trace-share.ts';

test('the share of kept traces is that of the setting, and the same at every question', () => {
  const ids = Array.from({ length: 20_000 }, () => randomUUIDv7());
  const kept = (percent: number) => ids.filter((id) => isInShare(id, percent));
  expect([kept(0).length, kept(100).length]).toEqual([0, ids.length]);
  const tenth = kept(10).length / ids.length;
  expect(tenth).toBeGreaterThan(0.08);
  expect(tenth).toBeLessThan(0.12);
  // A larger share contains the smaller one.
  expect(kept(10).every((id) => isInShare(id, 20))).toBe(true);
});

test('the id of a trace tells when its dialogue began', () => {
  const before = Date.now();
  const begun = beginOfTrace(randomUUIDv7()) ?? 0;
  expect(begun).toBeGreaterThanOrEqual(before);
  expect(begun).toBeLessThanOrEqual(Date.now());
  expect(beginOfTrace('123e4567-e89b-42d3-a456-426614174000')).toBeUndefined();
});
