import { expect, it } from 'vitest';
import { cellsOf, MAX_CELLS } from './block-map.ts';

it('gives each block a cell as long as they fit', () => {
  expect(cellsOf('')).toEqual([]);
  expect(cellsOf('101')).toEqual([
    { first: 0, count: 1, done: 1 },
    { first: 1, count: 1, done: 0 },
    { first: 2, count: 1, done: 1 },
  ]);
});

it('shares cells among many blocks and loses none', () => {
  const cells = cellsOf('1'.repeat(1500) + '0'.repeat(501));
  expect(cells.length).toBeLessThanOrEqual(MAX_CELLS);
  expect(cells.reduce((sum, { count }) => sum + count, 0)).toBe(2001);
  expect(cells.reduce((sum, { done }) => sum + done, 0)).toBe(1500);
});
