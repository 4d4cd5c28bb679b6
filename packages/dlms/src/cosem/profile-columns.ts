/** The rows of a profile's buffer by column, without an object for each value. */
export interface ProfileColumns {
  rows: number;
  /** Epoch milliseconds of each row; NaN where `toEpochMs` gives none. */
  clock: Float64Array;
  /** Clock status octet of each row; 0xFF where there is none. */
  clockStatus: Uint8Array;
  /** One array per column except the clock, in column order; NaN for values that are not numbers. */
  values: Float64Array[];
  /** Whether a null-data cell was filled from the previous row. */
  inferred: boolean;
}

/** Properties of a buffer, from its capture objects. */
export interface ProfileShape {
  /** Including the clock. */
  columns: number;
  /** From 0. */
  clockColumn: number;
  capturePeriodSeconds: number;
  /** For date-times with an unspecified deviation: UTC minus local time. */
  assumedDeviationMinutes?: number;
}

/** Columns while rows are written into them. */
export interface ProfileTable {
  columns: ProfileColumns;
  shape: ProfileShape;
}

/** All columns share one buffer, because one allocation per column takes five times as long. */
function newColumns(rows: number, width: number): ProfileColumns {
  const size = rows * Float64Array.BYTES_PER_ELEMENT;
  const memory = new ArrayBuffer(width * size + rows);
  const values: Float64Array[] = [];
  for (let index = 1; index < width; index++) values.push(new Float64Array(memory, index * size, rows));
  const clock = new Float64Array(memory, 0, rows);
  return { rows, clock, clockStatus: new Uint8Array(memory, width * size, rows), values, inferred: false };
}

/** The columns of `into`, to be overwritten, when they have the size of the buffer; otherwise new ones. */
export function tableOf(rows: number, shape: ProfileShape, into?: ProfileColumns): ProfileTable {
  const fits = into !== undefined && into.rows === rows && into.values.length === shape.columns - 1;
  if (!fits) return { columns: newColumns(rows, shape.columns), shape };
  into.inferred = false;
  return { columns: into, shape };
}

/** Values of a column of the buffer; undefined for the clock. */
export const valuesOf = ({ columns, shape: { clockColumn } }: ProfileTable, column: number): Float64Array | undefined =>
  column === clockColumn ? undefined : columns.values[column < clockColumn ? column : column - 1];

/** Null-data in rows `from` to `to` (exclusive) repeats the value of the previous row. @spec BB 4 */
export function repeatValue({ columns }: ProfileTable, values: Float64Array, from: number, to: number): void {
  const value = from === 0 ? Number.NaN : (values[from - 1] ?? Number.NaN);
  values.fill(value, from, to);
  if (!Number.isNaN(value)) columns.inferred = true;
}

/** Null-data in the clock column means one capture period after the previous row. @spec BB 4 */
export function repeatClock({ columns, shape }: ProfileTable, from: number, to: number): void {
  const { clock, clockStatus } = columns;
  const before = from === 0 ? Number.NaN : (clock[from - 1] ?? Number.NaN);
  for (let row = from; row < to; row++) clock[row] = before + (row - from + 1) * shape.capturePeriodSeconds * 1000;
  clockStatus.fill(from === 0 ? 0xff : (clockStatus[from - 1] ?? 0xff), from, to);
  if (!Number.isNaN(before)) columns.inferred = true;
}
