import { ByteReader } from '../codec/byte-reader.ts';
import { DecodeError, type DecodeFault } from '../codec/decode-error.ts';
import { readCompactArray } from './compact-array.ts';
import { rawData, type Data } from './data.ts';
import { SCALARS, SCALAR_BY_TAG, TAG } from './data-scalars.ts';
import { dayNumber, daysInMonth } from './civil-day.ts';
import { DATE_TIME_SIZE } from './date-time.ts';

/** A profile's buffer by columns: no object per value. */
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

const NO_STATUS = 0xff;
const NO_OCTET = 0xff;
const NO_DEVIATION = -0x8000;
const MAX_DEVIATION_MINUTES = 840;
const MS_PER_DAY = 86_400_000;
const MS_PER_MINUTE = 60_000;
const HIGH_WORD = 2 ** 32;
const OCTET_STRING = SCALARS.octetString.tag;
const DATE_TIME = SCALARS.dateTime.tag;

/** Octets of a number's body by its tag; 0 for everything else. */
const NUMBER_SIZE = new Uint8Array(256);
for (const { tag, size, type } of Object.values(SCALAR_BY_TAG).filter((scalar) => scalar !== undefined)) {
  const numeric = !['bitString', 'octetString', 'visibleString', 'utf8String', 'dateTime', 'date', 'time'].includes(type);
  if (numeric) NUMBER_SIZE[tag] = size;
}

/** Where the decoder stands. The octets are read here directly: this is the hot loop of every collection. */
class Cursor {
  readonly octets: Uint8Array;
  readonly view: DataView;
  readonly end: number;
  at = 0;
  row = 0;
  column = 0;

  constructor(octets: Uint8Array) {
    this.octets = octets;
    this.view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
    this.end = octets.length;
  }

  fail(fault: DecodeFault, offset = this.at): never {
    throw new DecodeError(fault, { offset, path: `buffer.${this.row}.${this.column}` });
  }

  need(count: number): void {
    if (this.at + count > this.end) this.fail({ code: 'TRUNCATED', needed: count, left: this.end - this.at });
  }

  uint8(): number {
    if (this.at >= this.end) this.need(1);
    return this.view.getUint8(this.at++);
  }

  length(): number {
    const first = this.uint8();
    if (first < 0x80) return first;
    this.at--;
    return this.#by((input) => input.length());
  }

  /** Reads what is too rare to be fast with the common reader. */
  #by<T>(read: (input: ByteReader) => T): T {
    const input = new ByteReader(this.octets, this.at);
    const value = input.field('buffer', () => input.field(this.row, () => input.field(this.column, () => read(input))));
    this.at = input.offset;
    return value;
  }

  /** Past one whole Data, checked, whatever it is. */
  skipData(): void {
    this.#by((input) => rawData.read(input));
  }

  /** Past the body of a scalar that is not a number. */
  skipBody(tag: number): void {
    this.#by((input) => (SCALAR_BY_TAG[tag] ?? this.fail({ code: 'UNKNOWN_TAG', tag })).body.read(input));
  }

  /** The body of a number. */
  number(tag: number): number {
    const { view, at } = this;
    const size = NUMBER_SIZE[tag] ?? 0;
    if (at + size > this.end) this.need(size);
    this.at = at + size;
    switch (tag) {
      case SCALARS.doubleLongUnsigned.tag:
        return view.getUint32(at);
      case SCALARS.doubleLong.tag:
        return view.getInt32(at);
      case SCALARS.longUnsigned.tag:
        return view.getUint16(at);
      case SCALARS.long.tag:
        return view.getInt16(at);
      case SCALARS.unsigned.tag:
      case SCALARS.enum.tag:
        return view.getUint8(at);
      case SCALARS.integer.tag:
      case SCALARS.bcd.tag:
        return view.getInt8(at);
      case SCALARS.long64Unsigned.tag:
        return view.getUint32(at) * HIGH_WORD + view.getUint32(at + 4);
      case SCALARS.long64.tag:
        return view.getInt32(at) * HIGH_WORD + view.getUint32(at + 4);
      case SCALARS.float32.tag:
        return view.getFloat32(at);
      case SCALARS.float64.tag:
        return view.getFloat64(at);
      case SCALARS.boolean.tag:
        return view.getUint8(at) === 0 ? 0 : 1;
      default:
        return this.fail({ code: 'UNKNOWN_TAG', tag }, at - 1);
    }
  }
}

/** The columns being filled. */
class Table {
  readonly clock: Float64Array;
  readonly clockStatus: Uint8Array;
  readonly values: Float64Array[];
  readonly #assumedDeviation: number;
  readonly #periodMs: number;
  inferred = false;
  // Rows follow each other within a day: its number is worked out once.
  #date = -1;
  #dayMs = Number.NaN;

  constructor(rows: number, shape: ProfileShape) {
    this.clock = new Float64Array(rows);
    this.clockStatus = new Uint8Array(rows);
    this.values = Array.from({ length: shape.columns - 1 }, () => new Float64Array(rows));
    this.#assumedDeviation = shape.assumedDeviationMinutes ?? Number.NaN;
    this.#periodMs = shape.capturePeriodSeconds * 1000;
  }

