import { SCALARS, TAG } from './data-scalars.ts';
import { DATE_TIME_SIZE } from './date-time.ts';
import { NUMBER_SIZE, type ColumnTable, type ProfileShape } from './profile-columns.ts';

const OCTET_STRING = SCALARS.octetString.tag;
const DATE_TIME = SCALARS.dateTime.tag;
const NONE = -1;
/** Structure, count, and mostly the clock's tag and length: compared at once. */
const HEADER_SIZE = 4;

/** Wider rows are read one by one: their count takes more than one octet. */
const MOST_COLUMNS = 0x7f;
/** Rows that are looked through at once: what was checked is still in the processor's cache when it is read. */
const ROWS_AT_ONCE = 512;

/**
 * Where the values of a row stand, if all of them are numbers, moments or null-data. Rows of a buffer look the same but
 * for their values, so a run of them is read column by column: a quarter of the time that row by row takes. Made once
 * and used for one buffer after the other, because making it takes as long as reading ten rows.
 */
export class RowLayout {
  /** Octets of the row. */
  size = 0;
  /** By column. */
  readonly tags = new Uint8Array(MOST_COLUMNS + 1);
  readonly offsets = new Uint16Array(MOST_COLUMNS + 1);
  /** Offsets of what is the same in each row and no tag of a number: structure, count, tag and length of the clock. */
  readonly #fixed = new Uint16Array(HEADER_SIZE);
  #fixedCount = 0;
  /** Whether the first four octets are no values. */
  #hasHeader = false;
  #shape: ProfileShape = { columns: 0, clockColumn: 0, capturePeriodSeconds: 0 };

  /** Forgets what it learned from another buffer. */
  begin(shape: ProfileShape): this {
    this.#shape = shape;
    return this;
  }

  /** Learns the row at `at`; false if it is none of the simple kind, or broken. */
  learn(octets: Uint8Array, at: number): boolean {
    const { columns, clockColumn } = this.#shape;
    if (octets[at] !== TAG.structure || octets[at + 1] !== columns || columns > MOST_COLUMNS) return false;
    this.#fixed[1] = 1;
    this.#fixedCount = 2;
    this.#hasHeader = false;
    let offset = 2;
    for (let column = 0; column < columns; column++) {
      const tag = octets[at + offset] ?? NONE;
      this.#pass(offset++, column === clockColumn);
      const size = column === clockColumn ? this.#clockSize(octets, at, offset, tag) : numberSize(tag);
      if (size === NONE) return false;
      if (column === clockColumn && tag === OCTET_STRING) this.#pass(offset++, true);
      this.tags[column] = tag;
      this.offsets[column] = offset;
      offset += size;
    }
    this.size = offset;
    return at + offset <= octets.length;
  }

  /** An octet that is no value. */
  #pass(offset: number, isClock: boolean): void {
    if (offset === HEADER_SIZE - 1) this.#hasHeader = true;
    if (isClock) this.#fixed[this.#fixedCount++] = offset;
  }

  #clockSize(octets: Uint8Array, at: number, offset: number, tag: number): number {
    if (tag === TAG.null) return 0;
    const isMoment = tag === DATE_TIME || (tag === OCTET_STRING && octets[at + offset] === DATE_TIME_SIZE);
    return isMoment ? DATE_TIME_SIZE : NONE;
  }

  /**
   * Reads rows of this layout from `at` on, at most `limit`, and says how many there are; the one at `at` has it. Column by
   * column: what one has read when the next finds a row of another layout is written again by whoever reads that row.
   */
  readRun(table: ColumnTable, view: DataView, { at, fromRow, limit }: { at: number; fromRow: number; limit: number }): number {
    const { clockColumn, columns } = this.#shape;
    const most = Math.min(limit, ROWS_AT_ONCE, Math.floor((view.byteLength - at) / this.size));
    const bodies = { view, at, stride: this.size, fromRow, toRow: fromRow + this.#countHeaders(view, at, most) };
    for (let column = 0; column < columns; column++) {
      const values = table.valuesOf(column);
      if (values === undefined) continue;
      const offset = this.offsets[column] ?? 0;
      const tag = this.tags[column] ?? 0;
      bodies.at = at + offset;
      if (this.#hasHeader && offset <= HEADER_SIZE) table.fill(values, tag, bodies);
      else bodies.toRow = table.fillTagged(values, tag, bodies);
    }
    bodies.at = at + (this.offsets[clockColumn] ?? 0);
    table.fillClock(this.tags[clockColumn] ?? 0, bodies);
    return bodies.toRow - fromRow;
  }

  /** How many rows begin alike and have the same kind of clock. Octet by octet through all rows: the loop then has nothing to look up. */
  #countHeaders(view: DataView, at: number, most: number): number {
    let rows = this.#hasHeader ? countHeaders(view, at, { size: this.size, rows: most }) : most;
    for (let i = 0; i < this.#fixedCount; i++) {
      const offset = this.#fixed[i] ?? 0;
      if (this.#hasHeader && offset < HEADER_SIZE) continue;
      const first = at + offset;
      const octet = view.getUint8(first);
      let row = 1;
      for (let next = first + this.size; row < rows && view.getUint8(next) === octet; next += this.size) row++;
      rows = row;
    }
    return rows;
  }

  /** A row of a compact array: values without tags. False if some type varies in size. */
  learnCompact(tags: Uint8Array): boolean {
    if (tags.length > MOST_COLUMNS) return false;
    let offset = 0;
    for (const [column, tag] of tags.entries()) {
      const size = column === this.#shape.clockColumn ? (tag === DATE_TIME ? DATE_TIME_SIZE : NONE) : (NUMBER_SIZE[tag] ?? 0);
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
    for (let column = 0; column < this.#shape.columns; column++) {
      const bodies = { view, at: at + (this.offsets[column] ?? 0), stride: this.size, fromRow, toRow: fromRow + count };
      const tag = this.tags[column] ?? 0;
      const values = table.valuesOf(column);
      if (values === undefined) table.fillClock(tag, bodies);
      else table.fill(values, tag, bodies);
    }
  }
}

/** How many rows begin with the same four octets. */
function countHeaders(view: DataView, at: number, { size, rows }: { size: number; rows: number }): number {
  const header = view.getInt32(at);
  let row = 1;
  for (let next = at + size; row < rows && view.getInt32(next) === header; next += size) row++;
  return row;
}

function numberSize(tag: number): number {
  if (tag === TAG.null) return 0;
  const size = NUMBER_SIZE[tag] ?? 0;
  return size === 0 ? NONE : size;
}
