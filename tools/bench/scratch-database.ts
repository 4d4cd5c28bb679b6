import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { migrate } from '../../apps/server/src/db/migrate.ts';
import { openConnections, openPool, urlOf, type DatabaseConnections, type PoolOptions } from '../../apps/server/src/db/pool.ts';
import { startEmbedded } from '../../apps/server/src/db/embedded/supervisor.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { removeDataDir } from '../../e2e/support/head-end.ts';

const log = createLog('error');

export interface ScratchDatabase extends Omit<DatabaseConnections, 'end'> {
  /** For other processes: the value of DATABASE_URL. */
  url: string;
  /** Data folder for such a process. */
  folder: string;
  /** Process id of the database server if it runs on this machine. */
  pid: number | undefined;
  stop(): Promise<void>;
}

/** Opens a migrated scratch database for one benchmark: in the built-in PostgreSQL with these settings, or on the server of DATABASE_URL. */
export async function openScratchDatabase(settings: Readonly<Record<string, string>> = {}): Promise<ScratchDatabase> {
  const url = process.env['DATABASE_URL'];
  return url === undefined || url === '' ? openEmbedded(settings) : openAt(url);
}

async function openEmbedded(settings: Readonly<Record<string, string>>): Promise<ScratchDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hes-bench-'));
  const database = await startEmbedded(dataDir, log, settings);
  const { end, ...connections } = openConnections(database.owner, log);
  await migrate(connections.pool);
  return {
    ...connections,
    url: urlOf(database.owner),
    folder: join(dataDir, 'head-end'),
    pid: await parentOfBackend(connections.pool),
    async stop() {
      await end();
      await database.stop();
      // The cluster of an unprivileged user lies in another folder, which must be removed, too.
      removeDataDir(dataDir);
    },
  };
}

async function openAt(url: string): Promise<ScratchDatabase> {
  const name = `hes_bench_${randomBytes(4).toString('hex')}`;
  const admin = openPool({ connection: { url } }, log);
  await admin.query(`create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const connection: PoolOptions['connection'] = { url: own.href };
  const folder = await mkdtemp(join(tmpdir(), 'hes-bench-'));
  const { end, ...connections } = openConnections(connection, log);
  await migrate(connections.pool);
  return {
    ...connections,
    url: own.href,
    folder,
    pid: undefined,
    async stop() {
      await end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function parentOfBackend(pool: Pool): Promise<number | undefined> {
  const backend = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  try {
    const text = await readFile(`/proc/${backend.rows[0]?.pid}/stat`, 'latin1');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // Only Linux has /proc.
    return undefined;
  }
}
