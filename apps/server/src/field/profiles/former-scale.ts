import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { isFreeze, type CountedProfile } from '@hes/contract/reading/reading.ts';
import type { Anchor } from '../anchor-queries.ts';
import type { MeterDevice } from '../devices.ts';
import { differences, inOrder, isContinuous, isLeap, isNone, POWERS_OF_TEN, powerOfTen, rowOfAnchor, type ReadRows } from './doubts.ts';
import type { ProfileAnswer } from './profile-layout.ts';
import { channelsOf, isFull, quantitiesIn, registersOf, resolutionOf, type Quantity } from './quantities.ts';
import { formerScalingOf, scalingOf, type ObjectRef } from './scalers.ts';

/** A clock of a meter, or ours, may be wrong by so much: rows stamped this long after a change was noticed may have been captured before it. */
const CLOCK_MARGIN_MS = 3_600_000;

export type Scale = 'present' | 'former';

/** Rows in units of the storage. */
export function rowsIn({ profile }: { profile: CountedProfile }, device: MeterDevice, answer: ProfileAnswer): ReadRows {
  const { clock, inferred } = answer.data;
  const freezes = isFreeze(profile);
  const values = freezes ? registersOf(answer, device) : channelsOf(answer, device);
  return { stamps: clock, inferred, values, steps: resolutionOf(answer, device, freezes) };
}

/** Quantities whose scaling was found changed at one moment. */
interface Rescaling {
  /** Undefined: only the rows show that there was a change. */
  noticedAt: number | undefined;
  /** Rows that are stamped later were captured by the present scaling. Epoch milliseconds. */
  until: number;
  columns: readonly {
    quantity: Quantity;
    /** Power of ten from the present numbers to those of the former scaling; undefined: it is not known, or its unit is another one. */
    power: number | undefined;
  }[];
}

/** Changes of scaling that concern the columns of an answer, grouped by the moment at which they were noticed. */
function rescalingsOf(answer: ProfileAnswer, device: MeterDevice, freezes: boolean): Rescaling[] {
  const found = quantitiesIn(answer, device, freezes).flatMap((quantity) => {
    const object = answer.columns[quantity.column];
    const former = object && formerScalingOf(device, object);
    const present = object && scalingOf(device.memory, object);
    if (former === undefined || present === undefined) return [];
    const power = former.scaling?.unit === present.unit ? former.scaling.scaler - present.scaler : undefined;
    return [{ noticedAt: former.noticedAt, quantity, power }];
  });
  return [...Map.groupBy(found, ({ noticedAt }) => noticedAt)].map(([noticedAt, columns]) => ({
    noticedAt,
    until: noticedAt + CLOCK_MARGIN_MS,
    columns,
  }));
}

/** Of a change that was not noticed when it happened, the stored row itself shows the former scale. */
function rescalingByAnchor(rows: ReadRows, anchor: Anchor, quantities: readonly Quantity[]): Rescaling[] {
  const row = rowOfAnchor(rows, anchor);
  const found = row < 0 ? [] : differences(rows, row, anchor);
  const power = powerOfTen(found);
  if (power === undefined) return [];
  const differing = quantities.filter(({ index }) => found.some((difference) => difference.index === index));
  const columns = differing.map((quantity) => ({ quantity, power: -power }));
  return [{ noticedAt: undefined, until: Number.POSITIVE_INFINITY, columns }];
}

/** By so much of itself a register goes on from the row before, when nothing but its scale has changed. */
const GOES_ON_SHARE = 0.01;
/** What counts less than so many of its own steps may fit several powers of ten. */
const LEAST_STEPS = 10_000;

/**
 * Of a change before the meter was read for the first time, the rows may show the former scaling themselves: registers leap, and would go
 * on if the rows before were captured in other units. Registers that are set back to zero do not leap so.
 */
