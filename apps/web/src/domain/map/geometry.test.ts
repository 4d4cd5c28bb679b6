import { expect, test } from 'vitest';
import { districtOf, graticule, hullOf, spotsOf } from './geometry.ts';

test('a hull contains the corners, but no inner points', () => {
  expect(
    hullOf([
      [0, 0],
      [0, 2],
      [2, 2],
      [2, 0],
      [1, 1],
      [1, 0],
    ]),
  ).toHaveLength(4);
});

test('a district of one transformer is a circle around it', () => {
  const ring = districtOf([[31, 121]], 0.01);
  for (const [lat] of ring) expect(Math.abs(lat - 31)).toBeLessThanOrEqual(0.0101);
  expect(ring.length).toBeGreaterThan(8);
});

test('a graticule has round steps', () => {
  expect(graticule(31.01, 31.09).every((line) => Number.isInteger(Math.round(line * 1e4) / 10))).toBe(true);
});

test('a name yields to those before it: it takes its second position or, if that is taken too, none', () => {
  const at = (x: number, ...ys: number[]) => ({ width: 100, height: 20, spots: ys.map((y) => ({ x, y })) });
  const labels = [at(50, 10, 90), at(120, 12, 92), at(60, 11, 91), at(151, 10, 90)];
  expect(spotsOf(labels)).toEqual([{ x: 50, y: 10 }, { x: 120, y: 92 }, undefined, { x: 151, y: 10 }]);
  expect(spotsOf(labels.slice(0, 1), [{ x: 90, y: 25, width: 30, height: 30 }])).toEqual([{ x: 50, y: 90 }]);
});
