import { CHANNELS } from '#storage/channels.ts';
import type { Anchor } from '../anchor-queries.ts';

/** Rows of an answer in units of the storage, by channel or register number; NaN: none, undefined: not captured. */
export interface ReadRows {
  /** Epoch milliseconds; NaN where the clock said nothing. */
  stamps: Float64Array;
  values: readonly (Float64Array | undefined)[];
  /** The smallest difference that each of them can show. */
  steps: readonly number[];
  /** Some stamps or values stood only for "as in the row before". */
  inferred: boolean;
}

/** What the rows are judged by. */
export interface Expected {
  anchor: Anchor | undefined;
  /** Registers in tenths of a watt-hour at moments of the calendar, in place of channels. */
  isFreeze: boolean;
  /** Of the layout; of freezes it is not looked at. */
  periodMs: number;
  /** Up to when the meter was asked, at most now. Epoch milliseconds. */
  until: number;
}

/**
 * Why what is remembered of a profile may not hold any more. `unvouched`: no stored row can be compared; `absent`: the meter does not hold
 * the stored row any more; `differs`: it says something else about it; `leaps`: a register falls, or grows as none does; `period`: the rows
 * do not follow each other at the period.
 */
export type Doubt = 'unvouched' | 'absent' | 'differs' | 'leaps' | 'period';

/** No meter of ours counts more than it has ever counted before, and this, between two rows. In Wh; registers of freezes are in tenths. */
const LARGE_STEP_WH = 100_000;
const VOLTAGES: ReadonlySet<string> = new Set(['u1_mv', 'u2_mv', 'u3_mv']);
/** Voltages of one place stay within this share of each other, as long as there are any. */
const VOLTAGE_SHARE = 0.5;

type Kind = 'register' | 'voltage' | 'other';
const CHANNEL_KINDS: readonly Kind[] = CHANNELS.map(({ column }) =>
  column === 'e_plus_wh' || column === 'e_minus_wh' ? 'register' : VOLTAGES.has(column) ? 'voltage' : 'other',
);

export const isNone = (value: number | null | undefined): value is null | undefined =>
  value === null || value === undefined || !Number.isFinite(value);

/** The row that stands in the slot of the anchor; the one on its border first. */
export function rowOfAnchor({ stamps }: ReadRows, { at, periodMs }: Anchor): number {
  const exact = stamps.indexOf(at);
  return exact >= 0 ? exact : stamps.findIndex((stamp) => stamp > at && stamp < at + periodMs);
}

export interface Difference {
  index: number;
  before: number;
  after: number;
}

/** What the meter says about a stored row, where it says something else than what its scale may have rounded. */
export function differences({ values, steps }: ReadRows, row: number, anchor: Anchor): Difference[] {
  return anchor.values.flatMap((before, index) => {
    const after = values[index]?.[row];
    return isNone(before) || isNone(after) || Math.abs(before - after) <= (steps[index] ?? 1) ? [] : { index, before, after };
  });
}

/** By which scalers of one quantity may differ. */
export const POWERS_OF_TEN = [1, -1, 2, -2, 3, -3];

/**
 * The one power of ten that all of them come from: the row was captured when the meter counted in other units, and is read in the
 * present ones. Undefined: there is none.
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

/** Whether the values of a channel or register say something about its scale: those of powers and currents may rise and fall at will. */
export const isContinuous = (isFreeze: boolean, index: number): boolean => kindOf(isFreeze, index) !== 'other';

interface Neighbours {
  isFreeze: boolean;
  index: number;
  before: number | null | undefined;
  after: number | null | undefined;
  /** The smallest difference that the later of them, or the one in doubt, can show. */
  smallest: number;
}

/** Whether a value cannot be that of a capture soon after another. */
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

/** Rows in the order of their stamps; those without one are left out. */
export const inOrder = ({ stamps }: ReadRows): number[] =>
  [...stamps.keys()].filter((row) => !Number.isNaN(stamps[row])).toSorted((a, b) => (stamps[a] ?? 0) - (stamps[b] ?? 0));

function leaps(rows: ReadRows, order: readonly number[], { anchor, isFreeze }: Expected): boolean {
  return rows.values.some((column, index) => {
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

/** Milliseconds from row to row, and how often each. */
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
  // A longer step alone is an outage; as many of them as of the usual ones may be another period.
  for (const [step, count] of steps) if (step < periodMs || (step !== periodMs && count >= usual)) return true;
  // Stamps that were counted on by a wrong period end elsewhere than the rows do.
  const last = stamps[order.at(-1) ?? 0] ?? Number.NaN;
  return inferred && (until - last >= 2 * periodMs || last - until >= periodMs);
}

/** Compares rows with what is stored and with each other; an answer without rows leaves no doubt, because nothing of it is stored. */
export function doubtsOf(rows: ReadRows, expected: Expected): Doubt[] {
  const { anchor } = expected;
  const order = inOrder(rows);
  if (order.length === 0) return [];
  const doubts: Doubt[] = [];
  const row = anchor === undefined ? -1 : rowOfAnchor(rows, anchor);
  if (anchor === undefined) doubts.push('unvouched');
  else if (row < 0) doubts.push('absent');
  else if (!isComparable(rows, row, anchor)) doubts.push('unvouched');
  else if (differences(rows, row, anchor).length > 0) doubts.push('differs');
  if (leaps(rows, order, expected)) doubts.push('leaps');
  if (breaksPeriod(rows, order, expected)) doubts.push('period');
  return doubts;
}
