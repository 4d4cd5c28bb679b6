import { expect, test } from 'vitest';
import { OUT_OF_RANGE_BIT } from '@hes/contract/states/reading.ts';
import { DAY_MS, splitReading } from './day-rows.ts';

const QUARTER_MS = 900_000;
const FIRST = 20_000;
const UTC_GRID = { leadMs: () => 0 };

/** Captures by day, slot and offset from the slot's start, with values for an int8 and an int4 channel. */
function split(captures: [day: number, slot: number, behindMs: number, wide: number, narrow: number][]) {
  const { rows, dropped, latest } = splitReading(
    {
      meterId: '1',
      dcuId: '1',
      profile: 'lpa',
      periodSeconds: QUARTER_MS / 1000,
      stamps: Float64Array.from(captures, ([day, slot, behind]) => (FIRST + day) * DAY_MS + slot * QUARTER_MS + behind),
      status: Float64Array.from(captures, (_, index) => index),
      channels: [Float64Array.from(captures, ([, , , wide]) => wide), undefined, Float64Array.from(captures, ([, , , , narrow]) => narrow)],
      readAt: (FIRST + 100) * DAY_MS,
      source: 'meter',
      traceId: undefined,
    },
    UTC_GRID,
  );
  const shown = rows.map(({ day, present, status, channels }) => [
    day - FIRST,
    present,
    ...[status, channels[0], channels[2]].map((column) => [...(column?.subarray(0, 3) ?? [])]),
  ]);
  return { shown, dropped, latest, absent: rows.map(({ channels }) => channels[1]) };
}

test('captures that alternate between two days are stored in both, and the last one of a slot wins', () => {
  const { shown, dropped, latest, absent } = split([
    [0, 1, 0, 10, 1],
    [1, 0, 0, 20, 2],
    [0, 2, 0, 30, 3],
    [1, 0, 0, 40, 4],
    [Number.NaN, 0, 0, 50, 5],
    [1, 1, 0, 60, 6],
  ]);
  const none = Number.NaN;
  expect(shown).toEqual([
    [0, 2, [none, 0, 2], [none, 10, 30], [none, 1, 3]],
    [1, 2, [3, 5, none], [40, 60, none], [4, 6, none]],
  ]);
  expect([dropped, latest?.index]).toEqual([1, 5]);
  expect(absent).toEqual([undefined, undefined]);
});

test('a capture after the start of an occupied slot is dropped, and an out-of-range value becomes null and is marked', () => {
  const { shown, dropped } = split([
    [0, 0, 0, 5_000_000_000, 5_000_000_000],
    [0, 0, 7_000, 1, 1],
    [0, 1, 7_000, -3, -3],
  ]);
  const none = Number.NaN;
  expect(shown).toEqual([[0, 2, [OUT_OF_RANGE_BIT, 2, none], [5_000_000_000, -3, none], [none, -3, none]]]);
  expect(dropped).toBe(1);
});