function rescalingByLeap(rows: ReadRows, quantities: readonly Quantity[], freezes: boolean): Rescaling[] {
  const order = inOrder(rows);
  for (let at = order.length - 1; at > 0; at--) {
    const [row = -1, next = -1] = [order[at - 1], order[at]];
    const leaping = quantities
      .map((quantity): Step => {
        const { index } = quantity;
        const values = rows.values[index];
        return {
          quantity,
          isFreeze: freezes,
          index,
          before: values?.[row] ?? Number.NaN,
          after: values?.[next] ?? Number.NaN,
          smallest: rows.steps[index] ?? 1,
        };
      })
      .filter((step) => isLeap(step));
    if (leaping.length === 0) continue;
    const power = POWERS_OF_TEN.find((exponent) => wouldGoOn(leaping, exponent));
    if (power === undefined) return [];
    return [{ noticedAt: undefined, until: rows.stamps[row] ?? 0, columns: leaping.map(({ quantity }) => ({ quantity, power })) }];
  }
  return [];
}

/** A quantity from one row to the next. */
interface Step {
  quantity: Quantity;
  isFreeze: boolean;
  index: number;
  before: number;
  after: number;
  smallest: number;
}

/** Whether nothing leaps if the row before was captured in units so many powers of ten larger, and something shows that it was. */
const wouldGoOn = (leaping: readonly Step[], exponent: number): boolean =>
  leaping.every((step) => !isLeap({ ...step, before: step.before * 10 ** exponent })) &&
  leaping.some(
    ({ before, after, smallest }) => after >= LEAST_STEPS * smallest && Math.abs(after - before * 10 ** exponent) <= after * GOES_ON_SHARE,
  );

/** Changes of scaling that nothing was remembered of, as a stored row shows them, or else the rows themselves. */
function unnoticed(
  device: MeterDevice,
  answer: ProfileAnswer,
  { profile, rows, anchor }: Pick<Asked, 'profile' | 'rows' | 'anchor'>,
): Rescaling[] {
  const freezes = isFreeze(profile);
  const quantities = quantitiesIn(answer, device, freezes);
  const shown = anchor === undefined ? [] : rescalingByAnchor(rows, anchor, quantities);
  return shown.length > 0 ? shown : rescalingByLeap(rows, quantities, freezes);
}

/** The same rows by two scalings of some quantities. */
export interface TwoScales {
  present: ReadRows;
  /** Undefined: the former scaling is not known. */
  former: ReadRows | undefined;
  /** The quantities that differ between the two. */
  indexes: readonly number[];
  isFreeze: boolean;
  anchor: Anchor | undefined;
  /** Rows stamped later are of the present scale. Epoch milliseconds. */
  until: number;
}

/** The scale of each row that something shows; undefined where nothing does. */
export function scalesOf(rows: TwoScales): (Scale | undefined)[] {
  const { present, anchor, until } = rows;
  const scales = Array.from(present.stamps, (stamp): Scale | undefined => (stamp > until ? 'present' : undefined));
  const anchorRow = anchor === undefined ? -1 : rowOfAnchor(present, anchor);
  if (anchor !== undefined && anchorRow >= 0) scales[anchorRow] ??= scaleOfAnchor(rows, anchorRow, anchor);
  const order = inOrder(present);
  const known = { anchorRow: anchorRow >= 0 && isComparable(rows, anchorRow, anchor) ? anchorRow : -1, scales };
  spread(rows, order, { ...known, isForward: true });
  spread(rows, order.toReversed(), { ...known, isForward: false });
  // A stored row that is the same in both scales is what is stored.
  if (known.anchorRow >= 0 && anchor !== undefined && Number.isFinite(distance(rows, present, anchorRow, anchor)))
    scales[anchorRow] ??= 'present';
  return scales;
}

const isComparable = ({ present, indexes }: TwoScales, row: number, anchor: Anchor | undefined): boolean =>
  indexes.some((index) => !isNone(anchor?.values[index]) && !isNone(present.values[index]?.[row]));

