import { readdirSync, readFileSync } from 'node:fs';
import type { Pool, PoolClient } from 'pg';
import { silentLog, type Log } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';
import { lockInTransactionOf } from './advisory-locks.ts';
import { inTransaction } from './in-transaction.ts';

const MIGRATIONS = new URL('./migrations/', import.meta.url);
const NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

export interface Migration {
  number: number;
  name: string;
  sql: string;
}

export function listMigrations(): Migration[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => {
      const number = Number(NAME.exec(name)?.[1]);
      if (!Number.isInteger(number)) throw new Error(`Migration ${name} is not called NNNN_topic.sql`);
      return { number, name, sql: readFileSync(new URL(name, MIGRATIONS), 'utf8') };
    });
}

async function applyMigrations(client: PoolClient, missing: readonly Migration[], log: Log): Promise<void> {
  for (const [index, migration] of missing.entries()) {
    log.info('Applying a database migration', { migration: migration.name, step: index + 1, of: missing.length });
    try {
      await client.query(migration.sql);
      await client.query('insert into schema_migration (number, name) values ($1, $2)', [migration.number, migration.name]);
    } catch (error) {
      throw new Error(`Migration ${migration.name} did not apply`, { cause: error });
    }
  }
}

async function applyMissing(client: PoolClient, log: Log, migrations: readonly Migration[]): Promise<string[]> {
  await client.query(
    'create table if not exists schema_migration (number int primary key, name text not null, applied_at timestamptz not null default now())',
  );
  const applied = await client.query<{ number: number }>('select number from schema_migration');
  const done = new Set(applied.rows.map((row) => row.number));
  const newest = Math.max(0, ...migrations.map((migration) => migration.number));
  if (applied.rows.some((row) => row.number > newest)) {
    throw new StartError(
      'The database was written by a newer version of the head-end. Start that version, or another data folder (HES_DATA_DIR).',
    );
  }
  const missing = migrations.filter((migration) => !done.has(migration.number));
  await applyMigrations(client, missing, done.size === 0 ? silentLog : log);
  return missing.map((migration) => migration.name);
}

/**
 * Applies all missing migrations in one transaction under a lock and returns their names. After a failure the former version still starts.
 * Migrations of an existing database are logged, because they can take minutes.
 */
export async function migrate(pool: Pool, log: Log = silentLog, migrations: readonly Migration[] = listMigrations()): Promise<string[]> {
  return inTransaction(pool, async (client) => {
    await lockInTransactionOf(client, 'migration');
    return applyMissing(client, log, migrations);
  });
}
