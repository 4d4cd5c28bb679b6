import { OUT_AT, VECTORS } from './column-vectors.ts';

/** Memory for the columns of one table: the clock, its status, and every other column. */
export interface ColumnMemory {
  clock: Float64Array;
  clockStatus: Uint8Array;
  values: Float64Array[];
  /** All of it: the clock, the others in their order, the status. */
  whole: Uint8Array;
  /** As much of what vectors write, once it was asked for. */
  written: Uint8Array | undefined;
  /** Of all of them. Asking an array for the memory below it is a call out of compiled code, twice for each table. */
  octets: number;
  /** Where it lies when nobody has it; undefined before it was given back for the first time. */
  shelf: Shelf | undefined;
  /** What lies below it there. */
  below: ColumnMemory | undefined;
}

/** What was given back of one size, in a chain: an array that is emptied and filled again is made anew each time. */
interface Shelf {
  rows: number;
  columns: number;
  top: ColumnMemory | undefined;
  /** Nothing is looked for here any more. */
  isGone: boolean;
}

/** What lies here unused, at most: tables of a town's profiles, or four of 10,000 rows. */
const MOST_KEPT_OCTETS = 2 * 1024 * 1024;
/** Wider tables are not kept: the key has no room for more. */
const MOST_COLUMNS = 0xff;

/** By size. Profiles come in few sizes, and new memory with its views takes as long as filling it with a day. */
const shelves = new Map<number, Shelf>();
/** The one that was asked for last, which finding it in the map takes longer than. */
let latest: Shelf | undefined;
let keptOctets = 0;

const keyOf = (rows: number, columns: number): number => rows * (MOST_COLUMNS + 1) + columns;

/** Memory for so many rows and columns, the clock among them; what another table left in it has to be written over. */
export function borrowColumns(rows: number, columns: number): ColumnMemory {
  if (latest?.rows !== rows || latest.columns !== columns) latest = shelves.get(keyOf(rows, columns));
  const memory = latest?.top;
  if (latest === undefined || memory === undefined || columns > MOST_COLUMNS) return newColumns(rows, columns);
  latest.top = memory.below;
  keptOctets -= memory.octets;
  return memory;
}

function newColumns(rows: number, columns: number): ColumnMemory {
  const size = rows * Float64Array.BYTES_PER_ELEMENT;
  const octets = columns * size + rows;
  const memory = new ArrayBuffer(octets);
  const values: Float64Array[] = [];
  for (let index = 1; index < columns; index++) values.push(new Float64Array(memory, index * size, rows));
  const clock = new Float64Array(memory, 0, rows);
  const clockStatus = new Uint8Array(memory, columns * size, rows);
  return { clock, clockStatus, values, whole: new Uint8Array(memory), written: undefined, octets, shelf: undefined, below: undefined };
}

/** Takes over the columns that were written by vectors: what is lent does not lie in their memory, which would be full one day. */
export function takeWritten(memory: ColumnMemory): void {
  if (VECTORS === undefined) return;
  memory.written ??= new Uint8Array(VECTORS.memory.buffer, OUT_AT, memory.octets);
  memory.whole.set(memory.written);
}

/** The end of a loan, once for each. Whoever still looks at the memory finds no moments. */
export function giveBackColumns(memory: ColumnMemory): void {
  const { clock, octets } = memory;
  if (memory.values.length >= MOST_COLUMNS || octets > MOST_KEPT_OCTETS) return;
  if (keptOctets + octets > MOST_KEPT_OCTETS) clearShelves();
  // Not by `fill`, which takes twice as long for a few rows and no less for a day.
  const rows = clock.length;
  for (let row = 0; row < rows; row++) clock[row] = Number.NaN;
  keptOctets += octets;
  if (memory.shelf === undefined || memory.shelf.isGone) memory.shelf = shelfOf(memory);
  memory.below = memory.shelf.top;
  memory.shelf.top = memory;
}

/** Sizes that nobody asks for any more would stay for ever: begin anew. */
function clearShelves(): void {
  for (const shelf of shelves.values()) {
    shelf.top = undefined;
    shelf.isGone = true;
  }
  shelves.clear();
  latest = undefined;
  keptOctets = 0;
}

function shelfOf({ clock, values }: ColumnMemory): Shelf {
  const [rows, columns] = [clock.length, values.length + 1];
  const key = keyOf(rows, columns);
  const known = shelves.get(key);
  if (known !== undefined) return known;
  const shelf = { rows, columns, top: undefined, isGone: false };
  shelves.set(key, shelf);
  return shelf;
}
