import type { Pool } from 'pg';

/** Text types of `tables.ts`, by PostgreSQL's name of the column's type. */
const TYPES: Record<string, string> = {
  int2: 'number',
  int4: 'number',
  int8: 'string',
  numeric: 'Numeric',
  float4: 'number',
  float8: 'number',
  bool: 'boolean',
  text: 'string',
  uuid: 'string',
  date: 'string',
  timestamptz: 'Timestamp',
  bytea: 'Buffer',
  json: 'Json',
  jsonb: 'Json',
  xid8: 'string',
  _int4: 'number[]',
  _int8: 'BigintArray',
  _text: 'string[]',
  _numeric: 'string[]',
  _float4: 'number[]',
};

const HEADER = `// Generated from the migrated database by \`npm run golden\`; do not edit.
import type { ColumnType } from 'kysely';

/** Has a default: may be left out of an insert. */
type Generated<T> = T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>;
/** Written as text (\`JSON.stringify\`), so that a top-level array is never taken for a PostgreSQL array. */
type Json = ColumnType<unknown, string, string>;
type Timestamp = ColumnType<Date, Date | string, Date | string>;
/** Exact decimal, as text. */
type Numeric = ColumnType<string, string | number, string | number>;
type BigintArray = ColumnType<string[], (string | number)[], (string | number)[]>;
`;

/** Views through which rows are written. A column is declared as in the table; `required` ones are null in rows outside of the view only. */
const WRITABLE_VIEWS: Record<string, { table: string; required: readonly string[] }> = {
  dcu: { table: 'endpoint', required: ['dcu_type_id'] },
};

const VIEW_COLUMNS = `
  select c.relname as "view", a.attname as "column" from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 where c.relname = any($1) and c.relkind = 'v' order by c.relname, a.attnum`;

const QUERY = `
  select c.relname as "table", a.attname as "column", t.typname as type, a.attnotnull as required,
         (a.atthasdef or a.attidentity <> '') as has_default,
         (select pg_get_constraintdef(k.oid) from pg_constraint k
           where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum] and pg_get_constraintdef(k.oid) like '%= ANY%' limit 1) as words
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'schema_migration'
   order by c.relname, a.attnum`;

interface Column {
  table: string;
  column: string;
  type: string;
  required: boolean;
  has_default: boolean;
  words: string | null;
}

const camel = (name: string) => name.replaceAll(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());
const pascal = (name: string) => camel(`_${name}`);

function typeOf(column: Column): string {
  const words = column.words === null ? [] : [...column.words.matchAll(/'([^']+)'::text/g)].map((match) => `'${match[1]}'`);
  const known = TYPES[column.type];
  if (known === undefined) throw new Error(`tables.ts knows no type for ${column.table}.${column.column}: ${column.type}`);
  const whole = `${words.length > 0 ? words.join(' | ') : known}${column.required ? '' : ' | null'}`;
  return column.has_default ? `Generated<${whole}>` : whole;
}

/** Columns of the writable views, declared by those of their tables. */
async function columnsOfViews(pool: Pool, tables: readonly Column[]): Promise<Column[]> {
  const { rows } = await pool.query<{ view: string; column: string }>(VIEW_COLUMNS, [Object.keys(WRITABLE_VIEWS)]);
  return rows.flatMap(({ view, column }) => {
    const { table, required = [] } = WRITABLE_VIEWS[view] ?? {};
    const own = tables.find((one) => one.table === table && one.column === column);
    return own === undefined ? [] : [{ ...own, table: view, required: own.required || required.includes(column) }];
  });
}

/** The text of `tables.ts`: Kysely's view of the database as it is now. */
export async function generateTables(pool: Pool): Promise<string> {
  const { rows } = await pool.query<Column>(QUERY);
  const columns = [...rows, ...(await columnsOfViews(pool, rows))].toSorted((a, b) => (a.table < b.table ? -1 : Number(a.table > b.table)));
  const tables = Map.groupBy(columns, (row) => row.table);
  const parts = [...tables].map(
    ([table, own]) =>
      `interface ${pascal(table)}Table {\n${own.map((column) => `  ${camel(column.column)}: ${typeOf(column)};`).join('\n')}\n}\n`,
  );
  const index = [...tables.keys()].map((table) => `  ${camel(table)}: ${pascal(table)}Table;`).join('\n');
  return `${HEADER}\n${parts.join('\n')}\nexport interface Database {\n${index}\n}\n`;
}
