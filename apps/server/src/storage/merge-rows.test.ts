import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { expect, test } from 'vitest';
import type { DayRow } from './day-rows.ts';
import { mergeRows, regridRow } from './merge-rows.ts';

const DAY_S = 86_400;
const NONE = Number.NaN;

/** A day of captures; the first values of status and of the channels, by number. */
function rowOf(
  periodSeconds: number,
  leadSeconds: number,
  status: number[],
  channels: Record<number, number[]>,
  values: Partial<DayRow> = {},
): DayRow {
  const slots = (from: number[]) => Float64Array.from({ length: DAY_S / periodSeconds }, (_, slot) => from[slot] ?? NONE);
  return {
    periodSeconds,
    leadSeconds,
    status: slots(status),
    channels: CHANNELS.map((_, channel) => channels[channel] && slots(channels[channel])),
    present: status.filter((word) => !Number.isNaN(word)).length,
    readAt: 1,
    source: 'meter',
    traceId: 'first',
    taskId: '1',
    ...values,
  } as DayRow; // as: the others are not merged
}
const firstOf = (slots: Float64Array | undefined, count: number) => slots && [...slots.subarray(0, count)];

test('later captures replace earlier ones where they have a value, and their origin is that of the later ones', () => {
  const former = rowOf(3_600, 0, [1, 2, NONE], { 0: [10, 20], 1: [5] });
  const later = rowOf(
    3_600,
    0,
    [NONE, 3, 4],
    { 0: [NONE, 21, 22], 2: [7] },
    { readAt: 2, source: 'push', traceId: 'second', taskId: undefined },
  );
  const merged = mergeRows(former, later);
  expect(firstOf(merged.status, 4)).toEqual([1, 3, 4, NONE]);
  expect([0, 1, 2, 3].map((channel) => firstOf(merged.channels[channel], 3))).toEqual([
    [10, 21, 22],
    [5, NONE, NONE],
    [7, NONE, NONE],
    undefined,
  ]);
  expect(merged).toMatchObject({ present: 3, readAt: 2, source: 'push', traceId: 'second', taskId: undefined });
});

test('a later row without trace keeps the earlier trace', () => {
  const merged = mergeRows(rowOf(3_600, 0, [1], {}), rowOf(3_600, 0, [1], {}, { traceId: undefined }));
  expect(merged.traceId).toBe('first');
});

test('captures of two periods are merged on their common grid, each in the slot of its time', () => {
  const merged = mergeRows(rowOf(3_600, 1_800, [1, 2], { 0: [10, 20] }), rowOf(1_800, 0, [5, 6], { 0: [50, 60] }));
  expect(merged).toMatchObject({ periodSeconds: 1_800, leadSeconds: 0, present: 3 });
  expect(firstOf(merged.status, 4)).toEqual([5, 6, NONE, 2]);
  expect(firstOf(merged.channels[0], 4)).toEqual([50, 60, NONE, 20]);
});

test('a row on its own grid is returned as it is, and one on a finer grid is a copy', () => {
  const row = rowOf(3_600, 1_800, [1, 2], { 0: [10, 20] });
  expect(regridRow(row, { periodSeconds: 3_600, leadSeconds: 1_800 })).toBe(row);
  const finer = regridRow(row, { periodSeconds: 900, leadSeconds: 0 });
  expect(finer.status).toHaveLength(96);
  expect(firstOf(finer.status, 7)).toEqual([NONE, NONE, 1, NONE, NONE, NONE, 2]);
  expect(finer.channels[1]).toBeUndefined();
  expect(firstOf(row.status, 2)).toEqual([1, 2]);
});
