import { setTimeout as wait } from 'node:timers/promises';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { silentLog, type Log } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';
import { lockInTransactionOf } from './advisory-locks.ts';
import { inTransaction } from './in-transaction.ts';
import { FIRST_WITH_PHASE, listMigrations, schemaOf, type Migration } from './migration.ts';

/**
 * Time limit of waiting for a lock of a table. Statements that come later wait behind the one that waits, so that with a longer limit one long
 * transaction would stop all head-ends.
 */
export const LOCK_TIMEOUT = "set local lock_timeout = '3s'";
/** SQLSTATE of a lock that was not to be had in time. */
const LOCK_NOT_AVAILABLE = '55P03';
const ATTEMPTS = 20;
const RETRY_MS = 500;

/** A row of the table of migrations. `phase` and `needs` are missing before they were columns. */
interface Applied {
  number: number;
  name: string;
  phase?: string | null;
  needs?: number | null;
}

/** Records a migration as applied. */
export async function recordMigration(client: ClientBase, { number, name, phase }: Migration): Promise<void> {
  if (number < FIRST_WITH_PHASE) {
    await client.query('insert into schema_migration (number, name) values ($1, $2)', [number, name]);
    return;
  }
  const needs = phase.kind === 'contract' ? phase.needs : null;
  await client.query('insert into schema_migration (number, name, phase, needs) values ($1, $2, $3, $4)', [
    number,
    name,
    phase.kind,
    needs,
  ]);
}

/** Statements of an index that other head-ends do not wait for are refused in a transaction. */
const inOneTransaction = ({ sql, phase }: Migration): string =>
  phase.kind === 'backfill' ? sql.replace(/\bindex concurrently\b/i, 'index') : sql;

async function applyMigrations(client: PoolClient, missing: readonly Migration[], log: Log): Promise<void> {
  for (const [index, migration] of missing.entries()) {
    log.info('Applying a database migration', { migration: migration.name, step: index + 1, of: missing.length });
    try {
      await client.query(inOneTransaction(migration));
      await recordMigration(client, migration);
    } catch (error) {
      throw new Error(`Migration ${migration.name} did not apply`, { cause: error });
    }
  }
}

/** Refuses a schema that a newer head-end has changed by more than expansions. */
function refuseNewerSchema(applied: readonly Applied[], schema: number): void {
  const isRefused = ({ number, phase, needs }: Applied) => number > schema && (phase == null || (needs ?? 0) > schema);
  const refused = applied.find(isRefused);
  if (refused === undefined) return;
  throw new StartError(
    `The database was written by a newer version of the head-end, and this one does not work with it (${refused.name}). Start that version, or another data folder (HES_DATA_DIR).`,
  );
}

async function applyMissing(client: PoolClient, log: Log, migrations: readonly Migration[]): Promise<string[]> {
  await client.query(
    'create table if not exists schema_migration (number int primary key, name text not null, applied_at timestamptz not null default now())',
  );
  const { rows: applied } = await client.query<Applied>('select * from schema_migration order by number');
  refuseNewerSchema(applied, schemaOf(migrations));
  const done = new Set(applied.map(({ number }) => number));
  const isFresh = done.size === 0;
  const missing = migrations.filter(({ number, phase }) => !done.has(number) && (isFresh || phase.kind === 'expand'));
  await applyMigrations(client, missing, isFresh ? silentLog : log);
  return missing.map(({ name }) => name);
}

/**
 * Names of the migrations that this program would apply to a database at its start, without applying any. Throws `StartError` if it does not work
 * with the schema.
 */
export async function planMigrations(pool: Pool, migrations: readonly Migration[] = listMigrations()): Promise<string[]> {
  const { rows: tables } = await pool.query<{ known: boolean }>("select to_regclass('schema_migration') is not null as known");
  if (tables[0]?.known !== true) return migrations.map(({ name }) => name);
  const { rows: applied } = await pool.query<Applied>('select * from schema_migration order by number');
  refuseNewerSchema(applied, schemaOf(migrations));
  const done = new Set(applied.map(({ number }) => number));
  return migrations.filter(({ number }) => !done.has(number)).map(({ name }) => name);
}

const isLockTimeout = (error: unknown): boolean => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && 'code' in cause && cause.code === LOCK_NOT_AVAILABLE;
};

/**
 * Applies missing expansions in one transaction under a lock and returns their names; in an empty database, all migrations. After a failure the
 * former version still starts. Migrations of an existing database are logged, because they can take minutes.
 */
export async function migrate(pool: Pool, log: Log = silentLog, migrations: readonly Migration[] = listMigrations()): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(pool, async (client) => {
        await lockInTransactionOf(client, 'migration');
        await client.query(LOCK_TIMEOUT);
        return applyMissing(client, log, migrations);
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !isLockTimeout(error)) throw error;
      log.info('A migration waits for a table that is in use', { attempt });
      await wait(RETRY_MS);
    }
  }
}
