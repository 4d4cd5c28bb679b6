import type { ByteReader } from '../codec/byte-reader.ts';
import { SCALARS, TAG } from './data-scalars.ts';
import { DATE_TIME_SIZE, toEpochMs } from './date-time.ts';
import { repeatClock, repeatValue, valuesOf, type ProfileShape, type ProfileTable } from './profile-columns.ts';

const OCTET_STRING = SCALARS.octetString.tag;
const OTHER = 0xff;
/** Octets behind the tag of a cell, by tag; OTHER for types that only the loop over cells reads. */
const sizes = (...known: [tag: number, size: number][]) =>
  known.reduce((table, [tag, size]) => table.with(tag, size), new Uint8Array(256).fill(OTHER));
const UNSIGNED = (['doubleLongUnsigned', 'longUnsigned', 'unsigned', 'enum'] as const).map((type) => SCALARS[type]);
const SIGNED = (['doubleLong', 'long', 'integer'] as const).map((type) => SCALARS[type]);
const INTEGERS = sizes([TAG.null, 0], ...[...UNSIGNED, ...SIGNED].map(({ tag, size }): [number, number] => [tag, size]));
const MOMENTS = sizes([TAG.null, 0], [SCALARS.dateTime.tag, DATE_TIME_SIZE], [OCTET_STRING, 1 + DATE_TIME_SIZE]);
const SIGNED_TAGS: ReadonlySet<number> = new Set(SIGNED.map(({ tag }) => tag));

/** Cells of one column in rows `row` to `end`; `at` is the offset behind the tag of the first. */
interface Cells {
  view: DataView;
  at: number;
  rowSize: number;
  row: number;
  end: number;
}

/**
 * Reads row `from` and the following rows of the same layout, column by column, in a twentieth of the time of the loop over cells. Returns
 * their number; 0 when a cell is not a date-time, null-data or an integer of up to four octets.
 */
export function readAlikeRows(table: ProfileTable, from: number, input: ByteReader): number {
  const { octets, offset } = input;
  const { columns, shape } = table;
  const rowSize = sizeOfRow(octets, offset, shape);
  if (rowSize === 0) return 0;
  const view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
  const end = Math.min(columns.rows, from + Math.floor(input.left / rowSize));
  const cells: Cells = { view, at: offset + 2, rowSize, row: from, end };
  // A clock as octet-string in the first column compares these two octets as part of its header; see `readMoments`.
  if (shape.clockColumn > 0 || octets[offset + 2] !== OCTET_STRING) {
    cells.end = rowsWith(TAG.structure, cells, offset);
    cells.end = rowsWith(shape.columns, cells, offset + 1);
  }
  for (let column = 0; column < shape.columns; column++) {
    const tag = octets[cells.at++] ?? OTHER;
    const values = valuesOf(table, column);
    // A row with another tag ends the run. The loop over cells then overwrites the values that this run has stored for it.
    if (tag === TAG.null) {
      cells.end = rowsWith(TAG.null, cells, cells.at - 1);
      if (values === undefined) repeatClock(table, from, cells.end);
      else repeatValue(table, values, from, cells.end);
    } else if (values === undefined) cells.end = readMoments(table, tag, cells);
    else cells.end = readIntegers(values, tag, cells);
    cells.at += (values === undefined ? MOMENTS : INTEGERS)[tag] ?? 0;
  }
  input.offset = offset + (cells.end - from) * rowSize;
  return cells.end - from;
}

/** Octets of the row at `from`; 0 when a cell is of a type that only the loop over cells reads. */
function sizeOfRow(octets: Uint8Array, from: number, { columns, clockColumn }: ProfileShape): number {
  // The count of more than 127 columns takes several octets.
  if (octets[from] !== TAG.structure || octets[from + 1] !== columns || columns > 0x7f) return 0;
  let at = from + 2;
  for (let column = 0; column < columns; column++) {
    const tag = octets[at++] ?? OTHER;
    const size = (column === clockColumn ? MOMENTS : INTEGERS)[tag] ?? OTHER;
    if (size === OTHER || (tag === OCTET_STRING && octets[at] !== DATE_TIME_SIZE)) return 0;
    at += size;
  }
  return at - from;
}