  /** The twelve octets of a moment at `at`, which are there. Says the same as `toEpochMs`. */
  setClock(row: number, view: DataView, at: number): void {
    const date = view.getUint32(at);
    if (date !== this.#date) this.#setDay(date);
    const hour = view.getUint8(at + 5);
    const minute = view.getUint8(at + 6);
    const second = view.getUint8(at + 7);
    const hundredths = view.getUint8(at + 8);
    const said = view.getInt16(at + 9);
    const deviation = said === NO_DEVIATION ? this.#assumedDeviation : said;
    const real = hour < 24 && minute < 60 && (second < 60 || second === NO_OCTET) && (hundredths < 100 || hundredths === NO_OCTET);
    this.clock[row] =
      real && deviation >= -MAX_DEVIATION_MINUTES && deviation <= MAX_DEVIATION_MINUTES
        ? this.#dayMs +
          (hour * 60 + minute + deviation) * MS_PER_MINUTE +
          (second === NO_OCTET ? 0 : second * 1000) +
          (hundredths === NO_OCTET ? 0 : hundredths * 10)
        : Number.NaN;
    this.clockStatus[row] = view.getUint8(at + 11);
  }

  #setDay(date: number): void {
    const year = date >>> 16;
    const month = (date >>> 8) & 0xff;
    const day = date & 0xff;
    const real = year !== 0xffff && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
    this.#date = date;
    this.#dayMs = real ? dayNumber({ year, month, day }) * MS_PER_DAY : Number.NaN;
  }

  /** null-data in the clock's column: one capture period after the row before. @spec BB 4.3.6 */
  inferClock(row: number): void {
    const ms = row === 0 ? Number.NaN : (this.clock[row - 1] ?? Number.NaN) + this.#periodMs;
    this.clock[row] = ms;
    this.clockStatus[row] = row === 0 ? NO_STATUS : (this.clockStatus[row - 1] ?? NO_STATUS);
    if (!Number.isNaN(ms)) this.inferred = true;
  }

  /** null-data in another column: as in the row before. @spec BB 4.3.6 */
  inferValue(values: Float64Array, row: number): void {
    const value = row === 0 ? Number.NaN : (values[row - 1] ?? Number.NaN);
    values[row] = value;
    if (!Number.isNaN(value)) this.inferred = true;
  }

  finish(): ProfileColumns {
    const { clock, clockStatus, values, inferred } = this;
    return { rows: clock.length, clock, clockStatus, values, inferred };
  }
}

/**
 * A profile's buffer (one encoded Data: array of structures, with or without null-data, or compact-array) as columns.
 * Throws `DecodeError` on broken bytes, on a row that has not the shape's width, and on a clock that is no date-time.
 * 64-bit integers are rounded to the precision of a double.
 */
export function decodeProfileBuffer(data: Uint8Array, shape: ProfileShape): ProfileColumns {
  const cursor = new Cursor(data);
  const tag = cursor.uint8();
  const table = tag === TAG.compactArray ? decodeCompact(cursor, shape) : decodeTagged(cursor, shape, tag);
  if (cursor.at < cursor.end) cursor.fail({ code: 'TRAILING_BYTES', left: cursor.end - cursor.at });
  return table.finish();
}

function decodeTagged(cursor: Cursor, shape: ProfileShape, tag: number): Table {
  // Some meters answer null-data for an empty range.
  if (tag === TAG.null) return new Table(0, shape);
  if (tag !== TAG.array) cursor.fail({ code: 'UNEXPECTED_OCTET', expected: TAG.array, found: tag }, cursor.at - 1);
  const rows = cursor.length();
  // Every row takes its tag, its count and an octet per column: a count that lies is refused before memory is taken.
  cursor.need(rows * (2 + shape.columns));
  const table = new Table(rows, shape);
  for (let row = 0; row < rows; row++) {
    cursor.row = row;
    cursor.column = 0;
    const found = cursor.uint8();
    if (found !== TAG.structure) cursor.fail({ code: 'UNEXPECTED_OCTET', expected: TAG.structure, found }, cursor.at - 1);
    const width = cursor.length();
    if (width !== shape.columns) cursor.fail({ code: 'BAD_LENGTH', length: width });
    taggedRow(cursor, table, shape);
  }
  return table;
}

function taggedRow(cursor: Cursor, table: Table, { columns, clockColumn }: ProfileShape): void {
  const { row } = cursor;
  for (let column = 0; column < columns; column++) {
    cursor.column = column;
    const tag = cursor.uint8();
    const values = table.values[column < clockColumn ? column : column - 1];
    if (column === clockColumn || values === undefined) {
      if (tag === TAG.null) table.inferClock(row);
      else readClock(cursor, table, tag);
    } else if ((NUMBER_SIZE[tag] ?? 0) > 0) values[row] = cursor.number(tag);
    else if (tag === TAG.null) table.inferValue(values, row);
    else {
      cursor.at--;
      cursor.skipData();
      values[row] = Number.NaN;
    }
  }
}

