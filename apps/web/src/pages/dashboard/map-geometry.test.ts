// @vitest-environment node
import { expect, test } from 'vitest';
import { districtOf, graticule, hullOf } from '#widgets/map/geometry.ts';
import { loadNow } from './load.ts';

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

test('the load of now is the newest slot that has a value, against the same slot of yesterday', () => {
  expect(loadNow([100, 110, null, null], [80, 100, 90, 90])).toEqual({ kw: 110, time: '00:15', change: 0.1 });
  expect(loadNow([null], [1])).toBeUndefined();
});
