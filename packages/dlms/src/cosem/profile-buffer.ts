import { ByteReader } from '../codec/byte-reader.ts';
import { decode } from '../codec/codec.ts';
import { readAlikeRows } from './alike-rows.ts';
import { readCompactArray } from './compact-array.ts';
import { TAG } from './data-scalars.ts';
import { numberIn, type Data } from './data-value.ts';
import { dataCodec } from './data.ts';
import { DATE_TIME_SIZE, dateTimeCodec, toEpochMs } from './date-time.ts';
import {
  repeatClock,
  repeatValue,
  tableOf,
  valuesOf,
  type ProfileColumns,
  type ProfileShape,
  type ProfileTable,
} from './profile-columns.ts';

export type { ProfileColumns, ProfileShape } from './profile-columns.ts';

interface Reading {
  /** Columns of a former buffer that the caller no longer reads: those of the same size are overwritten and returned. */
  into?: ProfileColumns | undefined;
  /** Reads rows of one layout and returns their number; 0 leaves the row to the loop over its cells. */
  readAlike?: typeof readAlikeRows;
}

/**
 * A profile's buffer (one encoded Data: array of structures, with or without null-data, or compact-array) as columns. Throws `DecodeError`
 * on broken octets, on a row whose width differs from the shape, and on a clock that is not a date-time. 64-bit integers are rounded to the
 * precision of a double.
 * @spec BB 4 (Profile generic, class 7, attribute 2)
 */
export function decodeProfileBuffer(data: Uint8Array, shape: ProfileShape, reading: Reading = {}): ProfileColumns {
  const input = new ByteReader(data, 0, data.length, 'buffer');
  const { columns } = input.peek() === TAG.compactArray ? decodeCompactArray(input, shape, reading) : decodeArray(input, shape, reading);
  input.done();
  return columns;
}

function decodeArray(input: ByteReader, shape: ProfileShape, { into, readAlike = readAlikeRows }: Reading): ProfileTable {
  // Some meters return null-data for an empty range.
  const isEmpty = input.peek() === TAG.null;
  input.expect(isEmpty ? TAG.null : TAG.array);
  // Each row takes its tag, its count and an octet per column, so an excessive count is refused before any allocation.
  const table = tableOf(isEmpty ? 0 : input.count(2 + shape.columns), shape, into);
  const { rows } = table.columns;
  for (let row = 0; row < rows;) {
    const alike = readAlike(table, row, input);
    if (alike === 0) readRow(input, table, row++);
    row += alike;
  }
  return table;
}

const readRow = (input: ByteReader, table: ProfileTable, row: number): void =>
  input.field(row, () => {
    input.expect(TAG.structure);
    expectWidth(input, table.shape);
    for (let column = 0; column < table.shape.columns; column++)
      input.field(column, () => {
        const at = input.offset;
        setCell(input, table, { row, column, data: dataCodec.read(input), at });
      });
  });

function expectWidth(input: ByteReader, { columns }: ProfileShape): void {
  const at = input.offset;
  const width = input.length();
  if (width !== columns) input.fail({ code: 'BAD_LENGTH', length: width }, at);
}

/** A compact-array describes the types once; its rows carry no tags. */
function decodeCompactArray(input: ByteReader, shape: ProfileShape, { into }: Reading): ProfileTable {
  input.expect(TAG.compactArray);
  const at = input.offset;
  input.expect(TAG.structure);
  expectWidth(input, shape);
  input.offset = at;
  const rows = readCompactArray(input).value as { value: Data[] }[]; // as: the description says structure
  const table = tableOf(rows.length, shape, into);
  for (const [row, { value }] of rows.entries())
    for (const [column, data] of value.entries()) setCell(input, table, { row, column, data, at });
  return table;
}

interface Cell {
  row: number;
  column: number;
  data: Data;
  /** Offset that errors report. */
  at: number;
}

function setCell(input: ByteReader, table: ProfileTable, { row, column, data, at }: Cell): void {
  const values = valuesOf(table, column);
  if (values === undefined) return setClock(input, table, { row, column, data, at });
  if (data.type === 'null') return repeatValue(table, values, row, row + 1);
  const number = data.type === 'boolean' ? Number(data.value) : numberIn(data);
  // A delta adds to the previous row; in the first row it has no value.
  values[row] = data.type.startsWith('delta') ? (values[row - 1] ?? Number.NaN) + number : number;
}

function setClock(input: ByteReader, table: ProfileTable, { row, data, at }: Cell): void {
  if (data.type === 'null') return repeatClock(table, row, row + 1);
  if (data.type !== 'octetString' && data.type !== 'dateTime')
    return input.fail({ code: 'BAD_VALUE', reason: `${data.type} in the clock's column` }, at);
  if (data.value.length !== DATE_TIME_SIZE) input.fail({ code: 'BAD_LENGTH', length: data.value.length }, at);
  const moment = decode(dateTimeCodec, data.value);
  table.columns.clock[row] = toEpochMs(moment, table.shape.assumedDeviationMinutes) ?? Number.NaN;
  table.columns.clockStatus[row] = moment.status ?? 0xff;
}
