import { ByteReader } from '../codec/byte-reader.ts';
import { DESK } from './column-vectors.ts';
import { readCompactArray } from './compact-array.ts';
import { rawData } from './data.ts';
import { numberIn, type Data } from './data-value.ts';
import { SCALARS, SCALAR_BY_TAG, TAG } from './data-scalars.ts';
import { DATE_TIME_SIZE } from './date-time.ts';
import { addToRowBefore, ColumnTable, NUMBER_SIZE, type Bodies, type ProfileColumns, type ProfileShape } from './profile-columns.ts';
import { RowLayout } from './row-layout.ts';

export type { ProfileColumns, ProfileShape } from './profile-columns.ts';

/** The count of more takes more than one octet. */
const MOST_SIMPLE_ROWS = 0x7f;
/** Behind the array's tag and its count. */
const FIRST_ROW_AT = 2;
const OCTET_STRING = SCALARS.octetString.tag;
const DATE_TIME = SCALARS.dateTime.tag;

// Buffers are read one after the other, and mostly look like the one before: its layouts are tried before one is learned.
// Two, because the first row of the null-data form has another than those behind it.
let usual = new RowLayout();
let other = new RowLayout();
const COMPACT = new RowLayout();

const DESK_VIEW = new DataView(DESK.buffer, DESK.byteOffset, DESK.byteLength);

/** The octets of a buffer, and perhaps those of another behind its end. */
function viewOf(data: Uint8Array): DataView {
  if (data.length > DESK.length) return new DataView(data.buffer, data.byteOffset, data.byteLength);
  DESK.set(data);
  return DESK_VIEW;
}

/** What the ways to read a buffer share. */
interface Decoding {
  input: ByteReader;
  view: DataView;
  shape: ProfileShape;
}

/**
 * A profile's buffer (one encoded Data: array of structures, with or without null-data, or compact-array) as columns.
 * Throws `DecodeError` on broken bytes, on a row that has not the shape's width, and on a clock that is no date-time.
 * 64-bit integers are rounded to the precision of a double. Whoever has copied what it needs calls `release()`.
 */
export function decodeProfileBuffer(data: Uint8Array, shape: ProfileShape): ProfileColumns {
  const view = viewOf(data);
  const table = decodeSimple(data, view, shape);
  if (table !== undefined) return table;
  const input = new ByteReader(data, 0, data.length, 'buffer');
  const decoding = { input, view, shape };
  const decoded = input.peek() === TAG.compactArray ? decodeCompact(decoding) : decodeTagged(decoding);
  input.done();
  return decoded;
}

/**
 * What comes a million times a day, without a reader: an array of up to 127 simple rows. Undefined for all others, and for
 * what is broken, which the reader can explain.
 */
function decodeSimple(data: Uint8Array, view: DataView, shape: ProfileShape): ColumnTable | undefined {
  const rows = data[1] ?? 0;
  if (data[0] !== TAG.array || rows > MOST_SIMPLE_ROWS) return undefined;
  const table = new ColumnTable(rows, shape);
  if (view === DESK_VIEW && readAtOnce(table, data.length)) return table;
  const bodies = { view, at: FIRST_ROW_AT, stride: 0, fromRow: 0, toRow: rows };
  while (bodies.fromRow < rows && readRun(data, table, bodies));
  if (bodies.fromRow === rows && bodies.at === data.length) return table;
  table.release();
  return undefined;
}

/** Reads all rows, if they are of one of the layouts before; false for all others. */
function readAtOnce(table: ColumnTable, end: number): boolean {
  const { shape } = table;
  const rows = { view: DESK_VIEW, first: FIRST_ROW_AT, end };
  if (usual.isOf(shape) && usual.readAtOnce(table, rows)) return true;
  if (!other.isOf(shape) || !other.readAtOnce(table, rows)) return false;
  swapLayouts();
  return true;
}

function swapLayouts(): void {
  const former = usual;
  usual = other;
  other = former;
}

/** Reads simple rows of one layout; false if the row where the bodies begin is not of that kind. */
function readRun(octets: Uint8Array, table: ColumnTable, bodies: Bodies): boolean {
  const { shape } = table;
  const end = octets.length;
  if (usual.isOf(shape) && usual.readRun(table, bodies, end) > 0) return true;
  swapLayouts();
  if (usual.isOf(shape) && usual.readRun(table, bodies, end) > 0) return true;
  return usual.learn(octets, bodies.at, shape) && usual.readRun(table, bodies, end) > 0;
}

function decodeTagged(decoding: Decoding): ColumnTable {
  const { input, view, shape } = decoding;
  // Some meters answer null-data for an empty range.
  if (input.peek() === TAG.null) {
    input.uint8();
    return new ColumnTable(0, shape);
  }
  input.expect(TAG.array);
  // Every row takes its tag, its count and an octet per column: a count that lies is refused before memory is taken.
  const rows = input.count(2 + shape.columns);
  const table = new ColumnTable(rows, shape);
  const bodies = { view, at: input.offset, stride: 0, fromRow: 0, toRow: rows };
  while (bodies.fromRow < rows) {
    if (readRun(input.octets, table, bodies)) continue;
    input.offset = bodies.at;
    readRow(decoding, table, bodies.fromRow++);
    bodies.at = input.offset;
  }
  input.offset = bodies.at;
  return table;
}

/** A row with values that are no numbers, or a broken one: value by value. */
const readRow = (decoding: Decoding, table: ColumnTable, row: number): void =>
  decoding.input.field(row, () => readCells(decoding, table, row));

