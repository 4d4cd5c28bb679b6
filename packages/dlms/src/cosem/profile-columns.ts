import { dayNumber, daysInMonth } from './civil-day.ts';
import { borrowColumns, giveBackColumns, takeWritten, type ColumnMemory } from './column-memory.ts';
import { DESK_AT, outOf, type ColumnVectors } from './column-vectors.ts';
import { isDeltaTag, SCALARS, SCALAR_BY_TAG, TAG } from './data-scalars.ts';

/** A profile's buffer by columns: no object per value. The columns are lent. */
export interface ProfileColumns {
  rows: number;
  /** Epoch milliseconds of each row; NaN where the moment is not a real, fully specified one. */
  clock: Float64Array;
  /** Clock status octet of each row; 0xFF where there is none. */
  clockStatus: Uint8Array;
  /** One per column but the clock, in their order; NaN for null and for what is not a number. */
  values: Float64Array[];
  /** Whether some value stood only for "as in the row before". */
  inferred: boolean;
  /**
   * Gives the columns back, for the next buffer of this size: for whoever has copied what it needs. The table is empty from
   * then on, and a column that somebody still holds is soon another meter's. A table that nobody gives back is collected
   * like everything else.
   */
  release(): void;
}

/** What the capture objects say about a buffer. */
export interface ProfileShape {
  /** Including the clock. */
  columns: number;
  /** From 0. */
  clockColumn: number;
  capturePeriodSeconds: number;
  /** For clocks that do not say their deviation from UTC. */
  assumedDeviationMinutes?: number;
}

const NO_OCTET = 0xff;
const NO_YEAR = 0xffff;
const NO_DEVIATION = -0x8000;
const MAX_DEVIATION_MINUTES = 840;
const MS_PER_DAY = 86_400_000;
const MS_PER_MINUTE = 60_000;
const HIGH_WORD = 2 ** 32;

const NOT_NUMBERS: ReadonlySet<string> = new Set(['bitString', 'octetString', 'visibleString', 'utf8String', 'dateTime', 'date', 'time']);

/** Octets of a number's body by its tag; 0 for everything else. */
export const NUMBER_SIZE: Readonly<Uint8Array> = Uint8Array.from({ length: 256 }, (_, tag) => {
  const scalar = SCALAR_BY_TAG[tag];
  return scalar === undefined || NOT_NUMBERS.has(scalar.type) ? 0 : scalar.size;
});

/** Octets of a row's beginning that are compared at once: structure, count, and mostly the clock's tag and length. */
export const HEADER_SIZE = 4;

/** Bodies that stand at equal distances: one in each row. */
export interface Bodies {
  view: DataView;
  /** Offset of the first. */
  at: number;
  /** From one to the next. */
  stride: number;
  fromRow: number;
  toRow: number;
}

type Reader = (view: DataView, at: number) => number;

const READERS: Readonly<Record<number, Reader>> = {
  [SCALARS.doubleLong.tag]: (view, at) => view.getInt32(at),
  [SCALARS.long.tag]: (view, at) => view.getInt16(at),
  [SCALARS.integer.tag]: (view, at) => view.getInt8(at),
  [SCALARS.bcd.tag]: (view, at) => view.getInt8(at),
  [SCALARS.long64Unsigned.tag]: (view, at) => view.getUint32(at) * HIGH_WORD + view.getUint32(at + 4),
  [SCALARS.long64.tag]: (view, at) => view.getInt32(at) * HIGH_WORD + view.getUint32(at + 4),
  [SCALARS.float32.tag]: (view, at) => view.getFloat32(at),
  [SCALARS.float64.tag]: (view, at) => view.getFloat64(at),
  [SCALARS.boolean.tag]: (view, at) => (view.getUint8(at) === 0 ? 0 : 1),
  [SCALARS.deltaInteger.tag]: (view, at) => view.getInt8(at),
  [SCALARS.deltaLong.tag]: (view, at) => view.getInt16(at),
  [SCALARS.deltaDoubleLong.tag]: (view, at) => view.getInt32(at),
  [SCALARS.deltaUnsigned.tag]: (view, at) => view.getUint8(at),
  [SCALARS.deltaLongUnsigned.tag]: (view, at) => view.getUint16(at),
  [SCALARS.deltaDoubleLongUnsigned.tag]: (view, at) => view.getUint32(at),
};

