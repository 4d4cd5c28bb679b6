import { expect, test } from 'vitest';
import { inTurns, ringCounts } from './rings.ts';

const USUAL = [
  { unit: 'devices', size: 1 },
  { unit: 'devices', size: 10 },
  { unit: 'percent', size: 1 },
] as const;

test.each([
  [1, [1]],
  [5, [1, 4]],
  [1000, [1, 10, 10, 979]],
  [0, []],
])('%d devices go in rings of one, ten, one per cent and all others', (total, wanted) => {
  expect(ringCounts(total, USUAL)).toEqual(wanted);
});

test('without rings there is one of all', () => {
  expect(ringCounts(7, [])).toEqual([7]);
});

test('the first rings meet as many DCUs as there are', () => {
  const targets = ['A1', 'A2', 'B1', 'B2', 'C1'].map((sn) => ({ sn, dcuId: sn[0] ?? null }));
  expect(inTurns(targets).map((target) => target.sn)).toEqual(['A1', 'B1', 'C1', 'A2', 'B2']);
});