function readCells({ input, view, shape }: Decoding, table: ColumnTable, row: number): void {
  input.expect(TAG.structure);
  expectWidth(input, shape);
  const bodies = { view, at: 0, stride: 0, fromRow: row, toRow: row + 1 };
  eachColumn(shape, table, (column, values) =>
    input.field(column, () => {
      const tag = input.peek();
      if (values === undefined) readClock(input, table, bodies);
      else if (tag === TAG.null || (NUMBER_SIZE[tag] ?? 0) > 0) readNumber(input, { table, values, bodies });
      else {
        rawData.read(input);
        values[row] = Number.NaN;
      }
    }),
  );
}

/** Tells each column with its values; the clock has none. */
function eachColumn(
  { columns }: ProfileShape,
  table: ColumnTable,
  visit: (column: number, values: Float64Array | undefined) => void,
): void {
  for (let column = 0; column < columns; column++) {
    visit(column, table.valuesOf(column));
  }
}

function expectWidth(input: ByteReader, { columns }: ProfileShape): void {
  const at = input.offset;
  const width = input.length();
  if (width !== columns) input.fail({ code: 'BAD_LENGTH', length: width }, at);
}

interface Cell {
  table: ColumnTable;
  values: Float64Array;
  bodies: Bodies;
}

function readNumber(input: ByteReader, { table, values, bodies }: Cell, tag = input.uint8()): void {
  const size = NUMBER_SIZE[tag] ?? 0;
  input.need(size);
  table.fill(values, tag, { ...bodies, at: input.offset });
  input.offset += size;
}

function readClock(input: ByteReader, table: ColumnTable, bodies: Bodies, tag = input.uint8()): void {
  if (tag === OCTET_STRING) {
    const length = input.length();
    if (length !== DATE_TIME_SIZE) input.fail({ code: 'BAD_LENGTH', length });
  } else if (tag !== DATE_TIME && tag !== TAG.null) input.fail({ code: 'BAD_VALUE', reason: `tag ${tag} in the clock's column` });
  const size = tag === TAG.null ? 0 : DATE_TIME_SIZE;
  input.need(size);
  table.fillClock(tag, { ...bodies, at: input.offset });
  input.offset += size;
}

function decodeCompact(decoding: Decoding): ColumnTable {
  const { input, view, shape } = decoding;
  input.expect(TAG.compactArray);
  const from = input.offset;
  const tags = readTags(input, shape);
  if (tags === undefined) {
    input.offset = from;
    return tableOf(input, readCompactArray(input).value, shape);
  }
  const contents = input.slice(input.length());
  if (!COMPACT.learnCompact(tags, shape)) return readCompactRows({ ...decoding, input: contents }, tags);
  if (contents.left % COMPACT.size !== 0) contents.fail({ code: 'TRUNCATED', needed: COMPACT.size, left: contents.left % COMPACT.size });
  const table = new ColumnTable(contents.left / COMPACT.size, shape);
  COMPACT.readCompact(table, view, { at: contents.offset, fromRow: 0, count: table.clock.length });
  return table;
}

/** The tags of a row in a compact array, when it is a structure of plain values. */
function readTags(input: ByteReader, shape: ProfileShape): Uint8Array | undefined {
  input.expect(TAG.structure);
  expectWidth(input, shape);
  const tags = input.bytes(shape.columns);
  return tags.every((tag) => SCALAR_BY_TAG[tag] !== undefined) ? tags : undefined;
}

/** Rows of which some values vary in size: walked through once to count them, and once to read them. */
function readCompactRows({ input, view, shape }: Decoding, tags: Uint8Array): ColumnTable {
  const from = input.offset;
  let rows = 0;
  for (; input.left > 0; rows++) input.field(rows, () => tags.forEach((tag) => skipBody(input, tag)));
  input.offset = from;
  const table = new ColumnTable(rows, shape);
  for (let row = 0; row < rows; row++) {
    const bodies = { view, at: 0, stride: 0, fromRow: row, toRow: row + 1 };
    eachColumn(shape, table, (column, values) => {
      const tag = tags[column] ?? 0;
      if (values === undefined) input.field(row, () => readClock(input, table, bodies, tag));
      else if ((NUMBER_SIZE[tag] ?? 0) > 0) readNumber(input, { table, values, bodies }, tag);
      else {
        skipBody(input, tag);
        values[row] = Number.NaN;
      }
    });
  }
  return table;
}

const skipBody = (input: ByteReader, tag: number): void => SCALAR_BY_TAG[tag]?.skip(input);

/** The slow way, for the rare compact arrays that have nested or null columns. */
function tableOf(input: ByteReader, rows: Data[], shape: ProfileShape): ColumnTable {
  const table = new ColumnTable(rows.length, shape);
  for (const [row, data] of rows.entries()) {
    const items = data.type === 'structure' ? data.value : [];
    eachColumn(shape, table, (column, values) => {
      const item = items[column];
      if (values === undefined) setClock(input, table, row, item);
      else {
        values[row] = numberOf(item);
        if (item?.type.startsWith('delta') === true) addToRowBefore(values, row);
      }
    });
  }
  return table;
}

function setClock(input: ByteReader, table: ColumnTable, row: number, clock: Data | undefined): void {
  const octets = clock?.type === 'octetString' || clock?.type === 'dateTime' ? clock.value : new Uint8Array(0);
  if (clock?.type !== 'null' && octets.length !== DATE_TIME_SIZE)
    input.fail({ code: 'BAD_VALUE', reason: "no moment in the clock's column" });
  const view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
  table.fillClock(clock?.type === 'null' ? TAG.null : DATE_TIME, { view, at: 0, stride: 0, fromRow: row, toRow: row + 1 });
}

function numberOf(data: Data | undefined): number {
  return data?.type === 'boolean' ? Number(data.value) : numberIn(data);
}
