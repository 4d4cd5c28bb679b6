import { expect, test } from 'vitest';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { doubtsOf, findDifferences, inOrder, isContinuous, isLeap, powerOfTen, rowOfAnchor, type ReadRows } from './doubts.ts';

const QUARTER_MS = 900_000;
const AT = Date.UTC(2026, 5, 1, 10);
const [E_PLUS, E_MINUS, P_PLUS, U1] = [0, 1, 2, 6];

const rowsOf = (
  captures: [quarter: number, plus: number, minus?: number, volts?: number, watts?: number][],
  inferred = false,
): ReadRows => {
  const values: (Float64Array | undefined)[] = CHANNELS.map(() => undefined);
  const column = (pick: (capture: (typeof captures)[number]) => number | undefined) =>
    Float64Array.from(captures, (capture) => pick(capture) ?? Number.NaN);
  values[E_PLUS] = column(([, plus]) => plus);
  values[E_MINUS] = column(([, , minus]) => minus);
  values[U1] = column(([, , , volts]) => volts);
  values[P_PLUS] = column(([, , , , watts]) => watts);
  return { stamps: column(([quarter]) => AT + quarter * QUARTER_MS), values, steps: CHANNELS.map(() => 1), inferred };
};
const anchorOf = (plus: number | null, minus: number | null = null, volts: number | null = null) => ({
  at: AT,
  periodMs: QUARTER_MS,
  values: CHANNELS.map((_, index) => (index === E_PLUS ? plus : index === E_MINUS ? minus : index === U1 ? volts : null)),
});
const judge = (rows: ReadRows, anchor: ReturnType<typeof anchorOf> | undefined, more = {}) =>
  doubtsOf(rows, { anchor, isFreeze: false, periodMs: QUARTER_MS, until: AT + 10 * QUARTER_MS, ...more });

test('rows that continue the stored one leave no doubt', () => {
  expect(
    judge(
      rowsOf([
        [0, 5_000_000, 7, 230_000, 5],
        [1, 5_000_100, 7, 231_000, 5_000],
        [2, 5_000_200, 8, 0, 1],
      ]),
      anchorOf(5_000_000, 7, 230_000),
    ),
  ).toEqual([]);
});

test.each([
  [
    'the stored row says something else',
    rowsOf([
      [0, 7, 5],
      [1, 7, 6],
    ]),
    anchorOf(5, 7),
    ['differs', 'leaps'],
  ],
  [
    'the stored row is not there',
    rowsOf([
      [1, 6, 7],
      [2, 7, 7],
    ]),
    anchorOf(5, 7),
    ['absent'],
  ],
  [
    'nothing stored can be compared',
    rowsOf([
      [1, 6, 7],
      [2, 7, 7],
    ]),
    undefined,
    ['unvouched'],
  ],
  [
    'the stored row has no value that can be compared',
    rowsOf([
      [0, 6],
      [1, 7],
    ]),
    anchorOf(null, 7),
    ['unvouched'],
  ],
  [
    'a register falls',
    rowsOf([
      [0, 5_000_000],
      [1, 500_010],
    ]),
    anchorOf(5_000_000),
    ['leaps'],
  ],
  [
    'a register grows tenfold',
    rowsOf([
      [0, 5_000_000],
      [1, 50_000_100],
    ]),
    anchorOf(5_000_000),
    ['leaps'],
  ],
  [
    'a voltage is a tenth',
    rowsOf([
      [0, 5, 7, 230_000],
      [1, 6, 7, 23_000],
    ]),
    anchorOf(5, 7, 230_000),
    ['leaps'],
  ],
  [
    'rows lie closer than the period',
    rowsOf([
      [0, 5],
      [1, 6],
      [1.5, 7],
      [2, 8],
    ]),
    anchorOf(5),
    ['period'],
  ],
  [
    'rows lie twice as far apart',
    rowsOf([
      [0, 5],
      [1, 6],
      [3, 7],
      [5, 8],
    ]),
    anchorOf(5),
    ['period'],
  ],
  [
    'counted stamps end long before now',
    rowsOf(
      [
        [0, 5],
        [1, 6],
        [2, 7],
        [3, 8],
      ],
      true,
    ),
    anchorOf(5),
    ['period'],
  ],
  [
    'counted stamps end behind now',
    rowsOf(
      Array.from({ length: 13 }, (_, k) => [k, 5 + k]),
      true,
    ),
    anchorOf(5),
    ['period'],
  ],
] as const)('%s: that is a doubt', (_what, rows, anchor, doubts) => {
  expect(judge(rows, anchor)).toEqual(doubts);
});

test('an outage of some hours and a response without rows leave no doubt', () => {
  expect(
    judge(
      rowsOf([
        [0, 5],
        [1, 6],
        [2, 7],
        [9, 8],
        [10, 9],
      ]),
      anchorOf(5),
    ),
  ).toEqual([]);
  expect(judge(rowsOf([]), anchorOf(5))).toEqual([]);
});

