import { expect, test } from 'vitest';
import { OUT_OF_RANGE_BIT } from '@hes/contract/states/reading.ts';
import { DAY_MS, splitReading, type ProfileReading, type SlotGrid } from './day-rows.ts';

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

const READ_AT = (FIRST + 100) * DAY_MS;
const readingOf = (stamps: number[], values: Partial<ProfileReading> = {}): ProfileReading => ({
  meterId: '1',
  dcuId: '2',
  profile: 'lpa',
  periodSeconds: 900,
  stamps: Float64Array.from(stamps),
  status: undefined,
  channels: [Float64Array.from(stamps, (_, index) => index)],
  readAt: READ_AT,
  source: 'meter',
  traceId: 'trace',
  taskId: '3',
  ...values,
});
const slotsOf = (reading: ProfileReading, grid: SlotGrid = UTC_GRID) =>
  splitReading(reading, grid).rows.map(({ day, leadSeconds, channels }) => [
    day - FIRST,
    leadSeconds,
    [...(channels[0] ?? [])].flatMap((value, slot) => (Number.isNaN(value) ? [] : [[slot, value]])),
  ]);

test('a day in which the offset of the zone changes gives one row per lead, in any order of the captures', () => {
  const at = (hours: number) => FIRST * DAY_MS + hours * 3_600_000;
  const grid = { leadMs: (stamp: number) => (stamp < at(2) ? 0 : 1_800_000) };
  const stamps = [at(0), at(1), at(2.5), at(3.5), at(1.25), at(4.5)];
  expect(slotsOf(readingOf(stamps, { periodSeconds: 3_600 }), grid)).toEqual([
    [0, 0, [[0, 0], [1, 1]]], // prettier-ignore
    [0, 1_800, [[2, 2], [3, 3], [4, 5]]], // prettier-ignore
  ]);
});

test('a capture before the lead of its day belongs to the day before', () => {
  expect(slotsOf(readingOf([FIRST * DAY_MS, FIRST * DAY_MS + 300_000]), { leadMs: () => 300_000 })).toEqual([
    [-1, 300, [[95, 0]]],
    [0, 300, [[0, 1]]],
  ]);
});

test('a row carries the origin of its reading, and no status is 0', () => {
  const { rows } = splitReading(readingOf([FIRST * DAY_MS], { status: Float64Array.of(Number.NaN) }), UTC_GRID);
  expect(rows).toMatchObject([
    { meterId: '1', dcuId: '2', profile: 'lpa', periodSeconds: 900, readAt: READ_AT, source: 'meter', traceId: 'trace', taskId: '3' },
  ]);
  expect(rows[0]?.status[0]).toBe(0);
  expect(rows[0]?.status).toHaveLength(96);
  expect(splitReading(readingOf([FIRST * DAY_MS]), UTC_GRID).rows[0]?.status[0]).toBe(0);
});

test('stamps of a clock that was never set, and those a day ahead of the server, are dropped', () => {
  const never = Date.UTC(2000, 0, 1);
  const ahead = READ_AT + DAY_MS;
  const { rows, dropped, latest } = splitReading(readingOf([never, ahead, ahead - 1, never + QUARTER_MS]), UTC_GRID);
  expect([dropped, rows.map(({ present }) => present), latest]).toEqual([2, [1, 1], { stamp: ahead - 1, index: 2 }]);
  expect(splitReading(readingOf([never]), UTC_GRID)).toEqual({ rows: [], dropped: 1, latest: undefined });
});

test('the newest capture is found in any order, and the first of two with one stamp', () => {
  const newest = (slots: number[]) =>
    splitReading(readingOf(slots.map((slot) => FIRST * DAY_MS + slot * QUARTER_MS)), UTC_GRID).latest?.index;
  expect([newest([2, 1, 0]), newest([0, 1, 2]), newest([1, 1])]).toEqual([0, 2, 0]);
});

test('the largest values of a column are stored, and the next ones are not', () => {
  const largest = 2_147_483_647;
  const { shown } = split([
    [0, 0, 0, Number.MAX_SAFE_INTEGER, largest],
    [0, 1, 0, Number.MAX_SAFE_INTEGER + 1, largest + 1],
    [0, 2, 0, -Number.MAX_SAFE_INTEGER, -largest],
  ]);
  const none = Number.NaN;
  expect(shown).toEqual([
    [0, 3, [0, 1 | OUT_OF_RANGE_BIT, 2], [Number.MAX_SAFE_INTEGER, none, -Number.MAX_SAFE_INTEGER], [largest, none, -largest]],
  ]);
});
