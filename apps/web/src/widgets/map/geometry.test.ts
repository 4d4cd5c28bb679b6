import { expect, test } from 'vitest';
import { districtOf, graticule, hullOf } from './geometry.ts';

test('a hull has the corners and not what lies between them', () => {
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
