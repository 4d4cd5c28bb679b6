import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import type { Anchor } from '../anchor-queries.ts';

/** Rows of a response in storage units, by channel or register number; NaN: no value, undefined: not captured. */
export interface ReadRows {
  /** Epoch milliseconds; NaN: no time. */
  stamps: Float64Array;
  values: readonly (Float64Array | undefined)[];
  /** Resolution of each column. */
  steps: readonly number[];
  /** Some times or values were null-data and taken from the row before. */
  inferred: boolean;
}

/** Expectations that the rows are checked against. */
export interface Expected {
  anchor: Anchor | undefined;
  /** The rows are freezes: registers in tenths of a watt-hour at calendar times, instead of channels. */
  isFreeze: boolean;
  /** Capture period of the layout; unused for freezes. */
  periodMs: number;
  /** End of the requested range, at most now. Epoch milliseconds. */
  until: number;
}

/**
 * Reason why cached metadata may be outdated: no comparable anchor; the meter no longer holds its row; its values differ; a register falls
 * or grows implausibly; the distance of the rows is not the capture period.
 */
export type Doubt = 'unvouched' | 'absent' | 'differs' | 'leaps' | 'period';

/** A step is implausible when it more than doubles a register and exceeds this. In Wh; registers of freezes are in tenths. */
const LARGE_STEP_WH = 100_000;
const VOLTAGES: ReadonlySet<string> = new Set(['u1_mv', 'u2_mv', 'u3_mv']);
/** Two consecutive voltages above zero differ at most by this factor. */
const VOLTAGE_SHARE = 0.5;

type Kind = 'register' | 'voltage' | 'other';
const CHANNEL_KINDS: readonly Kind[] = CHANNELS.map(({ column }) =>
  column === 'e_plus_wh' || column === 'e_minus_wh' ? 'register' : VOLTAGES.has(column) ? 'voltage' : 'other',
);

export const isNone = (value: number | null | undefined): value is null | undefined =>
  value === null || value === undefined || !Number.isFinite(value);

/** Index of the row in the slot of the anchor, preferably with its exact time; negative: none. */
export function rowOfAnchor({ stamps }: ReadRows, { at, periodMs }: Anchor): number {
  const exact = stamps.indexOf(at);
  return exact >= 0 ? exact : stamps.findIndex((stamp) => stamp > at && stamp < at + periodMs);
}

export interface Difference {
  index: number;
  before: number;
  after: number;
}

/** Differences between a row and the stored one, beyond the resolution of the columns. */
export function findDifferences({ values, steps }: ReadRows, row: number, anchor: Anchor): Difference[] {
  return anchor.values.flatMap((before, index) => {
    const after = values[index]?.[row];
    return isNone(before) || isNone(after) || Math.abs(before - after) <= (steps[index] ?? 1) ? [] : { index, before, after };
  });
}

/** Plausible differences between two scalers of one quantity. */
export const POWERS_OF_TEN = [1, -1, 2, -2, 3, -3];

/**
 * The power of ten that explains all differences: the row was captured with another scaler than it was decoded with. Undefined: no single
 * power explains them.
 */
export function powerOfTen(found: readonly Difference[]): number | undefined {
  if (found.length === 0) return undefined;
  return POWERS_OF_TEN.find((power) =>
    found.every(({ before, after }) => before !== 0 && Math.abs(after - before * 10 ** power) <= Math.max(1, 10 ** power)),
  );
}

interface At {
  column: Float64Array | undefined;
  index: number;
  row: number;
  before: number | null | undefined;
}

const kindOf = (isFreeze: boolean, index: number): Kind => (isFreeze ? 'register' : (CHANNEL_KINDS[index] ?? 'other'));

/** Whether consecutive values reveal the scale of a channel or register; powers and currents change arbitrarily and do not. */
export const isContinuous = (isFreeze: boolean, index: number): boolean => kindOf(isFreeze, index) !== 'other';

interface Neighbours {
  isFreeze: boolean;
  index: number;
  before: number | null | undefined;
  after: number | null | undefined;
  /** Resolution of the later value, or of the one in doubt. */
  smallest: number;
}

