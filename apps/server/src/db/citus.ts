import type { Pool, PoolClient } from 'pg';
import type { Log } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';
import { lockInTransactionOf } from './advisory-locks.ts';
import { inTransaction } from './in-transaction.ts';

/** Tables that Citus distributes over its workers, and the column by whose value a row finds its shard (decision 243). */
const DISTRIBUTED = [
  { table: 'reading_profile', column: 'meter_id' },
  { table: 'reading_daily', column: 'meter_id' },
  { table: 'reading_instant', column: 'meter_id' },
  { table: 'meter_latest', column: 'meter_id' },
  // A caller that is not identified has no DCU, and a row without a value finds no shard.
  { table: 'trace', column: 'id' },
] as const;

const TABLES = DISTRIBUTED.map(({ table }) => table);

/** Citus refuses a lateral subquery with a limit. It plans on the workers each time, so that a plan never is older than its month. */
const DAYS_AT = `
  select r.* from unnest(meters, profiles, of_days) as n (meter_id, profile, day)
  join reading_profile r on r.meter_id = n.meter_id and r.profile = n.profile and r.day = date '1970-01-01' + n.day`;

async function findDistributed(client: PoolClient): Promise<string[] | undefined> {
  const installed = await client.query("select from pg_extension where extname = 'citus'");
  if (installed.rowCount === 0) return undefined;
  const { rows } = await client.query<{ table: string }>(
    `select c.relname as table from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
     where p.partmethod = 'h' and c.relname = any($1)`,
    [TABLES],
  );
  return rows.map((row) => row.table);
}

/**
 * Rewrites the functions that return rows of distributed tables in PL/pgSQL, whose queries the planner does not see: a statement that joins
 * them with meters stays on the coordinator, and each call is a query of the shards.
 */
async function hideFromPlanner(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ name: string; signature: string; returns: string; body: string; rows: number }>(
    `select p.proname as name, pg_get_function_arguments(p.oid) as signature, pg_get_function_result(p.oid) as returns, p.prosrc as body, p.prorows as rows
     from pg_proc p join pg_language l on l.oid = p.prolang join pg_type t on t.oid = p.prorettype join pg_class c on c.oid = t.typrelid
     where p.pronamespace = 'public'::regnamespace and p.proretset and l.lanname = 'sql' and c.relname = any($1)`,
    [TABLES],
  );
  for (const { name, signature, returns, body, rows: estimate } of rows) {
    const query = name === 'days_at' ? DAYS_AT : body;
    await client.query(
      `create or replace function public.${name}(${signature}) returns ${returns} language plpgsql stable rows ${estimate} as $of_citus$
       begin return query ${query}; end $of_citus$`,
    );
  }
}

/** Functions that statements of the workers call, such as those that merge slots. Those made before the extension are not there yet. */
async function distributeFunctions(client: PoolClient): Promise<void> {
  await client.query(
    `select create_distributed_function(p.oid::regprocedure) from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace = 'public'::regnamespace and l.lanname = 'sql' and p.provolatile = 'i' and p.prokind = 'f'
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
       and not exists (select from pg_catalog.pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`,
  );
}

/**
 * Distributes the tables of readings and traces over the workers of Citus where its extension is installed, and keeps what an earlier start
 * has distributed. Rows that are there are moved; until that has ended their table cannot be written. Returns the tables that were distributed.
 *
 * @param owner connections of the role that owns the tables
 * @param mode `off`: leaves the tables where they are
 */
export async function distributeTables(owner: Pool, mode: 'auto' | 'off', log: Log): Promise<string[]> {
  return inTransaction(owner, async (client) => {
    await lockInTransactionOf(client, 'migration');
    const done = await findDistributed(client);
    if (done === undefined) return [];
    if (mode === 'off') {
      if (done.length === 0) return [];
      throw new StartError('HES_CITUS is off, but Citus has distributed the tables of this database. Set HES_CITUS=auto.');
    }
    const missing = DISTRIBUTED.filter(({ table }) => !done.includes(table));
    if (missing.length > 0) log.info('Distributing tables over the workers of Citus', { tables: missing.map(({ table }) => table) });
    // Its other connections to the workers would not see what this transaction has made.
    await client.query("set local citus.multi_shard_modify_mode to 'sequential'");
    for (const { table, column } of missing) await client.query('select create_distributed_table($1::regclass, $2)', [table, column]);
    await distributeFunctions(client);
    await hideFromPlanner(client);
    return missing.map(({ table }) => table);
  });
}
