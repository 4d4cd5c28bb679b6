import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { inject } from 'vitest';
import { openDb, openPool } from '../src/db/pool.ts';
import type { Db } from '../src/platform/context.ts';
import { createLog } from '../src/platform/log.ts';

export interface TestDatabase {
  url: string;
  pool: Pool;
  db: Db;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/** A database of one's own: migrated, seeded, and otherwise empty. */
export async function cloneDatabase(): Promise<TestDatabase> {
  const template = new URL(inject('databaseUrl').replace('@/', '@socket/'));
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const urlOf = (database: string) => inject('databaseUrl').replace(template.pathname, `/${database}`);
  const log = createLog('error');
  const admin = openPool({ connection: { url: urlOf('postgres') }, max: 1 }, log);
  await admin.query(`create database ${name} template ${template.pathname.slice(1)}`);
  const pool = openPool({ connection: { url: urlOf(name) } }, log);
  return {
    url: urlOf(name),
    pool,
    db: openDb(pool),
    async drop() {
      await pool.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}