/** Whether the step between two consecutive values is implausible. */
export function isLeap({ isFreeze, index, before, after, smallest }: Neighbours): boolean {
  const kind = kindOf(isFreeze, index);
  if (kind === 'other' || isNone(before) || isNone(after)) return false;
  return hasLeap(kind, before, after, { largest: isFreeze ? 10 * LARGE_STEP_WH : LARGE_STEP_WH, smallest });
}

const hasLeapAt = ({ steps }: ReadRows, isFreeze: boolean, { column, index, row, before }: At): boolean =>
  isLeap({ isFreeze, index, before, after: column?.[row], smallest: steps[index] ?? 1 });

const isComparable = ({ values }: ReadRows, row: number, anchor: Anchor): boolean =>
  anchor.values.some((before, index) => !isNone(before) && !isNone(values[index]?.[row]));

function hasLeap(kind: Kind, before: number, after: number, { largest, smallest }: { largest: number; smallest: number }): boolean {
  if (kind === 'register') return after < before - smallest || (after > 2 * before && after - before > largest);
  return kind === 'voltage' && before > 0 && after > 0 && (after < before * VOLTAGE_SHARE || after > before / VOLTAGE_SHARE);
}

/** Row indexes in the order of time, without rows that have none. Meters send rows in this order already, apart from few. */
export function inOrder({ stamps }: ReadRows): number[] {
  const order: number[] = [];
  let isSorted = true;
  let newest = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < stamps.length; row++) {
    const stamp = stamps[row] ?? Number.NaN;
    if (Number.isNaN(stamp)) continue;
    if (stamp < newest) isSorted = false;
    newest = stamp;
    order.push(row);
  }
  return isSorted ? order : order.toSorted((a, b) => (stamps[a] ?? 0) - (stamps[b] ?? 0));
}

function hasLeaps(rows: ReadRows, order: readonly number[], { anchor, isFreeze }: Expected): boolean {
  return rows.values.some((column, index) => {
    if (!isContinuous(isFreeze, index)) return false;
    let before: number | null = anchor?.values[index] ?? null;
    for (const row of order) {
      if (anchor !== undefined && (rows.stamps[row] ?? 0) < anchor.at) continue;
      if (hasLeapAt(rows, isFreeze, { column, index, row, before })) return true;
      const after = column?.[row];
      if (!isNone(after)) before = after;
    }
    return false;
  });
}

/** Number of rows by distance to the row before, in milliseconds. */
function stepsOf(stamps: Float64Array, order: readonly number[]): Map<number, number> {
  const steps = new Map<number, number>();
  for (let k = 1; k < order.length; k++) {
    const step = (stamps[order[k] ?? 0] ?? 0) - (stamps[order[k - 1] ?? 0] ?? 0);
    if (step > 0) steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  return steps;
}

function breaksPeriod({ stamps, inferred }: ReadRows, order: readonly number[], { isFreeze, periodMs, until }: Expected): boolean {
  if (isFreeze) return false;
  const steps = stepsOf(stamps, order);
  const usual = steps.get(periodMs) ?? 0;
  // A single longer step is an outage; as many as regular ones indicate another period.
  for (const [step, count] of steps) if (step < periodMs || (step !== periodMs && count >= usual)) return true;
  // Times that were inferred with a wrong period do not end at the end of the range.
  const last = stamps[order.at(-1) ?? 0] ?? Number.NaN;
  return inferred && (until - last >= 2 * periodMs || last - until >= periodMs);
}

/** Compares rows with the stored one and with each other. A response without rows leaves no doubt, because none is stored. */
export function doubtsOf(rows: ReadRows, expected: Expected): Doubt[] {
  const { anchor } = expected;
  const order = inOrder(rows);
  if (order.length === 0) return [];
  const doubts: Doubt[] = [];
  const row = anchor === undefined ? -1 : rowOfAnchor(rows, anchor);
  if (anchor === undefined) doubts.push('unvouched');
  else if (row < 0) doubts.push('absent');
  else if (!isComparable(rows, row, anchor)) doubts.push('unvouched');
  else if (findDifferences(rows, row, anchor).length > 0) doubts.push('differs');
  if (hasLeaps(rows, order, expected)) doubts.push('leaps');
  if (breaksPeriod(rows, order, expected)) doubts.push('period');
  return doubts;
}
