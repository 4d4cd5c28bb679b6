/**
 * One PostgreSQL for a whole vitest run. It holds `hes_template`, migrated and seeded; test files clone it
 * (`cloneDatabase` in ./database.ts), which takes some 50 ms. Provided to tests as `inject('databaseUrl')`.
 */
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../src/db/embedded/supervisor.ts';
import { APPLICATION_ROLE, ensureApplicationRole, grantToApplication } from '../src/db/application-role.ts';
import { migrate } from '../src/db/migrate.ts';
import { createPartitions } from '../src/db/partitions.ts';
import { openDb, openPool, urlOf } from '../src/db/pool.ts';
import { seed } from '../src/db/seed/seed.ts';
import { createLog } from '../src/platform/log.ts';
import { chainKeyOf, createSecrets } from '../src/platform/secrets.ts';
import { TEST_MASTER_KEY } from './master-key.ts';
import { removeScratch, scratchFolder } from './scratch.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `postgres://…/hes_template` for the server's own role: the database to clone, never to connect to. */
    databaseUrl: string;
    /** The same for the role that owns all tables. */
    databaseOwnerUrl: string;
  }
}

const TEMPLATE = 'hes_template';
/** The administrator of every test database. */
export const ADMIN_PASSWORD = 'Quiet-Meadow-7';
/** Durability does not matter in tests. */
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };

/** A template that is there already, for many vitest runs in a row: starting one takes longer than most of them. */
const SHARED_URL = 'HES_TEST_DATABASE_URL';
const SHARED_OWNER_URL = 'HES_TEST_DATABASE_OWNER_URL';

export default async function setup(project: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const shared = process.env[SHARED_URL];
  if (shared !== undefined) {
    project.provide('databaseUrl', shared);
    project.provide('databaseOwnerUrl', process.env[SHARED_OWNER_URL] ?? shared);
    return () => Promise.resolve();
  }
  const dataDir = scratchFolder('hes-test-db-');
  const log = createLog('warn');
  const database = await startEmbedded(dataDir, log, FAST);
  const admin = openPool({ connection: database.owner, max: 1 }, log);
  await admin.query(`create database ${TEMPLATE}`);
  await ensureApplicationRole(admin, database.application.password);
  await admin.end();
  const owner = { ...database.owner, database: TEMPLATE };
  const pool = openPool({ connection: owner }, log);
  await migrate(pool);
  await grantToApplication(pool, APPLICATION_ROLE);
  await createPartitions(pool, Date.now());
  await seed(openDb(pool, chainKeyOf(createSecrets(TEST_MASTER_KEY))), { adminPassword: ADMIN_PASSWORD });
  await pool.end();
  project.provide('databaseUrl', urlOf({ ...database.application, database: TEMPLATE }));
  project.provide('databaseOwnerUrl', urlOf(owner));
  return async () => {
    await database.stop();
    removeScratch(dataDir);
  };
}
