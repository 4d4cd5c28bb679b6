import { readdirSync, readFileSync } from 'node:fs';
import type { Pool, PoolClient } from 'pg';
import { silentLog, type Log } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';

const MIGRATIONS = new URL('./migrations/', import.meta.url);
const NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
/** Any number; the same in every version of the server, so that two starting servers take turns. */
const MIGRATION_LOCK = 4_059_001;

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

/** All migrations that are missing, as one change. */
async function apply(client: PoolClient, open: readonly Migration[], log: Log): Promise<void> {
  await client.query('begin');
  for (const [index, migration] of open.entries()) {
    log.info('The database is brought up to date', { migration: migration.name, step: index + 1, of: open.length });
    try {
      await client.query(migration.sql);
      await client.query('insert into schema_migration (number, name) values ($1, $2)', [migration.number, migration.name]);
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw new Error(`Migration ${migration.name} did not apply`, { cause: error });
    }
  }
  await client.query('commit');
}

/**
 * Brings the schema up to date, one server at a time and with all that is missing or nothing: after a failure the version that ran before
 * still runs. Says what it does where a database is there already, because a million meters take minutes. Answers the names that were
 * applied now.
 */
export async function migrate(pool: Pool, log: Log = silentLog, migrations: readonly Migration[] = listMigrations()): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
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
    const open = migrations.filter((migration) => !done.has(migration.number));
    await apply(client, open, done.size === 0 ? silentLog : log);
    return open.map((migration) => migration.name);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    client.release();
  }
}
