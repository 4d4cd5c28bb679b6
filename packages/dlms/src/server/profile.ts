import { ByteWriter } from '../codec/byte-writer.ts';
import { decode, encode } from '../codec/codec.ts';
import { captureObject, type CaptureObject } from '../cosem/capture-object.ts';
import { profileGeneric } from '../cosem/classes/profile-generic.ts';
import { arrayOf, dataCodec, dateTimeOctets } from '../cosem/data.ts';
import { numberIn, type Data } from '../cosem/data-value.ts';
import { toEpochMs } from '../cosem/date-time.ts';
import type { AttributeValue } from '../cosem/cosem-class.ts';
import { CLOCK_COLUMN, parseSelection, type EntryQuery, type RangeQuery, type Selection } from '../cosem/selective-access.ts';
import type { DataAccessResult } from '../xdlms/data-access-result.ts';
import { serverObject, type DescribedObject, type ObjectOptions } from './server-object.ts';

export type SortMethod = AttributeValue<typeof profileGeneric, 'sortMethod'>;

export interface ProfileOptions {
  columns: readonly CaptureObject[];
  /** Seconds; 0 for event-driven captures. */
  capturePeriodSeconds: number;
  /** Maximum rows; a full profile drops the oldest row or, when sorted, the last in sort order. */
  capacity: number;
  sortMethod?: SortMethod;
  /** The sort column, for every method but fifo and lifo. */
  sortColumn?: CaptureObject;
  /** Minutes; applies to clocks with an unspecified deviation. */
  deviationMinutes?: number;
  /** Current value of a column. */
  valueOf(column: CaptureObject): Data;
}

type Row = readonly Data[];
const ARRAY = 0x01;

/** A buffer of captured rows in the order of its sort method. */
export class Profile {
  readonly #options: ProfileOptions;
  #rows: Row[] = [];
  #columns: readonly CaptureObject[];

  constructor(options: ProfileOptions) {
    this.#options = options;
    this.#columns = options.columns;
  }

  get columns(): readonly CaptureObject[] {
    return this.#columns;
  }

  get entriesInUse(): number {
    return this.#rows.length;
  }

  get capacity(): number {
    return this.#options.capacity;
  }

  get capturePeriodSeconds(): number {
    return this.#options.capturePeriodSeconds;
  }

  get sortMethod(): SortMethod {
    return this.#options.sortMethod ?? 'fifo';
  }

  get sortColumn(): CaptureObject {
    return this.#options.sortColumn ?? CLOCK_COLUMN;
  }

  /** Changes the columns, which clears the buffer. */
  setColumns(columns: readonly CaptureObject[]): void {
    this.#columns = [...columns];
    this.reset();
  }

  reset(): void {
    this.#rows = [];
  }

  /** Captures a row of the current column values. */
  capture(): void {
    this.add(this.#columns.map((column) => this.#options.valueOf(column)));
  }

  /** Adds a given row. */
  add(row: Row): void {
    const { sortMethod, capacity } = this;
    if (sortMethod === 'fifo') this.#rows.push(row);
    else if (sortMethod === 'lifo') this.#rows.unshift(row);
    else this.#insert(row);
    if (this.#rows.length <= capacity) return;
    if (sortMethod === 'fifo') this.#rows.shift();
    else this.#rows.pop();
  }

  #insert(row: Row): void {
    const at = this.#rows.findIndex((other) => this.#rank(row) < this.#rank(other));
    this.#rows.splice(at === -1 ? this.#rows.length : at, 0, row);
  }

  /** Rows with a lower rank come earlier in the buffer. */
  #rank(row: Row): number {
    const value = row[this.#columnOf(this.sortColumn)];
    const number = value === undefined ? Number.NaN : sortKeyOf(value, this.#options.deviationMinutes);
    switch (this.sortMethod) {
      case 'largest':
        return -number;
      case 'nearestToZero':
        return Math.abs(number);
      case 'farthestFromZero':
        return -Math.abs(number);
      default:
        return number;
    }
  }

  #columnOf(wanted: CaptureObject): number {
    return this.#columns.findIndex((column) => isSame(column, wanted));
  }

  /** The buffer, or the selected part of it. Throws `DecodeError` on invalid parameters. */
  read(selection: Selection | undefined): Uint8Array | DataAccessResult {
    if (selection === undefined) return encodeRows(this.#rows);
    const query = parseSelection(selection);
    if (query === undefined) return 'typeUnmatched';
    return query.kind === 'entry' ? this.#byEntry(query) : this.#byRange(query);
  }

  #byEntry({ fromEntry, toEntry, fromColumn, toColumn }: EntryQuery): Uint8Array {
    const rows = this.#rows.slice(Math.max(1, fromEntry) - 1, toEntry === 0 ? undefined : toEntry);
    return encodeRows(rows.map((row) => row.slice(Math.max(1, fromColumn) - 1, toColumn === 0 ? undefined : toColumn)));
  }

  #byRange({ restricting, from, to, columns }: RangeQuery): Uint8Array | DataAccessResult {
    const { deviationMinutes } = this.#options;
    const by = this.#columnOf(restricting);
    const [low, high] = [toEpochMs(from, deviationMinutes), toEpochMs(to, deviationMinutes)];
    if (by === -1 || low === null || high === null) return 'scopeOfAccessViolated';
    const chosen = columns.length === 0 ? this.#columns.map((_, i) => i) : columns.map((column) => this.#columnOf(column));
    if (chosen.includes(-1)) return 'objectUndefined';
    const rows = this.#rows.filter((row) => {
      const value = row[by];
      const moment = value === undefined ? Number.NaN : sortKeyOf(value, deviationMinutes);
      return moment >= low && moment <= high;
    });
    return encodeRows(rows.map((row) => chosen.map((i) => row[i] ?? { type: 'null' })));
  }
}

const isSame = (a: CaptureObject, b: CaptureObject): boolean =>
  a.classId === b.classId && a.instance === b.instance && a.attributeId === b.attributeId && a.dataIndex === b.dataIndex;

/** A sort key for values of one column: milliseconds for date-times, NaN for values without an order. */
function sortKeyOf(value: Data, deviationMinutes: number | undefined): number {
  if (value.type === 'octetString' || value.type === 'dateTime')
    return value.value.length === 12
      ? (toEpochMs(decode(dateTimeOctets, encode(dataCodec, value)), deviationMinutes) ?? Number.NaN)
      : Number.NaN;
  return numberIn(value);
}

function encodeRows(rows: readonly Row[]): Uint8Array {
  const out = new ByteWriter();
  out.uint8(ARRAY);
  out.length(rows.length);
  for (const row of rows) dataCodec.write(out, { type: 'structure', value: [...row] });
  return out.finish();
}

const BUFFER = 2;
const RANGE_AND_ENTRY = [1, 2];

export const profileObject = (profile: Profile, options: ObjectOptions): DescribedObject =>
  serverObject(
    profileGeneric,
    {
      read: {
        capturePeriod: () => profile.capturePeriodSeconds,
        sortMethod: () => profile.sortMethod,
        sortObject: () => profile.sortColumn,
        entriesInUse: () => profile.entriesInUse,
        profileEntries: () => profile.capacity,
      },
      readEncoded: {
        buffer: (selection) => profile.read(selection),
        captureObjects: () => encode(arrayOf(captureObject), [...profile.columns]),
      },
      write: { captureObjects: (columns) => profile.setColumns(columns) },
      invoke: { reset: () => profile.reset(), capture: () => profile.capture() },
    },
    { ...options, selectors: { ...options.selectors, [BUFFER]: RANGE_AND_ENTRY } },
  );