function readClock(cursor: Cursor, table: Table, tag: number): void {
  if (tag === OCTET_STRING) {
    const length = cursor.length();
    if (length !== DATE_TIME_SIZE) cursor.fail({ code: 'BAD_LENGTH', length });
  } else if (tag !== DATE_TIME) cursor.fail({ code: 'BAD_VALUE', reason: `tag ${tag} in the clock's column` });
  cursor.need(DATE_TIME_SIZE);
  table.setClock(cursor.row, cursor.view, cursor.at);
  cursor.at += DATE_TIME_SIZE;
}

/** The tags of a row in a compact array, when it is a structure of plain values. */
function compactTags(cursor: Cursor, columns: number): Uint8Array | undefined {
  const tag = cursor.uint8();
  if (tag !== TAG.structure) cursor.fail({ code: 'UNEXPECTED_OCTET', expected: TAG.structure, found: tag }, cursor.at - 1);
  const width = cursor.length();
  if (width !== columns) cursor.fail({ code: 'BAD_LENGTH', length: width });
  cursor.need(width);
  const tags = cursor.octets.subarray(cursor.at, cursor.at + width);
  cursor.at += width;
  return tags.every((octet) => SCALAR_BY_TAG[octet] !== undefined) ? tags : undefined;
}

function decodeCompact(cursor: Cursor, shape: ProfileShape): Table {
  const from = cursor.at;
  const tags = compactTags(cursor, shape.columns);
  if (tags === undefined) {
    const input = new ByteReader(cursor.octets, from);
    const { value } = readCompactArray(input);
    cursor.at = input.offset;
    return tableOf(cursor, value, shape);
  }
  const size = cursor.length();
  cursor.need(size);
  const contents = new Cursor(cursor.octets.subarray(0, cursor.at + size));
  contents.at = cursor.at;
  const table = new Table(countCompactRows(contents, tags), shape);
  contents.at = cursor.at;
  for (let row = 0; row < table.clock.length; row++) {
    contents.row = row;
    compactRow(contents, table, tags, shape.clockColumn);
  }
  cursor.at += size;
  return table;
}

/** Rows in the contents; walks through them only where a type's length varies. */
function countCompactRows(cursor: Cursor, tags: Uint8Array): number {
  let size = 0;
  for (const tag of tags) {
    const fixed = tag === DATE_TIME ? DATE_TIME_SIZE : (NUMBER_SIZE[tag] ?? 0);
    if (fixed === 0) return walkCompactRows(cursor, tags);
    size += fixed;
  }
  const left = cursor.end - cursor.at;
  if (left % size !== 0) cursor.fail({ code: 'TRUNCATED', needed: size, left: left % size });
  return left / size;
}

function walkCompactRows(cursor: Cursor, tags: Uint8Array): number {
  let rows = 0;
  for (; cursor.at < cursor.end; rows++) {
    cursor.row = rows;
    for (const tag of tags) cursor.skipBody(tag);
  }
  return rows;
}

function compactRow(cursor: Cursor, table: Table, tags: Uint8Array, clockColumn: number): void {
  for (let column = 0; column < tags.length; column++) {
    cursor.column = column;
    const tag = tags[column] ?? 0;
    const values = table.values[column < clockColumn ? column : column - 1];
    if (column === clockColumn || values === undefined) readClock(cursor, table, tag);
    else if ((NUMBER_SIZE[tag] ?? 0) > 0) values[cursor.row] = cursor.number(tag);
    else {
      cursor.skipBody(tag);
      values[cursor.row] = Number.NaN;
    }
  }
}

/** The slow way, for the rare compact arrays that have nested or null columns. */
function tableOf(cursor: Cursor, rows: Data[], { clockColumn, ...shape }: ProfileShape): Table {
  const table = new Table(rows.length, { clockColumn, ...shape });
  for (const [row, data] of rows.entries()) {
    const items = data.type === 'structure' ? data.value : [];
    const [clock] = items.splice(clockColumn, 1);
    if (clock?.type === 'null') table.inferClock(row);
    else setClockOf(cursor, table, row, clock);
    for (const [i, item] of items.entries()) {
      const values = table.values[i];
      if (values !== undefined) values[row] = numberOf(item);
    }
  }
  return table;
}

function setClockOf(cursor: Cursor, table: Table, row: number, clock: Data | undefined): void {
  const octets = clock?.type === 'octetString' || clock?.type === 'dateTime' ? clock.value : undefined;
  if (octets?.length !== DATE_TIME_SIZE) cursor.fail({ code: 'BAD_VALUE', reason: "no moment in the clock's column" });
  table.setClock(row, new DataView(octets.buffer, octets.byteOffset), 0);
}

function numberOf(data: Data): number {
  if (!('value' in data)) return Number.NaN;
  if (typeof data.value === 'boolean') return data.value ? 1 : 0;
  return typeof data.value === 'bigint' || typeof data.value === 'number' ? Number(data.value) : Number.NaN;
}