/** A column of a table that is being filled, for the numbers of one type. The types of energy and status have loops of their own. */
function fillNumbers(values: Float64Array, tag: number, { view, at: first, stride, fromRow, toRow }: Bodies): void {
  let at = first;
  if (tag === SCALARS.doubleLongUnsigned.tag) {
    for (let row = fromRow; row < toRow; row++, at += stride) values[row] = view.getUint32(at);
  } else if (tag === SCALARS.longUnsigned.tag) {
    for (let row = fromRow; row < toRow; row++, at += stride) values[row] = view.getUint16(at);
  } else if (tag === SCALARS.unsigned.tag || tag === SCALARS.enum.tag) {
    for (let row = fromRow; row < toRow; row++, at += stride) values[row] = view.getUint8(at);
  } else {
    const read = READERS[tag];
    if (read === undefined) throw new Error(`No number has tag ${tag}`);
    for (let row = fromRow; row < toRow; row++, at += stride) values[row] = read(view, at);
  }
}

/**
 * The same for the types of energy and status, as far as their tag stands before each body: where the first row is that
 * has another. Checking and reading go through the octets together: one after the other takes half as long again.
 */
function fillTagged(values: Float64Array, tag: number, { view, at: first, stride, fromRow, toRow }: Bodies): number {
  let row = fromRow;
  let at = first;
  if (tag === SCALARS.doubleLongUnsigned.tag) {
    for (; row < toRow && view.getUint8(at - 1) === tag; row++, at += stride) values[row] = view.getUint32(at);
  } else if (tag === SCALARS.longUnsigned.tag) {
    for (; row < toRow && view.getUint8(at - 1) === tag; row++, at += stride) values[row] = view.getUint16(at);
  } else {
    for (; row < toRow && view.getUint8(at - 1) === tag; row++, at += stride) values[row] = view.getUint8(at);
  }
  return row;
}

/** Columns that are read in one loop when they stand side by side. */
export const SIDE_BY_SIDE = 4;
/** The type of energy: what stands side by side in most profiles. */
export const SIDE_BY_SIDE_TAG: number = SCALARS.doubleLongUnsigned.tag;

/** The same for four columns of that type, the first of them at `from`: one loop takes a sixth less than four. */
function fillSideBySide(values: readonly Float64Array[], from: number, { view, at: first, stride, fromRow, toRow }: Bodies): number {
  const [a, b, c, d] = [values[from], values[from + 1], values[from + 2], values[from + 3]];
  if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('Fewer columns than were learned');
  let row = fromRow;
  for (let at = first; row < toRow; row++, at += stride) {
    if (view.getUint8(at - 1) !== SIDE_BY_SIDE_TAG || view.getUint8(at + 4) !== SIDE_BY_SIDE_TAG) break;
    if (view.getUint8(at + 9) !== SIDE_BY_SIDE_TAG || view.getUint8(at + 14) !== SIDE_BY_SIDE_TAG) break;
    a[row] = view.getUint32(at);
    b[row] = view.getUint32(at + 5);
    c[row] = view.getUint32(at + 10);
    d[row] = view.getUint32(at + 15);
  }
  return row;
}

/** Types with loops of their own. */
export const isCommon = (tag: number): boolean =>
  tag === SCALARS.doubleLongUnsigned.tag || tag === SCALARS.longUnsigned.tag || tag === SCALARS.unsigned.tag || tag === SCALARS.enum.tag;

/** Where the first row is that has another tag before its body; without a body its tag is the octet itself. */
function tagsEnd(tag: number, { view, at: first, stride, fromRow, toRow }: Bodies): number {
  let row = fromRow;
  for (let at = first - 1; row < toRow && view.getUint8(at) === tag; at += stride) row++;
  return row;
}

/** A delta counts from the row before; without one it says nothing. */
export function addToRowBefore(values: Float64Array, row: number): void {
  values[row] = (row === 0 ? Number.NaN : (values[row - 1] ?? Number.NaN)) + (values[row] ?? Number.NaN);
}

