import { expect, test } from 'vitest';
import { downsample } from './downsample.ts';

const times = Array.from({ length: 20_000 }, (_, index) => index * 900);

test('of twenty thousand points every peak and every gap is still there', () => {
  const flat: (number | null)[] = times.map(() => 1);
  flat[7123] = 99;
  flat[15_001] = -50;
  const other = times.map((_, index) => Math.sin(index / 100));
  for (let at = 3000; at < 4000; at++) other[at] = Number.NaN;
  const gaps = other.map((value) => (Number.isNaN(value) ? null : value));
  const few = downsample({ times, rows: [flat, gaps] }, 4000);
  expect(few.times.length).toBeLessThan(5000);
  expect([Math.max(...few.rows[0]!.map((value) => value ?? 0)), Math.min(...few.rows[0]!.map((value) => value ?? 0))]).toEqual([99, -50]); // !: the function returns as many rows as it gets
  expect(few.rows[1]).toContain(null);
  expect(few.times).toEqual(few.times.toSorted((a, b) => a - b));
  expect([few.times[0], few.times.at(-1)]).toEqual([times[0], times.at(-1)]);
});

test('a short chart is left alone', () => {
  const columns = { times: [1, 2], rows: [[1, null]] };
  expect(downsample(columns, 100)).toEqual(columns);
});