/** Index of the first row with another octet at this position, at most `end`. */
function rowsWith(octet: number, { view, rowSize, row: from, end }: Cells, first: number): number {
  let row = from;
  for (let at = first; row < end && view.getUint8(at) === octet; at += rowSize) row++;
  return row;
}

/** One loop per size, because a call per value takes three times as long. */
function readIntegers(values: Float64Array, tag: number, { view, at: first, rowSize, row: from, end }: Cells): number {
  const size = INTEGERS[tag] ?? 0;
  let row = from;
  let at = first;
  if (size === 4) for (; row < end && view.getUint8(at - 1) === tag; row++, at += rowSize) values[row] = view.getUint32(at);
  else if (size === 2) for (; row < end && view.getUint8(at - 1) === tag; row++, at += rowSize) values[row] = view.getUint16(at);
  else for (; row < end && view.getUint8(at - 1) === tag; row++, at += rowSize) values[row] = view.getUint8(at);
  const shift = 32 - 8 * size;
  if (SIGNED_TAGS.has(tag)) for (let i = from; i < row; i++) values[i] = ((values[i] ?? 0) << shift) >> shift;
  return row;
}

/** Engines add fractions faster than integers, which they check for overflow. In units of 2^20 ms no digit is lost. */
const UNIT_MS = 2 ** 20;
const SECOND = 1000 / UNIT_MS;

/** Reads the date-times of the clock column; one that is not a point in time ends the run. */
function readMoments({ columns, shape }: ProfileTable, tag: number, { view, at: first, rowSize, row: from, end }: Cells): number {
  const { clock, clockStatus } = columns;
  const hasLength = tag === OCTET_STRING;
  // The tag, and the length of an octet-string, precede each date-time; in the first column the two octets that begin the row precede them.
  const mask = hasLength ? (shape.clockColumn === 0 ? -1 : 0xffff) : 0xff;
  let row = from;
  let at = hasLength ? first + 1 : first;
  const header = view.getInt32(at - 4) & mask;
  while (row < end) {
    const date = view.getUint32(at);
    const zone = view.getInt32(at + 8);
    const midnight = midnightOf(date, zone, shape);
    if (midnight === null) return row;
    const begin = midnight / UNIT_MS;
    for (; row < end && view.getUint32(at) === date && view.getInt32(at + 8) === zone; row++, at += rowSize) {
      const time = view.getInt32(at + 4);
      const hour = (time >>> 16) & 0xff;
      const minute = (time >>> 8) & 0xff;
      const second = time & 0xff;
      if (hour > 23 || minute > 59 || second > 59 || (view.getInt32(at - 4) & mask) !== header) return row;
      clock[row] = (begin + ((hour * 60 + minute) * 60 + second) * SECOND) * UNIT_MS;
      clockStatus[row] = zone;
    }
  }
  return row;
}

/** Epoch milliseconds of midnight plus hundredths. `date` is year, month and day; `zone` is hundredths, deviation and status. */
function midnightOf(date: number, zone: number, { assumedDeviationMinutes }: ProfileShape): number | null {
  const year = date >>> 16 === 0xffff ? null : date >>> 16;
  const hundredths = zone >>> 24 === 0xff ? null : zone >>> 24;
  const deviation = (zone << 8) >> 16;
  const deviationMinutes = deviation === -0x8000 ? null : deviation;
  const month = (date >>> 8) & 0xff;
  const moment = {
    year,
    month,
    day: date & 0xff,
    dayOfWeek: null,
    hour: 0,
    minute: 0,
    second: 0,
    hundredths,
    deviationMinutes,
    status: null,
  };
  return toEpochMs(moment, assumedDeviationMinutes);
}
