import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import type { Db } from '#db/context.ts';
import type { PageQuery, ExportCursor } from './paging.ts';

type Rows<Row> = RawBuilder<Row> | SelectQueryBuilder<any, any, Row>; // any: only the type of the resulting rows matters here

const keyOf = (key: readonly string[]) =>
  sql.join(
    key.map((column) => sql`${sql.ref(column)}::text`),
    sql` || '/' || `,
  );

const idsOf = (keys: readonly string[]) => keys.map((text) => text.split('/', 1)[0]);

/** Rows with these keys; the condition on their ids lets an index find them. */
function among(key: readonly [string, ...string[]], keys: readonly string[]): RawBuilder<boolean> {
  const others = key.length === 1 ? sql`true` : sql`${keyOf(key)} = any(${keys}::text[])`;
  return sql<boolean>`${sql.ref(key[0])} = any(${idsOf(keys)}::bigint[]) and ${others}`;
}

async function nextKeys(
  db: Db,
  cursor: ExportCursor,
  rows: Rows<unknown>,
  key: readonly [string, ...string[]],
  size: number,
): Promise<readonly string[]> {
  if (cursor.keys === undefined) {
    const wanted = cursor.only === undefined ? sql`true` : among(key, cursor.only);
    const noted = await sql<{
      keys: string[];
    }>`select array(select ${keyOf(key)} from (${rows}) as listed where ${wanted}) as keys`.execute(db);
    cursor.keys = noted.rows[0]?.keys ?? [];
  }
  const keys = cursor.keys.slice(cursor.at, cursor.at + size);
  cursor.at += keys.length;
  return keys;
}

/** The ordered rows of a page, or the next part of an export. `key` names the columns that identify a row, an id first. */
export async function takeRows<Row>(db: Db, rows: Rows<Row>, key: readonly [string, ...string[]], query: PageQuery): Promise<Row[]> {
  const { cursor, size } = query;
  if (cursor === undefined) return (await sql<Row>`${rows} limit ${size} offset ${rowsBefore(query)}`.execute(db)).rows;
  const keys = await nextKeys(db, cursor, rows, key, size);
  const part = sql<Row>`select * from (${rows}) as listed where ${among(key, keys)}`;
  return (await part.execute(db)).rows;
}

/**
 * The same as a condition, for lists that compute further columns for the selected rows only. `rows` selects the ids that `column` is
 * compared with.
 */
export async function isTaken(db: Db, column: string, rows: Rows<{ id: string }>, query: PageQuery): Promise<RawBuilder<boolean>> {
  const { cursor, size } = query;
  if (cursor === undefined) return sql<boolean>`${sql.ref(column)} in (${rows} limit ${size} offset ${rowsBefore(query)})`;
  return sql<boolean>`${sql.ref(column)} = any(${await nextKeys(db, cursor, rows, ['id'], size)}::bigint[])`;
}

/** The row after which an export continues, in lists that need no keys. */
export const lastOf = <Row>({ cursor }: PageQuery): Row | undefined => cursor?.last as Row | undefined; // as: set from the list's own rows

/** Rows before a page; an export continues after its last row instead. */
export const rowsBefore = ({ cursor, page, size }: PageQuery): number => (cursor === undefined ? (page - 1) * size : 0);

export const isOver = (cursor: ExportCursor, rowsOfPart: number, size: number): boolean =>
  cursor.keys === undefined ? rowsOfPart < size : cursor.at === cursor.keys.length;
