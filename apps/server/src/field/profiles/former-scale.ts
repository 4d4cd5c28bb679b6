import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { isFreeze, type CountedProfile } from '@hes/contract/reading/reading.ts';
import type { Anchor } from '../anchor-queries.ts';
import type { MeterDevice } from '../devices.ts';
import { findDifferences, inOrder, isContinuous, isLeap, isNone, POWERS_OF_TEN, powerOfTen, rowOfAnchor, type ReadRows } from './doubts.ts';
import type { ProfileAnswer } from './profile-layout.ts';
import { channelsOf, isFull, quantitiesIn, registersOf, resolutionOf, type Quantity } from './quantities.ts';
import { formerScalingOf, scalingOf, type ObjectRef } from './scalers.ts';

/** Tolerated clock error. A row with a time up to this long after the detection of a change may have been captured before it. */
const CLOCK_MARGIN_MS = 3_600_000;

export type Scale = 'present' | 'former';

/** Rows of a response in storage units. */
export function rowsIn({ profile }: { profile: CountedProfile }, device: MeterDevice, answer: ProfileAnswer): ReadRows {
  const { clock, inferred } = answer.data;
  const freezes = isFreeze(profile);
  const values = freezes ? registersOf(answer, device) : channelsOf(answer, device);
  return { stamps: clock, inferred, values, steps: resolutionOf(answer, device, freezes) };
}

/** A detected change of scaling of several quantities. */
interface Rescaling {
  /** Time of detection, epoch milliseconds. Undefined: only the rows reveal the change. */
  noticedAt: number | undefined;
  /** Later rows were captured with the present scaling. Epoch milliseconds. */
  until: number;
  columns: readonly {
    quantity: Quantity;
    /** Difference of the scalers, former minus present; undefined: the former one is unknown, or the unit has changed. */
    power: number | undefined;
    /** The former unit is known, and another one. */
    hasOtherUnit?: boolean;
  }[];
}

/** Changes of scaling of the columns of a response, grouped by the time of detection. */
function rescalingsOf(answer: ProfileAnswer, device: MeterDevice, freezes: boolean): Rescaling[] {
  const found = quantitiesIn(answer, device, freezes).flatMap((quantity) => {
    const object = answer.columns[quantity.column];
    const former = object && formerScalingOf(device, object);
    const present = object && scalingOf(device.metadata, object);
    if (former === undefined || present === undefined) return [];
    const hasOtherUnit = former.scaling !== undefined && former.scaling.unit !== present.unit;
    const power = former.scaling === undefined || hasOtherUnit ? undefined : former.scaling.scaler - present.scaler;
    return [{ noticedAt: former.noticedAt, quantity, power, hasOtherUnit }];
  });
  return [...Map.groupBy(found, ({ noticedAt }) => noticedAt)].map(([noticedAt, columns]) => ({
    noticedAt,
    until: noticedAt + CLOCK_MARGIN_MS,
    columns,
  }));
}

/** Derives an undetected change of scaling from the difference between a row and the anchor. */
function rescalingByAnchor(rows: ReadRows, anchor: Anchor, quantities: readonly Quantity[]): Rescaling[] {
  const row = rowOfAnchor(rows, anchor);
  const found = row < 0 ? [] : findDifferences(rows, row, anchor);
  const power = powerOfTen(found);
  if (power === undefined) return [];
  const differing = quantities.filter(({ index }) => found.some((difference) => difference.index === index));
  const columns = differing.map((quantity) => ({ quantity, power: -power }));
  return [{ noticedAt: undefined, until: Number.POSITIVE_INFINITY, columns }];
}

/** Maximum relative step of a register between two rows, apart from a change of its scale. */
const MAX_RELATIVE_STEP = 0.01;
/** A register below this multiple of its resolution may fit several powers of ten. */
const MIN_STEPS = 10_000;

/**
 * Derives a change of scaling before the first read from the rows themselves: registers leap between two rows, and would not if the earlier
 * row had another scale. A reset to zero does not fit a power of ten.
 */
