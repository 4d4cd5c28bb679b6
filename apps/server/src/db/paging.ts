import { COUNT_LIMIT } from '@hes/contract/core/page.ts';
import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import type { Db } from './context.ts';

/**
 * Position of an export in a list. All keys are read once, in order: an offset is slow, and would repeat or skip rows that move meanwhile.
 */
export interface ExportCursor {
  keys?: readonly string[];
  /** Number of keys taken so far. */
  at: number;
  /** Restricts the rows to these keys, as text. */
  only?: readonly string[] | undefined;
  /** For lists with a fixed order that are too long for their keys: they continue after this row. */
  last?: unknown;
}

export interface PageQuery {
  page: number;
  size: number;
  sort?: string | undefined;
  /** Instead of a page: the next part of an export. */
  cursor?: ExportCursor | undefined;
}

/** A page, or, with `after`, the rows behind the cursor of a program. */
export interface CursoredQuery extends PageQuery {
  after?: string | undefined;
}

/**
 * Time after which a row with an ascending id can be read by a cursor: a transaction with a smaller id may end after one with a larger id.
 */
export const SETTLED_MS = 5000;

/** A page of a list that is read as a whole. */
export function pageOf<Row>(rows: readonly Row[], { page, size }: Pick<PageQuery, 'page' | 'size'>) {
  return { items: rows.slice((page - 1) * size, page * size), total: rows.length, totalIsExact: true, page, size };
}

/** Answer of a list that was read by a cursor. With fewer rows than `size`, there are no more yet; `next` can be asked again later. */
export const pageAfter = <Row extends { id: string }>(items: Row[], asked: { after: string; size: number }) =>
  pageBehind(items, asked, ({ id }) => id);

/** The same for rows that another text than an id names. */
export function pageBehind<Row>(items: Row[], { after, size }: { after: string; size: number }, placeOf: (row: Row) => string) {
  const last = items.at(-1);
  return { items, total: items.length, totalIsExact: false, page: 1, size, next: last === undefined ? after : placeOf(last) };
}

/** `sn,desc` → column and direction; a field that is not in the table falls back to the default. */
export function orderOf<C extends string>(
  sort: string | undefined,
  columns: Record<string, C>,
  fallback: C,
): { column: C; direction: 'asc' | 'desc' } {
  const [field = '', direction] = (sort ?? '').split(',');
  const column = sortColumn(columns, field);
  return { column: column ?? fallback, direction: direction === 'desc' ? 'desc' : 'asc' };
}

/** Counts the rows of a query, exactly up to `COUNT_LIMIT`: an exact count of a million rows is slower than the page. */
export async function countUpTo(
  db: Db,
  rows: RawBuilder<unknown> | SelectQueryBuilder<any, any, any>, // any: only the number of rows matters here
): Promise<{ total: number; totalIsExact: boolean }> {
  const { rows: counted } = await sql<{
    total: number;
  }>`select count(*)::int as total from (${rows} limit ${COUNT_LIMIT + 1}) as counted`.execute(db);
  const total = counted[0]?.total ?? 0;
  return total > COUNT_LIMIT ? { total: COUNT_LIMIT, totalIsExact: false } : { total, totalIsExact: true };
}

/** Pattern for `like` that matches the text literally anywhere. */
export const containing = (text: string): string => `%${text.trim().replaceAll(/[\\%_]/g, '\\$&')}%`;

export const iso = (at: Date): string => at.toISOString();
export const isoOrNull = (at: Date | null): string | null => (at === null ? null : at.toISOString());
export const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text));

/** Sort column of a list; excludes inherited names such as `constructor`. */
export function sortColumn<T>(columns: Readonly<Record<string, T>>, field: string): T | undefined {
  return Object.hasOwn(columns, field) ? columns[field] : undefined;
}
