import { execFile, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { changeOwner, initIdentity } from '../src/db/embedded/unprivileged.ts';
import { openDatabase, type RunningDatabase } from '../src/composition/database.ts';
import { APPLICATION_ROLE, ensureApplicationRole } from '../src/db/application-role.ts';
import { handleKeys } from '../src/db/handle-keys.ts';
import { openPool } from '../src/db/pool.ts';
import { seed } from '../src/db/seed/seed.ts';
import { createLog } from '../src/platform/log.ts';
import { chainKeyOf, createSecrets } from '../src/platform/secrets.ts';
import type { TestDatabase } from './database.ts';
import { freePort } from './free-port.ts';
import { ADMIN_PASSWORD } from './global-setup.ts';
import { TEST_MASTER_KEY } from './master-key.ts';

const run = promisify(execFile);

/** Folders of the programs of PostgreSQL, where packages put them. */
const USUAL = [18, 17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin`);
const GIVEN = process.env['HES_TEST_POSTGRES_BIN'];
const FAST = { listen_addresses: "'127.0.0.1'", fsync: 'off', full_page_writes: 'off', max_connections: '100' };

/** Folder of the programs of an installed PostgreSQL, which has an extension if one is named; undefined: there is none. */
export function postgresPrograms(extension?: string): string | undefined {
  return (GIVEN === undefined ? USUAL : [GIVEN]).find((folder) => {
    const { stdout } = spawnSync(join(folder, 'pg_config'), ['--sharedir'], { encoding: 'utf8' });
    if (!stdout || !existsSync(join(folder, 'initdb'))) return false;
    return extension === undefined || existsSync(join(stdout.trim(), `extension/${extension}.control`));
  });
}

/** A PostgreSQL of the system's packages in a folder of its own; its superuser is `hes`. */
export interface InstalledPostgres {
  port: number;
  folder: string;
  urlOf(database: string): string;
  /** Runs a program of PostgreSQL as the user of the database. */
  run(program: string, ...args: string[]): Promise<unknown>;
  start(): Promise<void>;
  /** Ends it as a failure of its machine would. */
  kill(): Promise<void>;
}

/**
 * Prepares a PostgreSQL; `start` starts it.
 *
 * @param copyOf the server of which it becomes a streaming replica; undefined: it is new
 */
export async function installPostgres(
  programs: string,
  folder: string,
  { settings = {}, copyOf }: { settings?: Record<string, string>; copyOf?: InstalledPostgres } = {},
): Promise<InstalledPostgres> {
  const port = await freePort();
  const identity = initIdentity();
  const data = join(folder, 'data');
  const options = { ...identity, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' } };
  if (identity !== undefined) changeOwner(identity, folder);
  const program = (name: string, ...args: string[]) => run(join(programs, name), args, options);
  if (copyOf === undefined) await program('initdb', '-D', data, '-U', 'hes', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8');
  else await program('pg_basebackup', '-D', data, '-d', copyOf.urlOf('postgres'), '-R', '-c', 'fast');
  const all = { ...FAST, ...settings, port: String(port), unix_socket_directories: `'${folder}'` };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  appendFileSync(join(data, 'postgresql.conf'), `\n${lines.join('\n')}\n`);
  return {
    port,
    folder,
    urlOf: (database) => `postgres://hes@127.0.0.1:${port}/${database}`,
    run: program,
    start: async () => void (await program('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-w', 'start')),
    kill: async () => void (await program('pg_ctl', '-D', data, '-m', 'immediate', 'stop')),
  };
}

/** Runs statements on a connection of their own. */
export async function runStatements(url: string, ...statements: string[]): Promise<void> {
  const pool = openPool({ connection: { url }, max: 1 }, createLog('silent'));
  try {
    for (const statement of statements) await pool.query(statement);
  } finally {
    await pool.end();
  }
}

/** A database prepared by the start of the product, and seeded. `drop` closes its connections only. */
export async function openPrepared(ownerUrl: string): Promise<{ database: TestDatabase; running: RunningDatabase }> {
  const log = createLog('error');
  const owner = openPool({ connection: { url: ownerUrl }, max: 2 }, log);
  await ensureApplicationRole(owner, 'unused');
  const url = ownerUrl.replace('hes@', `${APPLICATION_ROLE}@`);
  const keys = handleKeys(chainKeyOf(createSecrets(TEST_MASTER_KEY)));
  const running = await openDatabase({ databaseUrl: url, databaseOwnerUrl: ownerUrl, dataDir: '' }, { log, clock: Date, keys });
  await seed(running.db, { adminPassword: ADMIN_PASSWORD });
  const { pool, db } = running;
  return {
    running,
    database: { url, ownerUrl, owner, pool, db, drop: async () => void (await Promise.all([running.stop(), owner.end()])) },
  };
}
