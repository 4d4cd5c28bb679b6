import { randomUUID } from 'node:crypto';
import { unnamedOf, unspokenOf, type AuditTold } from '@hes/contract/audit/render.ts';
import type { Pool } from 'pg';
import { inject } from 'vitest';
import { openDb, openPool } from '../src/db/pool.ts';
import type { Db } from '../src/db/context.ts';
import { createLog } from '../src/platform/log.ts';
import { chainKeyOf, createSecrets } from '../src/platform/secrets.ts';
import { TEST_MASTER_KEY } from './master-key.ts';

export interface TestDatabase {
  url: string;
  pool: Pool;
  db: Db;
  /** Of the role that owns the tables: for what the server itself may not do. */
  owner: Pool;
  ownerUrl: string;
  /** Closes the pool and drops the database. Fails when its audit log names a field that has no text. */
  drop(): Promise<void>;
}

/** Every field that the tested code wrote into the audit log has a text in both languages, and every id has a name. */
async function requireSpoken(pool: Pool): Promise<void> {
  const { rows } = await pool.query<AuditTold>('select action, entity, entity_id as "entityId", detail from audit_log');
  const unspoken = new Set(rows.flatMap((row) => unspokenOf(row).map((path) => `${row.action}: ${path}`)));
  if (unspoken.size > 0) throw new Error(`No text in audit/fields.ts for ${[...unspoken].join(', ')}`);
  const unnamed = new Set(rows.flatMap((row) => unnamedOf(row).map((id) => `${row.action}: ${id}`)));
  if (unnamed.size > 0) throw new Error(`The audit log names these by their numbers: ${[...unnamed].join(', ')}`);
}

/** A database of one's own: migrated, seeded, and otherwise empty. */
export async function cloneDatabase(): Promise<TestDatabase> {
  const template = new URL(inject('databaseUrl')).pathname;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = inject('databaseUrl').replace(template, `/${name}`);
  const ownerUrl = inject('databaseOwnerUrl').replace(template, `/${name}`);
  const log = createLog('error');
  const admin = openPool({ connection: { url: inject('databaseOwnerUrl').replace(template, '/postgres') }, max: 1 }, log);
  await admin.query(`create database ${name} template ${template.slice(1)}`);
  const pool = openPool({ connection: { url } }, log);
  const chainKey = chainKeyOf(createSecrets(TEST_MASTER_KEY));
  const owner = openPool({ connection: { url: ownerUrl }, max: 2 }, log);
  return {
    url,
    ownerUrl,
    owner,
    pool,
    db: openDb(pool, chainKey),
    async drop() {
      try {
        await requireSpoken(owner);
      } finally {
        await Promise.all([pool.end(), owner.end()]);
        await admin.query(`drop database ${name} with (force)`);
        await admin.end();
      }
    },
  };
}