function rescalingByLeap(rows: ReadRows, quantities: readonly Quantity[], freezes: boolean): Rescaling[] {
  const order = inOrder(rows);
  const continuous = quantities.filter(({ index }) => isContinuous(freezes, index));
  const at = Math.max(0, ...continuous.map(({ index }) => lastLeapOf(rows, order, { index, isFreeze: freezes })));
  if (at === 0) return [];
  const [row = -1, next = -1] = [order[at - 1], order[at]];
  const leaping = continuous.map((quantity) => stepOf(rows, { quantity, isFreeze: freezes, row, next })).filter((step) => isLeap(step));
  const power = POWERS_OF_TEN.find((exponent) => explainsLeaps(leaping, exponent));
  if (power === undefined) return [];
  return [{ noticedAt: undefined, until: rows.stamps[row] ?? 0, columns: leaping.map(({ quantity }) => ({ quantity, power })) }];
}

/** The last position in the order at which a quantity leaps from the row before; 0: none. */
function lastLeapOf({ values, steps }: ReadRows, order: readonly number[], by: { index: number; isFreeze: boolean }): number {
  const column = values[by.index];
  const smallest = steps[by.index] ?? 1;
  for (let at = order.length - 1; at > 0; at--) {
    if (isLeap({ ...by, before: column?.[order[at - 1] ?? -1], after: column?.[order[at] ?? -1], smallest })) return at;
  }
  return 0;
}

/** Values of a quantity in two consecutive rows. */
interface Step {
  quantity: Quantity;
  isFreeze: boolean;
  index: number;
  before: number;
  after: number;
  smallest: number;
}

function stepOf(
  { values, steps }: ReadRows,
  { quantity, isFreeze: freezes, row, next }: { quantity: Quantity; isFreeze: boolean; row: number; next: number },
): Step {
  const { index } = quantity;
  const column = values[index];
  const smallest = steps[index] ?? 1;
  return { quantity, isFreeze: freezes, index, before: column?.[row] ?? Number.NaN, after: column?.[next] ?? Number.NaN, smallest };
}

/** Whether another scale of the earlier row explains all leaps, with at least one register large enough to be conclusive. */
const explainsLeaps = (leaping: readonly Step[], exponent: number): boolean =>
  leaping.every((step) => !isLeap({ ...step, before: step.before * 10 ** exponent })) &&
  leaping.some(
    ({ before, after, smallest }) =>
      after >= MIN_STEPS * smallest && Math.abs(after - before * 10 ** exponent) <= after * MAX_RELATIVE_STEP,
  );

/** Derives undetected changes of scaling from the anchor or else from the rows. */
function deriveRescalings(
  device: MeterDevice,
  answer: ProfileAnswer,
  { profile, rows, anchor }: Pick<Asked, 'profile' | 'rows' | 'anchor'>,
): Rescaling[] {
  const freezes = isFreeze(profile);
  const quantities = quantitiesIn(answer, device, freezes);
  const shown = anchor === undefined ? [] : rescalingByAnchor(rows, anchor, quantities);
  return shown.length > 0 ? shown : rescalingByLeap(rows, quantities, freezes);
}

/** The same rows decoded with two scalings. */
export interface TwoScales {
  present: ReadRows;
  /** Undefined: the former scaling is unknown. */
  former: ReadRows | undefined;
  /** Indexes of the quantities that differ. */
  indexes: readonly number[];
  isFreeze: boolean;
  anchor: Anchor | undefined;
  /** Later rows have the present scale. Epoch milliseconds. */
  until: number;
}

/** Scale of each row; undefined: not decidable. */
export function scalesOf(rows: TwoScales): (Scale | undefined)[] {
  const { present, anchor, until } = rows;
  const scales = Array.from(present.stamps, (stamp): Scale | undefined => (stamp > until ? 'present' : undefined));
  const anchorRow = anchor === undefined ? -1 : rowOfAnchor(present, anchor);
  if (anchor !== undefined && anchorRow >= 0) scales[anchorRow] ??= scaleOfAnchor(rows, anchorRow, anchor);
  const order = inOrder(present);
  const known = { anchorRow: anchorRow >= 0 && isComparable(rows, anchorRow, anchor) ? anchorRow : -1, scales };
  propagateScales(rows, order, { ...known, isForward: true });
  propagateScales(rows, order.toReversed(), { ...known, isForward: false });
  // An anchor row that matches in both scales equals the stored row.
  if (known.anchorRow >= 0 && anchor !== undefined && Number.isFinite(distanceToAnchor(rows, present, anchorRow, anchor)))
    scales[anchorRow] ??= 'present';
  return scales;
}

