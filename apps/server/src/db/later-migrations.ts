import { setTimeout as wait } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { Log } from '#platform/log.ts';
import { lockInTransactionOf } from './advisory-locks.ts';
import { inTransaction } from './in-transaction.ts';
import { LOCK_TIMEOUT, recordMigration } from './migrate.ts';
import type { Migration, Phase } from './migration.ts';

/** Pause between batches, in which other statements use the tables. */
const PAUSE_MS = 20;

const INDEX = /^create (?:unique )?index concurrently if not exists (?<name>\w+)/im;

/** A contraction that is not applied, because head-ends live that work with what it removes. */
export interface Waiting {
  migration: string;
  /** Names of these head-ends with their versions. */
  nodes: string[];
}

/** Backfills and contractions of the list that are not applied, in their order. */
export async function findLater(pool: Pool, migrations: readonly Migration[]): Promise<Migration[]> {
  const later = migrations.filter(({ phase }) => phase.kind !== 'expand');
  if (later.length === 0) return [];
  const { rows } = await pool.query<{ number: number }>('select number from schema_migration');
  const done = new Set(rows.map(({ number }) => number));
  return later.filter(({ number }) => !done.has(number));
}

/** Runs `work` while no other head-end migrates, unless the migration was applied in the meantime. */
async function underLock<T>(pool: Pool, { number }: Migration, done: T, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (client) => {
    await lockInTransactionOf(client, 'migration');
    const applied = await client.query('select from schema_migration where number = $1', [number]);
    return applied.rowCount === 0 ? work(client) : done;
  });
}

/** Executes the statement once. Returns whether it changed no row, and was recorded. */
const runBatch = (pool: Pool, migration: Migration): Promise<boolean> =>
  underLock(pool, migration, true, async (client) => {
    const { rowCount } = await client.query(migration.sql);
    if ((rowCount ?? 0) > 0) return false;
    await recordMigration(client, migration);
    return true;
  });

/** Builds an index while its table is written. An index that an earlier attempt left unfinished is built again. */
async function buildIndex(pool: Pool, migration: Migration, name: string): Promise<void> {
  const invalid = await pool.query('select from pg_index where indexrelid = to_regclass($1) and not indisvalid', [name]);
  if (invalid.rowCount !== 0) await pool.query(`drop index concurrently if exists ${name}`);
  await pool.query(migration.sql);
  await underLock(pool, migration, undefined, (client) => recordMigration(client, migration));
}

/** Repeats a backfill until it is complete. False: it was aborted, and goes on where it was at the next attempt. */
async function backfill(pool: Pool, migration: Migration, signal: AbortSignal): Promise<boolean> {
  const name = INDEX.exec(migration.sql)?.groups?.['name'];
  if (name !== undefined) await buildIndex(pool, migration, name);
  else
    while (!(await runBatch(pool, migration))) {
      if (signal.aborted) return false;
      await wait(PAUSE_MS);
    }
  return true;
}

/** Applies a contraction unless head-ends live that need what it removes, and returns these. */
const contract = (pool: Pool, migration: Migration, { needs }: Extract<Phase, { kind: 'contract' }>): Promise<string[]> =>
  underLock(pool, migration, [], async (client) => {
    await client.query(LOCK_TIMEOUT);
    // A head-end that is born now waits for the end of this transaction, and then sees it.
    await client.query('lock table node in share row exclusive mode');
    const { rows } = await client.query<{ name: string }>(
      "select name || ' (' || version || ')' as name from node where ended_at is null and schema < $1 order by name",
      [needs],
    );
    if (rows.length > 0) return rows.map(({ name }) => name);
    await client.query(migration.sql);
    await recordMigration(client, migration);
    return [];
  });

/**
 * Applies backfills and contractions on the running system, in their order, as far as possible. `pool` is of the role that owns the tables. May run
 * at several head-ends at the same time. Returns the contraction that waits; undefined: everything is applied, or it was aborted.
 */
export async function applyLater(pool: Pool, log: Log, later: readonly Migration[], signal: AbortSignal): Promise<Waiting | undefined> {
  for (const migration of later) {
    const { phase, name } = migration;
    if (signal.aborted) return undefined;
    if (phase.kind === 'contract') {
      const nodes = await contract(pool, migration, phase);
      if (nodes.length > 0) return { migration: name, nodes };
    } else if (!(await backfill(pool, migration, signal))) return undefined;
    log.info('A database migration was applied on the running system', { migration: name });
  }
  return undefined;
}
