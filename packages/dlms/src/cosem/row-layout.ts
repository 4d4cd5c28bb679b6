import { DESK_AT, outOf, VECTORS } from './column-vectors.ts';
import { SCALARS, TAG } from './data-scalars.ts';
import { DATE_TIME_SIZE } from './date-time.ts';
import {
  HEADER_SIZE,
  isCommon,
  NUMBER_SIZE,
  SIDE_BY_SIDE,
  SIDE_BY_SIDE_TAG,
  type Bodies,
  type ColumnTable,
  type ProfileShape,
} from './profile-columns.ts';

const OCTET_STRING = SCALARS.octetString.tag;
const DATE_TIME = SCALARS.dateTime.tag;
const NONE = -1;

/** Wider rows are read one by one: their count takes more than one octet. */
const MOST_COLUMNS = 0x7f;
/** Vectors read two rows at a time. */
const FEWEST_VECTORED = 2;
/** Rows that are looked through at once: what was checked is still in the processor's cache when it is read. */
const ROWS_AT_ONCE = 512;

/**
 * Where the values of a row stand, if all of them are numbers, moments or null-data. Rows of a buffer look the same but
 * for their values, so a run of them is read column by column: a quarter of the time that row by row takes. Kept for the
 * next buffer, because those of a town look the same and learning a row takes as long as reading ten.
 */
export class RowLayout {
  /** Octets of the row; 0 as long as nothing was learned. */
  size = 0;
  #columns = 0;
  #clockColumn = 0;
  /** By column. */
  readonly tags = new Uint8Array(MOST_COLUMNS + 1);
  readonly offsets = new Uint16Array(MOST_COLUMNS + 1);
  /** Columns with the same tag side by side, from this one on. */
  readonly #alike = new Uint8Array(MOST_COLUMNS + 1);
  /** Whether vectors can read all columns. */
  #isVectored = false;
  /** What is the same in each row and no tag of a number: structure, count, tag and length of the clock. */
  readonly #fixedOffsets = new Uint16Array(HEADER_SIZE);
  readonly #fixedOctets = new Uint8Array(HEADER_SIZE);
  #fixedCount = 0;
  /** The first four octets, if they are no values. */
  #header: number | undefined;
  /** Of a clock that stands behind the header: both are compared and read in one loop. */
  #clockHeader: number | undefined;

  /** Whether rows of this shape were learned. */
  isOf({ columns, clockColumn }: ProfileShape): boolean {
    return this.size > 0 && columns === this.#columns && clockColumn === this.#clockColumn;
  }

  /** Learns the row at `at`; false if it is none of the simple kind. */
  learn(octets: Uint8Array, at: number, { columns, clockColumn }: ProfileShape): boolean {
    this.size = 0;
    if (octets[at] !== TAG.structure || octets[at + 1] !== columns || columns > MOST_COLUMNS) return false;
    this.#columns = columns;
    this.#clockColumn = clockColumn;
    this.#fixedCount = 0;
    this.#fix(0, TAG.structure);
    this.#fix(1, columns);
    let hasHeader = true;
    let offset = 2;
    for (let column = 0; column < columns; column++) {
      const isClock = column === clockColumn;
      const tag = octets[at + offset] ?? NONE;
      const size = isClock ? clockSize(tag, octets[at + offset + 1]) : numberSize(tag);
      if (size === NONE) return false;
      if (isClock) this.#fix(offset, tag);
      if (isClock && tag === OCTET_STRING) this.#fix(++offset, DATE_TIME_SIZE);
      offset++;
      if (offset < HEADER_SIZE && size > 0) hasHeader = false;
      this.tags[column] = tag;
      this.offsets[column] = offset;
      offset += size;
    }
    this.#header = hasHeader && offset >= HEADER_SIZE ? headerOf(octets, at) : undefined;
    const isClockNext = this.offsets[clockColumn] === HEADER_SIZE && this.tags[clockColumn] === OCTET_STRING;
    this.#clockHeader = isClockNext ? this.#header : undefined;
    this.#learnAlike();
    this.size = offset;
    return true;
  }