const isComparable = ({ present, indexes }: TwoScales, row: number, anchor: Anchor | undefined): boolean =>
  indexes.some((index) => !isNone(anchor?.values[index]) && !isNone(present.values[index]?.[row]));

/** The scale in which the row is nearer to the stored one; undefined: both are equally near, or none matches. */
function scaleOfAnchor(rows: TwoScales, row: number, anchor: Anchor): Scale | undefined {
  if (!isComparable(rows, row, anchor)) return undefined;
  const present = distanceToAnchor(rows, rows.present, row, anchor);
  const former = rows.former === undefined ? Number.POSITIVE_INFINITY : distanceToAnchor(rows, rows.former, row, anchor);
  if (present === former) return undefined;
  return present < former ? 'present' : 'former';
}

/** Sum of the differences to the stored row; infinity when one exceeds the resolution. */
function distanceToAnchor({ indexes }: TwoScales, read: ReadRows, row: number, anchor: Anchor): number {
  if (findDifferences(read, row, anchor).some(({ index }) => indexes.includes(index))) return Number.POSITIVE_INFINITY;
  return indexes.reduce((sum, index) => sum + Math.abs((read.values[index]?.[row] ?? 0) - (anchor.values[index] ?? 0)), 0);
}

interface Known {
  scales: (Scale | undefined)[];
  /** Row of the anchor, whose stored values are independent of the scale; negative: none. */
  anchorRow: number;
  isForward: boolean;
}

/** Propagates known scales to neighbouring rows: a row has the scale in which it continues its neighbour plausibly. */
function propagateScales(rows: TwoScales, order: readonly number[], { scales, anchorRow, isForward }: Known): void {
  let neighbour: (number | null | undefined)[] | undefined;
  let scale: Scale | undefined;
  for (const row of order) {
    if (row !== anchorRow && neighbour !== undefined) scales[row] ??= scaleByNeighbour(rows, row, { neighbour, scale, isForward });
    scale = scales[row] ?? scale;
    if (row === anchorRow) neighbour = [...(rows.anchor?.values ?? [])];
    else if (scales[row] !== undefined) {
      const read = (scales[row] === 'former' && rows.former) || rows.present;
      const former: readonly (number | null | undefined)[] = neighbour ?? [];
      neighbour = read.values.map((column, index) => (isNone(column?.[row]) ? former[index] : column[row]));
    }
  }
}

interface Neighbour {
  neighbour: readonly (number | null | undefined)[];
  scale: Scale | undefined;
  isForward: boolean;
}

function scaleByNeighbour({ present, former, indexes, isFreeze: freezes }: TwoScales, row: number, by: Neighbour): Scale | undefined {
  const continues = (read: ReadRows): boolean =>
    indexes.every((index) => {
      const [known, value] = [by.neighbour[index], read.values[index]?.[row]];
      const [before, after] = by.isForward ? [known, value] : [value, known];
      return !isLeap({ isFreeze: freezes, index, before, after, smallest: (by.isForward ? read : present).steps[index] ?? 1 });
    });
  const isPresent = continues(present);
  const isFormer = former !== undefined && continues(former);
  if (isPresent !== isFormer) return isPresent ? 'present' : 'former';
  if (!isPresent) return undefined;
  if (indexes.every((index) => Object.is(present.values[index]?.[row], former?.values[index]?.[row]))) return 'present';
  // The scaler changed once: rows after one of the present scale, and before one of the former, have the same scale.
  return by.scale === (by.isForward ? 'present' : 'former') ? by.scale : undefined;
}

/** Whether rows may have been captured before a detected change of their scaler. */
export function mayBeOfFormerScale(profile: CountedProfile, device: MeterDevice, answer: ProfileAnswer): boolean {
  const until = Math.max(...rescalingsOf(answer, device, isFreeze(profile)).map((rescaling) => rescaling.until));
  return answer.data.clock.some((stamp) => stamp <= until);
}

