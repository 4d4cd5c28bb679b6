import { expect, test } from 'vitest';
import { clusterAt } from './cluster.ts';
import { RIVER_M, townOf, type TownPlace } from './town.ts';

const places: TownPlace[] = ['Old Town', 'Harbour', 'North Bank'].flatMap((quarter, q) =>
  [0, 1, 2, 3].map((at) => ({
    quarter,
    longitude: 120.85 + q * 0.021 + (at % 2) * 0.012,
    latitude: 31.34 + q * 0.012 + (at >> 1) * 0.008,
  })),
);
const METRES_PER_DEGREE = 111_320;

test('equal places in any order make equal towns, and other places another one', () => {
  expect(townOf(places.toReversed())).toEqual(townOf(places));
  expect(townOf(places.map((place) => ({ ...place, longitude: place.longitude * 1.0001 })))).not.toEqual(townOf(places));
  expect(townOf(places.slice(0, 1))).toBeUndefined();
});

test('a town has a river that runs past all places, roads between its quarters, and streets around each place', () => {
  const town = townOf(places);
  expect(town?.mainRoads.length).toBeGreaterThanOrEqual(2);
  expect(town?.parks).toHaveLength(3);
  for (const { longitude, latitude } of places) {
    const far = ([lat, lng]: readonly [number, number]) =>
      Math.hypot(lat - latitude, (lng - longitude) * Math.cos((latitude * Math.PI) / 180)) * METRES_PER_DEGREE;
    expect(Math.min(...(town?.river.map(far) ?? []))).toBeGreaterThan(RIVER_M / 2);
    expect(Math.min(...(town?.streets.flat().map(far) ?? []))).toBeLessThan(600);
  }
});

interface Marker {
  longitude: number;
  latitude: number;
  count: number;
}
const join = (a: Marker, b: Marker): Marker => ({
  longitude: (a.longitude * a.count + b.longitude * b.count) / (a.count + b.count),
  latitude: (a.latitude * a.count + b.latitude * b.count) / (a.count + b.count),
  count: a.count + b.count,
});
const sizeOf = ({ count }: Marker): number => 28 + Math.min(18, count);
const pixelsApart = (a: Marker, b: Marker, zoom: number): number =>
  (Math.hypot(a.longitude - b.longitude, (a.latitude - b.latitude) / Math.cos((a.latitude * Math.PI) / 180)) * 256 * 2 ** zoom) / 360;

test('markers that would overlap become one with their sum; at no zoom do two collide', () => {
  const markers = places.map(({ longitude, latitude }) => ({ longitude, latitude, count: 1 }));
  for (let zoom = 8; zoom <= 16; zoom += 0.25) {
    const clusters = clusterAt(markers, zoom, { join, sizeOf });
    expect(clusters.reduce((sum, { count }) => sum + count, 0)).toBe(markers.length);
    for (const [at, one] of clusters.entries())
      for (const other of clusters.slice(at + 1))
        expect(pixelsApart(one, other, zoom)).toBeGreaterThan((sizeOf(one) + sizeOf(other)) / 2 - 0.5);
  }
  expect(clusterAt(markers, 8, { join, sizeOf })).toHaveLength(1);
  expect(clusterAt(markers, 16, { join, sizeOf })).toHaveLength(markers.length);
});