/** Which of the two scales makes the row what is stored of it, or nearer to it; undefined: both alike, or none. */
function scaleOfAnchor(rows: TwoScales, row: number, anchor: Anchor): Scale | undefined {
  if (!isComparable(rows, row, anchor)) return undefined;
  const present = distance(rows, rows.present, row, anchor);
  const former = rows.former === undefined ? Number.POSITIVE_INFINITY : distance(rows, rows.former, row, anchor);
  if (present === former) return undefined;
  return present < former ? 'present' : 'former';
}

/** How far a row is from what is stored of it, within what its scale may have rounded; infinity: further. */
function distance({ indexes }: TwoScales, read: ReadRows, row: number, anchor: Anchor): number {
  if (differences(read, row, anchor).some(({ index }) => indexes.includes(index))) return Number.POSITIVE_INFINITY;
  return indexes.reduce((sum, index) => sum + Math.abs((read.values[index]?.[row] ?? 0) - (anchor.values[index] ?? 0)), 0);
}

interface Known {
  scales: (Scale | undefined)[];
  /** The row of the anchor, whose stored values hold in whichever scale; negative: none. */
  anchorRow: number;
  isForward: boolean;
}

/** From rows whose scale is known to their neighbours: a row belongs to the scale in which it goes on from the one before, or to the one behind. */
function spread(rows: TwoScales, order: readonly number[], { scales, anchorRow, isForward }: Known): void {
  let beside: (number | null | undefined)[] | undefined;
  let scale: Scale | undefined;
  for (const row of order) {
    if (row !== anchorRow && beside !== undefined) scales[row] ??= scaleBeside(rows, row, { beside, scale, isForward });
    scale = scales[row] ?? scale;
    if (row === anchorRow) beside = [...(rows.anchor?.values ?? [])];
    else if (scales[row] !== undefined) {
      const read = (scales[row] === 'former' && rows.former) || rows.present;
      const former: readonly (number | null | undefined)[] = beside ?? [];
      beside = read.values.map((column, index) => (isNone(column?.[row]) ? former[index] : column[row]));
    }
  }
}

interface Beside {
  beside: readonly (number | null | undefined)[];
  scale: Scale | undefined;
  isForward: boolean;
}

function scaleBeside({ present, former, indexes, isFreeze: freezes }: TwoScales, row: number, by: Beside): Scale | undefined {
  const goesOn = (read: ReadRows): boolean =>
    indexes.every((index) => {
      const [known, value] = [by.beside[index], read.values[index]?.[row]];
      const [before, after] = by.isForward ? [known, value] : [value, known];
      return !isLeap({ isFreeze: freezes, index, before, after, smallest: (by.isForward ? read : present).steps[index] ?? 1 });
    });
  const isPresent = goesOn(present);
  const isFormer = former !== undefined && goesOn(former);
  if (isPresent !== isFormer) return isPresent ? 'present' : 'former';
  if (!isPresent) return undefined;
  if (indexes.every((index) => Object.is(present.values[index]?.[row], former?.values[index]?.[row]))) return 'present';
  // A scaler changes once: behind a row of the present scale, and before one of the former, the other scale does not come back.
  return by.scale === (by.isForward ? 'present' : 'former') ? by.scale : undefined;
}

/** Whether rows were, or may have been, captured before a scaler of theirs was found changed. */
export function mayBeOfFormerScale(profile: CountedProfile, device: MeterDevice, answer: ProfileAnswer): boolean {
  const until = Math.max(...rescalingsOf(answer, device, isFreeze(profile)).map((rescaling) => rescaling.until));
  return answer.data.clock.some((stamp) => stamp <= until);
}

