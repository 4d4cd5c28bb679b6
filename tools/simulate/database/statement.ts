import type { Row, Store } from './store.ts';

/** The result as the driver returns it. */
export interface Answer {
  rows: Row[];
  rowCount: number;
}

/** A connection, as far as statements use it. */
interface Session {
  readonly locks: Set<string>;
  readonly channels: Set<string>;
}

/** Context of a running statement. */
export interface Run {
  store: Store;
  /** Epoch milliseconds of the transaction. */
  now: number;
  client: Session;
  database: { readonly clients: Iterable<Session>; notify(channel: string, from: Session): void };
  /** Octets of COPY. */
  copied: Buffer | undefined;
}

export interface Statement {
  execute(run: Run, values: readonly unknown[]): Answer;
  isAsyncCommit: boolean;
}

export const rowsOf = (rows: Row[]): Answer => ({ rows, rowCount: rows.length });
export const count = (rowCount: number): Answer => ({ rows: [], rowCount });

/** An array parameter, as a JavaScript list or in the form of `plainArray`. */
export function list(value: unknown): (string | null)[] {
  if (Array.isArray(value)) return value.map((one: unknown) => (one === null || one === undefined ? null : text(one)));
  if (typeof value !== 'string') throw new TypeError('Not an array');
  if (value === '{}') return [];
  return value
    .slice(1, -1)
    .split(',')
    .map((text) => (text === 'NULL' ? null : text));
}

export const numbers = (value: unknown): (number | null)[] => list(value).map((text) => (text === null ? null : Number(text)));
export const text = (value: unknown): string => (typeof value === 'string' ? value : `${value as number}`); // as: identifiers and words only
export const number = (value: unknown): number => Number(value);
export const stampOf = (value: unknown): number => (value instanceof Date ? value.getTime() : Date.parse(text(value)));
/** A moment column in the form of the driver. */
export const dateOf = (value: unknown): Date | null => (value === null || value === undefined ? null : new Date(Number(value)));
/** A jsonb parameter. */
export const jsonOf = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);
export const byId = (a: Row, b: Row): number => number(a['id']) - number(b['id']);
/** NULL is the greatest value in ascending order. */
export const greatest = (...values: unknown[]): unknown =>
  values.reduce((best, one) => (one === null || one === undefined ? best : best === null || number(one) > number(best) ? one : best), null);