/** Midnight of year (two octets), month and day; NaN if there is no such day. Year 0xFFFF and month and day 0xFF are "not specified". */
function dateMs(octets: number): number {
  const year = octets >>> 16;
  const month = (octets >>> 8) & 0xff;
  const day = octets & 0xff;
  const isDate = year !== NO_YEAR && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  return isDate ? dayNumber({ year, month, day }) * MS_PER_DAY : Number.NaN;
}

/**
 * Moments are put together in units of 2^20 ms, which loses nothing: sums of fractions are added at once, while those of
 * whole numbers the engine takes through integers and back, to see whether they are still exact.
 */
const UNIT_MS = 2 ** 20;

/** Units by octet, when each stands for so many milliseconds; NaN for those that are no number below `count`. */
const unitsByOctet = (count: number, eachMs: number): Float64Array =>
  Float64Array.from({ length: 256 }, (_, octet) => (octet < count ? (octet * eachMs) / UNIT_MS : Number.NaN));

// What is no hour, minute or second makes the sum NaN: nothing has to be asked for each row.
const HOURS = unitsByOctet(24, 60 * MS_PER_MINUTE);
const MINUTES = unitsByOctet(60, MS_PER_MINUTE);
const SECONDS = unitsByOctet(60, 1000);
SECONDS[NO_OCTET] = 0;

/** Units of hour, minute and second, the last three octets; NaN if it is no time. */
const timeOfDay = (octets: number): number =>
  // as: every octet has an entry
  (HOURS[(octets >>> 16) & 0xff] as number) + (MINUTES[(octets >>> 8) & 0xff] as number) + (SECONDS[octets & 0xff] as number);

/** What is added to local time; NaN if there is no such zone. */
const deviationMs = (minutes: number): number =>
  minutes >= -MAX_DEVIATION_MINUTES && minutes <= MAX_DEVIATION_MINUTES ? minutes * MS_PER_MINUTE : Number.NaN;

const NO_NUMBERS = new Float64Array(0);
const NO_OCTETS = new Uint8Array(0);
const NO_COLUMNS: Float64Array[] = [];

/** The columns being filled, and when they are. */
export class ColumnTable implements ProfileColumns {
  rows: number;
  clock: Float64Array;
  clockStatus: Uint8Array;
  values: Float64Array[];
  inferred = false;
  #memory: ColumnMemory | undefined;
  readonly #shape: ProfileShape;

  constructor(rows: number, shape: ProfileShape) {
    const memory = borrowColumns(rows, shape.columns);
    this.rows = rows;
    this.clock = memory.clock;
    this.clockStatus = memory.clockStatus;
    this.values = memory.values;
    this.#memory = memory;
    this.#shape = shape;
  }