/** Objects whose scaling changed before anything was remembered of it, with the power of ten to the former scaling. */
export function unnoticedRescalings(
  device: MeterDevice,
  answer: ProfileAnswer,
  asked: Pick<Asked, 'profile' | 'rows' | 'anchor'>,
): { object: ObjectRef; power: number }[] {
  if (rescalingsOf(answer, device, isFreeze(asked.profile)).length > 0) return [];
  return unnoticed(device, answer, asked).flatMap(({ columns }) =>
    columns.flatMap(({ quantity, power }) => {
      const object = answer.columns[quantity.column];
      return object === undefined || power === undefined ? [] : [{ object, power }];
    }),
  );
}

interface Asked {
  profile: CountedProfile;
  /** The rows of the answer by the present scaling, and behind them what the registers stand at, where that was asked. */
  rows: ReadRows;
  /** Rows before this moment are left out in any scale. Epoch milliseconds. */
  from: number;
  anchor: Anchor | undefined;
}

/**
 * The rows in the scales in which they were captured, all by the present scaling. What was captured before a scaler changed is handed on
 * only where a stored row, or a row captured after the change, shows its scale.
 */
export function inPresentScale(device: MeterDevice, answer: ProfileAnswer, { profile, rows, from, anchor }: Asked): Outcome<ProfileAnswer> {
  const freezes = isFreeze(profile);
  const noticed = rescalingsOf(answer, device, freezes);
  const rescalings = noticed.length > 0 ? noticed : unnoticed(device, answer, { profile, rows, anchor });
  let values = answer.data.values;
  for (const rescaling of rescalings) {
    const { noticedAt, until, columns } = rescaling;
    const indexes = columns.map(({ quantity }) => quantity.index);
    // Nothing shows the scale of powers and currents alone: see decision 98.
    if (!indexes.some((index) => isContinuous(freezes, index)) || rows.stamps.every((stamp) => !(stamp <= until))) continue;
    const rescaled = columns.every(({ power }) => power === undefined) ? undefined : inFormerScale(answer, rescaling);
    const former = rescaled && formerRowsOf(rowsIn({ profile }, device, withValues(answer, rescaled)), rescaling);
    const scales = scalesOf({ present: rows, former, indexes, isFreeze: freezes, anchor, until });
    if (scales.some((scale, row) => scale === undefined && (rows.stamps[row] ?? Number.NaN) >= from)) return scaleUnknown(noticedAt);
    values = values.map((column, at) =>
      columns.some(({ quantity }) => quantity.column === at)
        ? column.map((value, row) => (scales[row] === 'former' ? (rescaled?.[at]?.[row] ?? Number.NaN) : value))
        : column,
    );
  }
  return ok(values === answer.data.values ? answer : withValues(answer, values));
}

function withValues(answer: ProfileAnswer, values: Float64Array[]): ProfileAnswer {
  return { ...answer, data: { ...answer.data, values } };
}

function scaleUnknown(noticedAt: number | undefined): Outcome<never> {
  const when = noticedAt === undefined ? '' : ` on ${new Date(noticedAt).toISOString()}`;
  return failed('SCALE_UNKNOWN', `Captured before its scaler changed${when}, and nothing stored shows in which scale`);
}

/** All rows as if they were of the former scaling: numbers that the present one turns into the same quantities. */
function inFormerScale({ data }: ProfileAnswer, { columns }: Rescaling): Float64Array[] {
  const values = [...data.values];
  for (const { quantity, power } of columns)
    values[quantity.column] = Float64Array.from(values[quantity.column] ?? [], (value) => {
      if (power === undefined) return Number.NaN;
      if (isFull(value, quantity.isEnergy)) return value;
      return power < 0 ? value / 10 ** -power : value * 10 ** power;
    });
  return values;
}

/** With the resolution that the former scaling had. */
function formerRowsOf(rows: ReadRows, { columns }: Rescaling): ReadRows {
  const steps = [...rows.steps];
  for (const { quantity, power } of columns) steps[quantity.index] = Math.max(1, 10 ** (quantity.exponent + (power ?? 0)));
  return { ...rows, steps };
}
