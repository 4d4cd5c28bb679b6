import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commonGrid, isCapturePeriod, type Grid } from './grids.ts';

const DAY_SECONDS = 86_400;
const periods = Array.from({ length: 1440 }, (_, k) => (k + 1) * 60).filter(isCapturePeriod);
const grids = fc.constantFrom(...periods).chain((periodSeconds) =>
  fc.record({
    periodSeconds: fc.constant(periodSeconds),
    leadSeconds: fc.integer({ min: 0, max: periodSeconds / 60 - 1 }).map((k) => 60 * k),
  }),
);
const holds = (grid: Grid, at: number) => at >= grid.leadSeconds && (at - grid.leadSeconds) % grid.periodSeconds === 0;

test('any two grids have a common grid that holds every capture of both within the day', () => {
  fc.assert(
    fc.property(grids, grids, (a, b) => {
      const common = commonGrid(a, b);
      expect(isCapturePeriod(common.periodSeconds)).toBe(true);
      for (const { periodSeconds, leadSeconds } of [a, b])
        for (let at = leadSeconds; at < DAY_SECONDS; at += periodSeconds) if (!holds(common, at)) throw new Error(`${at} s is lost`);
    }),
  );
});

test('a period that leaves captures without a slot is rejected', () => {
  expect([-900, 0, 7, 59, 90, 3601, 7 * 60, 86_401, Number.NaN].filter(isCapturePeriod)).toEqual([]);
  expect([60, 300, 900, 1800, 3600, 86_400].every(isCapturePeriod)).toBe(true);
});

test('the common grid holds the leads of both and is as coarse as possible', () => {
  const gridOf = (periodSeconds: number, leadSeconds: number): Grid => ({ periodSeconds, leadSeconds });
  expect(commonGrid(gridOf(1800, 0), gridOf(3600, 900))).toEqual(gridOf(900, 0));
  expect(commonGrid(gridOf(3600, 1800), gridOf(900, 0))).toEqual(gridOf(900, 0));
  expect(commonGrid(gridOf(3600, 1800), gridOf(1800, 0))).toEqual(gridOf(1800, 0));
});

test('periods without a common grid of whole minutes are refused', () => {
  const gridOf = (periodSeconds: number, leadSeconds = 0): Grid => ({ periodSeconds, leadSeconds });
  expect(() => commonGrid(gridOf(3600), gridOf(90))).toThrow('No common grid of 3600 s and 90 s');
  expect(() => commonGrid(gridOf(3600), gridOf(3600, 30))).toThrow(RangeError);
});
