import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import type { Db } from './context.ts';
import type { PageQuery, Walk } from './paging.ts';

type Rows<Row> = RawBuilder<Row> | SelectQueryBuilder<any, any, Row>; // any: only what comes out matters here

const keyOf = (key: readonly string[]) =>
  sql.join(
    key.map((column) => sql`${sql.ref(column)}::text`),
    sql` || '/' || `,
  );

const idsOf = (keys: readonly string[]) => keys.map((text) => text.split('/', 1)[0]);

/** The rows of these keys: their ids are what an index knows. */
function among(key: readonly [string, ...string[]], keys: readonly string[]): RawBuilder<boolean> {
  const others = key.length === 1 ? sql`true` : sql`${keyOf(key)} = any(${keys}::text[])`;
  return sql<boolean>`${sql.ref(key[0])} = any(${idsOf(keys)}::bigint[]) and ${others}`;
}

async function nextKeys(
  db: Db,
  walk: Walk,
  rows: Rows<unknown>,
  key: readonly [string, ...string[]],
  size: number,
): Promise<readonly string[]> {
  if (walk.keys === undefined) {
    const wanted = walk.only === undefined ? sql`true` : among(key, walk.only);
    const noted = await sql<{
      keys: string[];
    }>`select array(select ${keyOf(key)} from (${rows}) as listed where ${wanted}) as keys`.execute(db);
    walk.keys = noted.rows[0]?.keys ?? [];
  }
  const keys = walk.keys.slice(walk.at, walk.at + size);
  walk.at += keys.length;
  return keys;
}

/**
 * Of rows in their order those of a page, or the next part of a walk. `key` names the columns that tell one row from another,
 * an id first.
 */
export async function takeRows<Row>(db: Db, rows: Rows<Row>, key: readonly [string, ...string[]], query: PageQuery): Promise<Row[]> {
  const { walk, size } = query;
  if (walk === undefined) return (await sql<Row>`${rows} limit ${size} offset ${rowsBefore(query)}`.execute(db)).rows;
  const keys = await nextKeys(db, walk, rows, key, size);
  const part = sql<Row>`select * from (${rows}) as listed where ${among(key, keys)}`;
  return (await part.execute(db)).rows;
}

/** The same for a list that asks what a row shows of the rows it takes only. `rows` select their id, which `column` is compared with. */
export async function isTaken(db: Db, column: string, rows: Rows<{ id: string }>, query: PageQuery): Promise<RawBuilder<boolean>> {
  const { walk, size } = query;
  if (walk === undefined) return sql<boolean>`${sql.ref(column)} in (${rows} limit ${size} offset ${rowsBefore(query)})`;
  return sql<boolean>`${sql.ref(column)} = any(${await nextKeys(db, walk, rows, ['id'], size)}::bigint[])`;
}

/** The row a walk goes on behind, in lists that need no keys. */
export const lastOf = <Row>({ walk }: PageQuery): Row | undefined => walk?.last as Row | undefined; // as: set from the list's own rows

/** Rows before a page; a walk goes on behind its last row instead. */
export const rowsBefore = ({ walk, page, size }: PageQuery): number => (walk === undefined ? (page - 1) * size : 0);

export const isOver = (walk: Walk, rowsOfPart: number, size: number): boolean =>
  walk.keys === undefined ? rowsOfPart < size : walk.at === walk.keys.length;