  #learnAlike(): void {
    // What vectors write behind the last moment is where the next column begins.
    this.#isVectored = this.#clockHeader !== undefined && this.#columns > 1;
    let alike = 0;
    for (let column = this.#columns - 1; column >= 0; column--) {
      const tag = this.tags[column] ?? 0;
      const isClock = column === this.#clockColumn;
      alike = !isClock && alike > 0 && this.tags[column + 1] === tag ? alike + 1 : 1;
      this.#alike[column] = alike;
      if (!isClock && !isCommon(tag)) this.#isVectored = false;
    }
  }

  #fix(offset: number, octet: number): void {
    this.#fixedOffsets[this.#fixedCount] = offset;
    this.#fixedOctets[this.#fixedCount++] = octet;
  }

  /**
   * Reads all rows of the table by vectors, when they lie on the desk from `first` to `end`: false unless each of them is of this
   * layout. Then nothing has changed.
   */
  readAtOnce(table: ColumnTable, { view, first, end }: { view: DataView; first: number; end: number }): boolean {
    const { rows } = table;
    const stride = this.size;
    const header = this.#clockHeader;
    if (VECTORS === undefined || header === undefined || !this.#isVectored) return false;
    if (rows < FEWEST_VECTORED || first + rows * stride !== end) return false;
    if (!table.writeClock(VECTORS, header, { view, first: first + HEADER_SIZE, stride })) return false;
    // The clock is the first, because it stands behind the header.
    for (let column = 1; column < this.#columns; column += this.#alike[column] ?? 1) {
      const at = DESK_AT + first + (this.offsets[column] ?? 0) - 1;
      const tag = this.tags[column] ?? 0;
      const count = this.#alike[column] ?? 1;
      if (VECTORS.columns(at, stride, outOf(column, rows), rows, count, tag, NUMBER_SIZE[tag] ?? 0) === 0) return false;
    }
    table.takeWritten();
    return true;
  }

  /**
   * Reads rows of this layout where the bodies begin, goes on behind them, and says how many there were: none if the first
   * has another. Column by column: what one has read when the next finds a row of another layout is written again by
   * whoever reads that row. The octets end at `end`, the view may go on.
   */
  readRun(table: ColumnTable, bodies: Bodies, end: number): number {
    const { at, fromRow, toRow: limit } = bodies;
    bodies.stride = this.size;
    bodies.toRow = fromRow + this.#countAlike(bodies, end);
    if (this.#clockHeader !== undefined) {
      bodies.at = at + HEADER_SIZE;
      bodies.toRow = table.fillClockBehind(this.#clockHeader, bodies);
    }
    for (let column = 0; column < this.#columns && bodies.toRow > fromRow;) {
      bodies.at = at + (this.offsets[column] ?? 0);
      column += this.#readColumns(table, column, bodies);
    }
    const rows = bodies.toRow - fromRow;
    if (rows > 0 && this.#clockHeader === undefined) {
      bodies.at = at + (this.offsets[this.#clockColumn] ?? 0);
      table.fillClock(this.tags[this.#clockColumn] ?? 0, bodies);
    }
    bodies.at = at + rows * this.size;
    bodies.fromRow += rows;
    bodies.toRow = limit;
    return rows;
  }

  /** A column, or those that are read in one loop with it, and how many they were. Fewer rows from here on when one has another tag. */
  #readColumns(table: ColumnTable, column: number, bodies: Bodies): number {
    const tag = this.tags[column] ?? 0;
    if (tag === SIDE_BY_SIDE_TAG && (this.#alike[column] ?? 0) >= SIDE_BY_SIDE) {
      bodies.toRow = table.fillSideBySide(column, bodies);
      return SIDE_BY_SIDE;
    }
    const values = table.valuesOf(column);
    if (values === undefined) return 1;
    if (this.#header !== undefined && (this.offsets[column] ?? 0) <= HEADER_SIZE) table.fill(values, tag, bodies);
    else bodies.toRow = table.fillTagged(values, tag, bodies);
    return 1;
  }

  /** How many rows begin alike and have the same kind of clock. Octet by octet through all rows: the loop then has nothing to look up. */
  #countAlike(bodies: Bodies, end: number): number {
    const { view, at, fromRow, toRow } = bodies;
    const { size } = this;
    const header = this.#header;
    let rows = Math.min(toRow - fromRow, ROWS_AT_ONCE, Math.floor((end - at) / size));
    if (header !== undefined && this.#clockHeader === undefined) {
      let row = 0;
      for (let next = at; row < rows && view.getInt32(next) === header; next += size) row++;
      rows = row;
    }
    for (let i = 0; i < this.#fixedCount; i++) {
      const offset = this.#fixedOffsets[i] ?? 0;
      if (header !== undefined && offset < HEADER_SIZE) continue;
      const octet = this.#fixedOctets[i];
      let row = 0;
      for (let next = at + offset; row < rows && view.getUint8(next) === octet; next += size) row++;
      rows = row;
    }
    return rows;
  }

  /** A row of a compact array: values without tags. False if some type varies in size. */
  learnCompact(tags: Uint8Array, { columns, clockColumn }: ProfileShape): boolean {
    this.size = 0;
    if (columns > MOST_COLUMNS) return false;
    this.#columns = columns;
    let offset = 0;
    for (const [column, tag] of tags.entries()) {
      const size = column === clockColumn ? (tag === DATE_TIME ? DATE_TIME_SIZE : NONE) : (NUMBER_SIZE[tag] ?? 0);
      if (size <= 0) return false;
      this.tags[column] = tag;
      this.offsets[column] = offset;
      offset += size;
    }
    this.size = offset;
    return true;
  }

  /** Reads `count` rows of a compact array, the first of them at `at`. */
  readCompact(table: ColumnTable, view: DataView, { at, fromRow, count }: { at: number; fromRow: number; count: number }): void {
    for (let column = 0; column < this.#columns; column++) {
      const bodies = { view, at: at + (this.offsets[column] ?? 0), stride: this.size, fromRow, toRow: fromRow + count };
      const tag = this.tags[column] ?? 0;
      const values = table.valuesOf(column);
      if (values === undefined) table.fillClock(tag, bodies);
      else table.fill(values, tag, bodies);
    }
  }
}

const headerOf = (octets: Uint8Array, at: number): number => {
  let header = 0;
  for (let i = 0; i < HEADER_SIZE; i++) header = (header << 8) | (octets[at + i] ?? 0);
  return header;
};

function clockSize(tag: number, next: number | undefined): number {
  if (tag === TAG.null) return 0;
  return tag === DATE_TIME || (tag === OCTET_STRING && next === DATE_TIME_SIZE) ? DATE_TIME_SIZE : NONE;
}

function numberSize(tag: number): number {
  if (tag === TAG.null) return 0;
  const size = NUMBER_SIZE[tag] ?? 0;
  return size === 0 ? NONE : size;
}
