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
  /** Offsets of all octets that are not value: structure, count, tags, the length of the clock. */
  readonly #fixed = new Uint16Array(MOST_COLUMNS + 4);
  #fixedCount = 0;
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
    this.#fixed[0] = 0;
    this.#fixed[1] = 1;
    this.#fixedCount = 2;
    let offset = 2;
    for (let column = 0; column < columns; column++) {
      const tag = octets[at + offset] ?? NONE;
      this.#fixed[this.#fixedCount++] = offset++;
      const size = column === clockColumn ? this.#clockSize(octets, at, offset, tag) : numberSize(tag);
      if (size === NONE) return false;
      if (column === clockColumn && tag === OCTET_STRING) this.#fixed[this.#fixedCount++] = offset++;
      this.tags[column] = tag;
      this.offsets[column] = offset;
      offset += size;
    }
    this.size = offset;
    return at + offset <= octets.length;
  }

  #clockSize(octets: Uint8Array, at: number, offset: number, tag: number): number {
    if (tag === TAG.null) return 0;
    const isMoment = tag === DATE_TIME || (tag === OCTET_STRING && octets[at + offset] === DATE_TIME_SIZE);
    return isMoment ? DATE_TIME_SIZE : NONE;
  }

  /** How many rows from `at` on have this layout, at most `limit`; the one at `at` has. */
  countRun(octets: Uint8Array, view: DataView, { at, limit }: { at: number; limit: number }): number {
    const { size } = this;
    let rows = Math.min(limit, ROWS_AT_ONCE, Math.floor((octets.length - at) / size));
    // Octet by octet through all rows, not row by row: the inner loop then has nothing to look up.
    const headers = this.#fixedCount >= HEADER_SIZE && this.#fixed[HEADER_SIZE - 1] === HEADER_SIZE - 1 ? HEADER_SIZE : 0;
    if (headers > 0) rows = countHeaders(view, at, { size, rows });
    for (let i = headers; i < this.#fixedCount; i++) {
      const first = at + (this.#fixed[i] ?? 0);
      const octet = octets[first];
      let row = 1;
      for (let next = first + size; row < rows && octets[next] === octet; next += size) row++;
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

  /** Reads `count` rows of this layout, the first of them at `at`. */
  readInto(table: ColumnTable, view: DataView, { at, fromRow, count }: { at: number; fromRow: number; count: number }): void {
    const { clockColumn, columns } = this.#shape;
    for (let column = 0; column < columns; column++) {
      const bodies = { view, at: at + (this.offsets[column] ?? 0), stride: this.size, fromRow, toRow: fromRow + count };
      const tag = this.tags[column] ?? 0;
      const values = table.values[column < clockColumn ? column : column - 1];
      if (column === clockColumn || values === undefined) table.fillClock(tag, bodies);
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