test('a register that starts at zero and one with all bits set are no leap', () => {
  expect(
    judge(
      rowsOf([
        [0, 0],
        [1, 90_000],
        [2, Number.POSITIVE_INFINITY],
        [3, 90_010],
      ]),
      anchorOf(0),
    ),
  ).toEqual([]);
});

test('one power of ten in all differences indicates another scale', () => {
  expect(powerOfTen([{ index: 0, before: 5_000_000, after: 50_000_000 }])).toBe(1);
  expect(powerOfTen([{ index: 0, before: 5_000_000, after: 50_001_000 }])).toBeUndefined();
  expect(powerOfTen([])).toBeUndefined();
});

test('rows are judged in the order of time, without those that have none', () => {
  const captures = ([2, 0, Number.NaN, 1] as const).map((quarter) => [quarter, 5] as [number, number]);
  expect(inOrder(rowsOf(captures))).toEqual([1, 3, 0]);
});

test('the row of an anchor is the one of its time, else one within its slot', () => {
  const rowAt = (...quarters: number[]) => rowOfAnchor(rowsOf(quarters.map((quarter) => [quarter, 5])), anchorOf(5));
  expect(rowAt(0.5, 0)).toBe(1);
  expect(rowAt(-0.5, 0.99)).toBe(1);
  expect(rowAt(-0.1, 1)).toBe(-1);
});

test('a value differs from the stored one beyond the resolution of its column only', () => {
  const rows = { ...rowsOf([[0, 110, 100]]), steps: CHANNELS.map((_, index) => (index === E_PLUS ? 10 : 1)) };
  expect(findDifferences(rows, 0, anchorOf(100, 100))).toEqual([]);
  expect(findDifferences(rows, 0, anchorOf(99, 98))).toEqual([
    { index: E_PLUS, before: 99, after: 110 },
    { index: E_MINUS, before: 98, after: 100 },
  ]);
});

const isLeapOf = (index: number, before: number | null, after: number | null, isFreeze = false) =>
  isLeap({ isFreeze, index, before, after, smallest: 10 });

test('a register leaps when it falls by more than its resolution, or more than doubles by more than 100 kWh', () => {
  expect([isLeapOf(E_PLUS, 1_000, 990), isLeapOf(E_MINUS, 1_000, 989)]).toEqual([false, true]);
  expect([isLeapOf(E_PLUS, 0, 100_000), isLeapOf(E_PLUS, 0, 100_001)]).toEqual([false, true]);
  expect([isLeapOf(E_PLUS, 200_000, 400_000), isLeapOf(E_PLUS, 200_000, 400_001)]).toEqual([false, true]);
  expect([isLeapOf(P_PLUS, 1_000, 1), isLeapOf(E_PLUS, null, 1), isLeapOf(E_PLUS, 1, null)]).toEqual([false, false, false]);
  expect([isContinuous(false, E_PLUS), isContinuous(false, U1), isContinuous(false, P_PLUS)]).toEqual([true, true, false]);
});

test('registers of freezes are in tenths of a watt-hour, whatever their number', () => {
  expect([isLeapOf(P_PLUS, 0, 1_000_000, true), isLeapOf(P_PLUS, 0, 1_000_001, true)]).toEqual([false, true]);
  expect(isContinuous(true, P_PLUS)).toBe(true);
});

test('a voltage above zero leaps when it more than halves or doubles', () => {
  expect([isLeapOf(U1, 230, 115), isLeapOf(U1, 230, 114)]).toEqual([false, true]);
  expect([isLeapOf(U1, 115, 230), isLeapOf(U1, 115, 231)]).toEqual([false, true]);
  expect([isLeapOf(U1, 0, 230), isLeapOf(U1, 230, 0)]).toEqual([false, false]);
});

test('inferred times end less than two periods before the requested end, and less than one behind it', () => {
  const rows = rowsOf(
    [
      [0, 5],
      [1, 6],
      [2, 7],
    ],
    true,
  );
  const doubtsUntil = (quarter: number) => judge(rows, anchorOf(5), { until: AT + quarter * QUARTER_MS });
  expect([doubtsUntil(3.99), doubtsUntil(4)]).toEqual([[], ['period']]);
  expect([doubtsUntil(1.01), doubtsUntil(1)]).toEqual([[], ['period']]);
  expect(doubtsOf(rows, { anchor: anchorOf(5), isFreeze: true, periodMs: QUARTER_MS, until: AT + 99 * QUARTER_MS })).toEqual([]);
});

test('as many longer steps as regular ones are another period', () => {
  const doubtsAt = (...quarters: number[]) => judge(rowsOf(quarters.map((quarter) => [quarter, 5])), anchorOf(5));
  expect(doubtsAt(0, 1, 2, 4)).toEqual([]);
  expect(doubtsAt(0, 1, 3)).toEqual(['period']);
});
