import { usualRings } from '@hes/contract/upgrade/job.ts';
import { expect, test } from 'vitest';
import { interleaveByDcu, ringCounts } from './rings.ts';

test.each([
  [0, []],
  [1, [1]],
  [2, [1, 1]],
  [5, [1, 2, 2]],
  [38, [1, 4, 12, 21]],
  [1000, [10, 100, 300, 590]],
  [4005, [10, 401, 1202, 2392]],
])('%d devices without chosen rings go into growing rings: %j', (total, wanted) => {
  expect(ringCounts(total, usualRings(total))).toEqual(wanted);
});

test('usual rings of any fleet begin with a few devices, grow until the rest, and miss none', () => {
  for (let total = 1; total <= 3000; total += 1) {
    const counts = ringCounts(total, usualRings(total));
    const named = counts.slice(0, -1);
    expect(counts[0]).toBeLessThanOrEqual(Math.max(1, Math.ceil(total / 100)));
    expect(
      named.every((count, at) => at === 0 || count > (named[at - 1] ?? 0)),
      String(total),
    ).toBe(true);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total);
  }
});

test('without rings there is one of all', () => {
  expect(ringCounts(7, [])).toEqual([7]);
});

test('the first rings meet as many DCUs as there are', () => {
  const targets = ['A1', 'A2', 'B1', 'B2', 'C1'].map((sn) => ({ sn, dcuId: sn[0] ?? null }));
  expect(interleaveByDcu(targets).map((target) => target.sn)).toEqual(['A1', 'B1', 'C1', 'A2', 'B2']);
});
