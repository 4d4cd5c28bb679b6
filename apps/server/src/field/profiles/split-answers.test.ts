import { expect, test } from 'vitest';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { Layout, ProfileAnswer } from './profile-layout.ts';
import { joinAnswers, rowOctetsOf, rowSizeOf } from './split-answers.ts';
import { withStanding } from './standing-registers.ts';

const COLUMN = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2, dataIndex: 0 };
const layoutOf = (periodSeconds: number, columns = 2): Layout => ({
  columns: Array.from({ length: columns }, () => COLUMN),
  periodSeconds,
});
const METER = { periodSeconds: { lpa: 900, lpb: 1_800 } };

test('the size of a row grows with its columns', () => {
  expect([rowOctetsOf(layoutOf(0, 0)), rowOctetsOf(layoutOf(0, 3))]).toEqual([16, 43]);
});

test('rows are a capture period apart, freezes a day', () => {
  const rowMsOf = (profile: Parameters<typeof rowSizeOf>[2], periodSeconds: number) => rowSizeOf(METER, layoutOf(periodSeconds), profile);
  expect(rowMsOf('lpa', 300)).toEqual({ rowOctets: 34, rowMs: 300_000 });
  expect([rowMsOf('lpa', 0).rowMs, rowMsOf('lpb', 0).rowMs, rowMsOf('energy', 0).rowMs]).toEqual([900_000, 1_800_000, 3_600_000]);
  expect(rowMsOf('daily', 300)).toEqual({ rowOctets: 34, rowMs: 86_400_000 });
});

const answerOf = (clock: number[], values: number[][], inferred = false): ProfileAnswer => ({
  columns: [COLUMN, COLUMN],
  periodSeconds: 900,
  formerPeriods: [300],
  entries: 10,
  data: {
    rows: clock.length,
    clock: Float64Array.from(clock),
    clockStatus: Uint8Array.from(clock),
    values: values.map((column) => Float64Array.from(column)),
    inferred,
  },
});

test('answers of several requests are joined row by row', () => {
  const first = answerOf(
    [1, 2],
    [
      [10, 20],
      [11, 21],
    ],
  );
  expect(joinAnswers([first])).toBe(first);
  const joined = joinAnswers([first, answerOf([], [[], []]), answerOf([3], [[30], [31]])]);
  expect(joined).toEqual(
    answerOf(
      [1, 2, 3],
      [
        [10, 20, 30],
        [11, 21, 31],
      ],
    ),
  );
  expect(joinAnswers([first, answerOf([3], [[30], [31]], true)]).data.inferred).toBe(true);
});

test('present registers follow the rows as if captured now, and always later than the last row', () => {
  const rows = {
    stamps: Float64Array.of(100, 200),
    values: [Float64Array.of(1, 2), undefined, Float64Array.of(5, 6)],
    steps: [1, 1, 1],
    inferred: false,
  };
  expect(withStanding(rows, new Map(), 300)).toBe(rows);
  expect(withStanding(rows, new Map([[0, 3]]), 300)).toEqual({
    ...rows,
    stamps: Float64Array.of(100, 200, 300),
    values: [Float64Array.of(1, 2, 3), undefined, Float64Array.of(5, 6, Number.NaN)],
  });
  expect(withStanding(rows, new Map([[0, 3]]), 200).stamps).toEqual(Float64Array.of(100, 200, 201));
  expect(withStanding(rows, new Map([[0, 3]]), 50).stamps).toEqual(Float64Array.of(100, 200, 201));
});
