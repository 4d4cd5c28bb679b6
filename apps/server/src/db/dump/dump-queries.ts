import type { PoolClient } from 'pg';

/** A table without partitions, or a partition. */
export interface DumpedTable {
  schema: string;
  name: string;
  /** Columns that are not generated, in their order. */
  columns: string[];
  /** Partitioned table that this one belongs to, and its bound in SQL; null: none. */
  parent: string | null;
  bound: string | null;
}

export interface DumpedSequence {
  schema: string;
  name: string;
  /** Text of a bigint. */
  lastValue: string;
}

/** Schemas of the head-end; pgboss holds the jobs without devices. */
const SCHEMAS = "('public', 'pgboss')";
/** Values have the same text in every version of PostgreSQL and on every machine. */
const PLAIN_TEXT = `select set_config('datestyle', 'ISO', true), set_config('timezone', 'UTC', true), set_config('intervalstyle', 'postgres', true),
  set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true), set_config('synchronize_seqscans', 'off', true)`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const tableName = ({ schema, name }: Pick<DumpedTable, 'schema' | 'name'>): string => `${quoted(schema)}.${quoted(name)}`;
const withColumns = (table: DumpedTable): string => `${tableName(table)} (${table.columns.map(quoted).join(', ')})`;

export async function usePlainText(client: PoolClient): Promise<void> {
  await client.query(PLAIN_TEXT);
}

/** Every statement of the transaction then sees the same moment. */
export async function useOneMoment(client: PoolClient): Promise<void> {
  await client.query('set transaction isolation level repeatable read, read only');
}

export async function findTables(client: PoolClient): Promise<DumpedTable[]> {
  const { rows } = await client.query<DumpedTable>(
    `select n.nspname as schema, c.relname as name,
       coalesce((select array_agg(a.attname::text order by a.attnum) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''), '{}') as columns,
       (select i.inhparent::regclass::text from pg_inherits i where i.inhrelid = c.oid) as parent, pg_get_expr(c.relpartbound, c.oid) as bound
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and c.relpersistence in ('p', 'u') and n.nspname in ${SCHEMAS}
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e') order by 1, 2`,
  );
  return rows;
}

export async function findSequences(client: PoolClient): Promise<DumpedSequence[]> {
  const { rows } = await client.query<DumpedSequence>(
    `select schemaname as schema, sequencename as name, last_value::text as "lastValue" from pg_sequences
     where schemaname in ${SCHEMAS} and last_value is not null order by 1, 2`,
  );
  return rows;
}

/** Numbers of the applied migrations; empty: the database has no schema of the head-end. */
export async function findMigrationNumbers(client: PoolClient): Promise<number[]> {
  const { rows: found } = await client.query<{ known: boolean }>("select to_regclass('public.schema_migration') is not null as known");
  if (found[0]?.known !== true) return [];
  const { rows } = await client.query<{ number: number }>('select number from schema_migration order by number');
  return rows.map(({ number }) => number);
}

/** Number of connections of head-ends besides this one. */
export async function countHeadEnds(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where application_name = 'hes' and pid <> pg_backend_pid() and datname = current_database()`,
  );
  return rows[0]?.count ?? 0;
}

export const copyOut = (table: DumpedTable): string => `copy ${withColumns(table)} to stdout`;
export const copyIn = (table: DumpedTable): string => `copy ${withColumns(table)} from stdin`;

/** Switches triggers and foreign keys off for the transaction; rows come in the order of tables. It needs a superuser. */
export async function switchTriggersOff(client: PoolClient): Promise<void> {
  await client.query('set local session_replication_role = replica');
}

/** Creates a partition that the schema alone does not have. */
export async function ensurePartition(client: PoolClient, table: DumpedTable): Promise<void> {
  if (table.parent === null || table.bound === null) return;
  await client.query(`create table if not exists ${tableName(table)} partition of ${table.parent} ${table.bound}`);
}

/** Removes what migrations have written into their own tables. */
export async function emptyTables(client: PoolClient, tables: readonly DumpedTable[]): Promise<void> {
  await client.query(`truncate ${tables.map(tableName).join(', ')} cascade`);
}

export async function setSequence(client: PoolClient, { schema, name, lastValue }: DumpedSequence): Promise<void> {
  await client.query('select setval($1::regclass, $2::bigint, true)', [tableName({ schema, name }), lastValue]);
}

export async function analyse(client: PoolClient): Promise<void> {
  await client.query('analyze');
}
