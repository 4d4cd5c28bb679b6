/** Memory for the columns of one table: the clock, its status, and every other column. */
export interface ColumnMemory {
  clock: Float64Array;
  clockStatus: Uint8Array;
  values: Float64Array[];
}

/** What lies here unused, at most: tables of a town's profiles, or four of 10,000 rows. */
const MOST_KEPT_OCTETS = 2 * 1024 * 1024;
/** Wider tables are not kept: the key has no room for more. */
const MOST_COLUMNS = 0xff;

/**
 * What was given back, by its size. Profiles come in few sizes, and new memory with its views takes as long as filling
 * it with a day.
 */
const kept = new Map<number, ColumnMemory[]>();
let keptOctets = 0;

const keyOf = (rows: number, columns: number): number => rows * (MOST_COLUMNS + 1) + columns;
const octetsOf = (memory: ColumnMemory): number => memory.clock.buffer.byteLength;

/** Memory for so many rows and columns, the clock among them; what another table left in it has to be written over. */
export function borrowColumns(rows: number, columns: number): ColumnMemory {
  const memory = columns > MOST_COLUMNS ? undefined : kept.get(keyOf(rows, columns))?.pop();
  if (memory === undefined) return newColumns(rows, columns);
  keptOctets -= octetsOf(memory);
  return memory;
}

function newColumns(rows: number, columns: number): ColumnMemory {
  const size = rows * Float64Array.BYTES_PER_ELEMENT;
  const memory = new ArrayBuffer(columns * size + rows);
  const values: Float64Array[] = [];
  for (let index = 1; index < columns; index++) values.push(new Float64Array(memory, index * size, rows));
  return { clock: new Float64Array(memory, 0, rows), clockStatus: new Uint8Array(memory, columns * size, rows), values };
}

/** The end of a loan, once for each. Whoever still looks at the memory finds no moments. */
export function giveBackColumns(memory: ColumnMemory): void {
  const rows = memory.clock.length;
  const columns = memory.values.length + 1;
  const octets = octetsOf(memory);
  if (columns > MOST_COLUMNS || octets > MOST_KEPT_OCTETS) return;
  // Sizes that nobody asks for any more would stay for ever: begin anew.
  if (keptOctets + octets > MOST_KEPT_OCTETS) {
    kept.clear();
    keptOctets = 0;
  }
  memory.clock.fill(Number.NaN);
  keptOctets += octets;
  const same = kept.get(keyOf(rows, columns));
  if (same === undefined) kept.set(keyOf(rows, columns), [memory]);
  else same.push(memory);
}