/** Objects with a change of scaling that only anchor or rows reveal, with the difference of the scalers. */
export function findUndetectedRescalings(
  device: MeterDevice,
  answer: ProfileAnswer,
  asked: Pick<Asked, 'profile' | 'rows' | 'anchor'>,
): { object: ObjectRef; power: number }[] {
  if (rescalingsOf(answer, device, isFreeze(asked.profile)).length > 0) return [];
  return deriveRescalings(device, answer, asked).flatMap(({ columns }) =>
    columns.flatMap(({ quantity, power }) => {
      const object = answer.columns[quantity.column];
      return object === undefined || power === undefined ? [] : [{ object, power }];
    }),
  );
}

interface Asked {
  profile: CountedProfile;
  /** Rows in the present scaling, followed by the present registers where these were read. */
  rows: ReadRows;
  /** Rows before this time are dropped in any scale. Epoch milliseconds. */
  from: number;
  anchor: Anchor | undefined;
}

/**
 * Converts rows captured with a former scaling to the present one. Fails with SCALE_UNKNOWN when neither the anchor nor a row captured after
 * the change reveals the scale of a requested row.
 */
export function inPresentScale(device: MeterDevice, answer: ProfileAnswer, { profile, rows, from, anchor }: Asked): Outcome<ProfileAnswer> {
  const freezes = isFreeze(profile);
  const noticed = rescalingsOf(answer, device, freezes);
  const isKnown = noticed.length > 0 && noticed.every(({ columns }) => columns.every(({ power }) => power !== undefined));
  const derived = isKnown ? [] : deriveRescalings(device, answer, { profile, rows, anchor });
  const rescalings = noticed.length > 0 ? noticed.map((one) => withPowersOf(one, derived)) : derived;
  let values = answer.data.values;
  for (const rescaling of rescalings) {
    const { noticedAt, until, columns } = rescaling;
    const indexes = columns.map(({ quantity }) => quantity.index);
    // The scale of powers and currents alone is not decidable: see decision 98.
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

/** Completes a change whose former scaler is unknown with what anchor and rows reveal. */
function withPowersOf(noticed: Rescaling, derived: readonly Rescaling[]): Rescaling {
  const powers = new Map(derived.flatMap(({ columns }) => columns.map(({ quantity, power }) => [quantity.index, power])));
  return {
    ...noticed,
    columns: noticed.columns.map((column) => ({ ...column, power: column.power ?? powers.get(column.quantity.index) })),
  };
}

function withValues(answer: ProfileAnswer, values: Float64Array[]): ProfileAnswer {
  return { ...answer, data: { ...answer.data, values } };
}

function scaleUnknown(noticedAt: number | undefined): Outcome<never> {
  const when = noticedAt === undefined ? '' : ` on ${new Date(noticedAt).toISOString()}`;
  return failed('SCALE_UNKNOWN', `Captured before its scaler changed${when}, and no stored row reveals its scale`);
}

/** Converts all rows as if captured with the former scaling, to numbers for the present one. */
function inFormerScale({ data }: ProfileAnswer, { columns }: Rescaling): Float64Array[] {
  const values = [...data.values];
  for (const { quantity, power, hasOtherUnit } of columns)
    values[quantity.column] = Float64Array.from(values[quantity.column] ?? [], (value) => {
      // A register at zero, such as export without generation, never reveals its former scaler, and is zero in each.
      if (power === undefined) return value === 0 && hasOtherUnit !== true ? 0 : Number.NaN;
      if (isFull(value, quantity.isEnergy)) return value;
      return power < 0 ? value / 10 ** -power : value * 10 ** power;
    });
  return values;
}

/** Replaces the resolution by that of the former scaling. */
function formerRowsOf(rows: ReadRows, { columns }: Rescaling): ReadRows {
  const steps = [...rows.steps];
  for (const { quantity, power } of columns) steps[quantity.index] = Math.max(1, 10 ** (quantity.exponent + (power ?? 0)));
  return { ...rows, steps };
}