  release(): void {
    if (this.#memory === undefined) return;
    giveBackColumns(this.#memory);
    this.#memory = undefined;
    this.rows = 0;
    this.clock = NO_NUMBERS;
    this.clockStatus = NO_OCTETS;
    this.values = NO_COLUMNS;
  }

  get shape(): ProfileShape {
    return this.#shape;
  }

  /** Of a column; the clock has none. */
  valuesOf(column: number): Float64Array | undefined {
    return column === this.#shape.clockColumn ? undefined : this.values[this.#indexOf(column)];
  }

  #indexOf(column: number): number {
    return column < this.#shape.clockColumn ? column : column - 1;
  }

  /** Values of one column; null-data stands for the value of the row before. @spec BB 4 */
  fill(values: Float64Array, tag: number, bodies: Bodies): void {
    const { fromRow, toRow } = bodies;
    if (tag !== TAG.null) {
      fillNumbers(values, tag, bodies);
      if (isDeltaTag(tag)) for (let row = fromRow; row < toRow; row++) addToRowBefore(values, row);
      return;
    }
    const value = fromRow === 0 ? Number.NaN : (values[fromRow - 1] ?? Number.NaN);
    values.fill(value, fromRow, toRow);
    if (!Number.isNaN(value)) this.inferred = true;
  }

  /** The same for values with their tag before them: where the first row is that has another tag. */
  fillTagged(values: Float64Array, tag: number, bodies: Bodies): number {
    if (isCommon(tag)) return fillTagged(values, tag, bodies);
    const toRow = tagsEnd(tag, bodies);
    if (toRow > bodies.fromRow) this.fill(values, tag, { ...bodies, toRow });
    return toRow;
  }

  /** The same for four columns of energy side by side, the first of them `column`. */
  fillSideBySide(column: number, bodies: Bodies): number {
    return fillSideBySide(this.values, this.#indexOf(column), bodies);
  }

  /** Moments, or null-data: one capture period after the row before. @spec BB 4 */
  fillClock(tag: number, bodies: Bodies): void {
    if (tag === TAG.null) this.#inferClock(bodies);
    else this.#setClock(bodies, undefined);
  }

  /** Moments, as far as the four octets before each are `header`: where the first row is that has others. */
  fillClockBehind(header: number, bodies: Bodies): number {
    return this.#setClock(bodies, header);
  }

  /**
   * All moments by vectors, the first of them at `first` on the desk, as far as the four octets before each are `header`: false if
   * one has others, or is none that vectors can read. They are written beside the table, until it takes them.
   */
  writeClock(vectors: ColumnVectors, header: number, { view, first, stride }: { view: DataView; first: number; stride: number }): boolean {
    const { rows } = this;
    const status = outOf(this.values.length + 1, rows);
    for (let row = 0; row < rows;) {
      const at = first + row * stride;
      if (view.getInt32(at - HEADER_SIZE) !== header) return false;
      const base = dateMs(view.getInt32(at)) + this.#tailMs(view.getInt32(at + 8));
      const out = outOf(0, rows) + row * Float64Array.BYTES_PER_ELEMENT;
      const read = vectors.moments(DESK_AT + at - HEADER_SIZE, stride, out, status + row, rows - row, base);
      if (read === 0) return false;
      row += read;
    }
    return true;
  }

  /** Takes over the columns that vectors have written. */
  takeWritten(): void {
    if (this.#memory !== undefined) takeWritten(this.#memory);
  }

  #inferClock({ fromRow, toRow }: Bodies): void {
    const { clock } = this;
    const periodMs = this.#shape.capturePeriodSeconds * 1000;
    const before = fromRow === 0 ? Number.NaN : (clock[fromRow - 1] ?? Number.NaN);
    if (!Number.isNaN(before)) this.inferred = true;
    for (let row = fromRow, nth = 1; row < toRow; row++, nth++) clock[row] = before + nth * periodMs;
    this.clockStatus.fill(fromRow === 0 ? NO_OCTET : (this.clockStatus[fromRow - 1] ?? NO_OCTET), fromRow, toRow);
  }

  /** The twelve octets of each moment, four at a time; says the same as `toEpochMs`. Where the first row is that has another header. */
  #setClock({ view, at: first, stride, fromRow, toRow }: Bodies, header: number | undefined): number {
    const { clock, clockStatus } = this;
    // Without a header the date is compared twice.
    const toHeader = header === undefined ? 0 : -HEADER_SIZE;
    let row = fromRow;
    let at = first;
    while (row < toRow) {
      const head = view.getInt32(at + toHeader);
      if (header !== undefined && head !== header) break;
      const date = view.getInt32(at);
      const tail = view.getInt32(at + 8);
      const rest = (dateMs(date) + this.#tailMs(tail)) / UNIT_MS;
      // Rows follow each other within a day and in one zone. No call stands in here: the
      // engine would look at all columns anew behind it.
      for (; row < toRow && view.getInt32(at) === date && view.getInt32(at + 8) === tail; row++, at += stride) {
        if (view.getInt32(at + toHeader) !== head) break;
        clock[row] = (rest + timeOfDay(view.getInt32(at + 4))) * UNIT_MS;
        clockStatus[row] = tail;
      }
    }
    return row;
  }

  /** Milliseconds of hundredths and deviation; NaN if they are none. The status is the octet behind them. */
  #tailMs(octets: number): number {
    const hundredths = octets >>> 24;
    if (hundredths > 99 && hundredths !== NO_OCTET) return Number.NaN;
    const said = (octets << 8) >> 16;
    const deviation = said === NO_DEVIATION ? (this.#shape.assumedDeviationMinutes ?? Number.NaN) : said;
    return (hundredths === NO_OCTET ? 0 : hundredths * 10) + deviationMs(deviation);
  }
}
