import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { findBinaries } from '#db/embedded/binaries.ts';
import { OWNER_ROLE } from '#db/embedded/cluster.ts';
import { databaseKey } from '#db/embedded/database-key.ts';
import { planMigrations } from '#db/migrate.ts';
import { openPool, type PoolOptions } from '#db/pool.ts';
import type { Config } from '#platform/config.ts';
import { findMasterKey } from '#platform/data-folder.ts';
import { silentLog } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';

const MEBI = 1_048_576;
/** A schema change writes log, and the database stops when the disk is full. */
const MIN_FREE_MIB = 512;
/** Line of postmaster.pid with the folder of the socket. */
const SOCKET_LINE = 4;

/** Folder of the built-in database; undefined: there is none yet. */
function clusterOf(dataDir: string): string | undefined {
  const pointer = join(dataDir, 'pg-location');
  const cluster = join(existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : join(dataDir, 'pg'), 'cluster');
  return existsSync(join(cluster, 'PG_VERSION')) ? cluster : undefined;
}

function refuseOtherMajor(cluster: string): void {
  const stored = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  const [own = ''] = findBinaries().version.split('.');
  if (stored !== own)
    throw new StartError(
      `The database in ${cluster} is of PostgreSQL ${stored}, and this version brings ${own}. Stay with the installed version, and read "Another PostgreSQL" in docs/how-to/install.md.`,
    );
}

function refuseFullDisk(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const freeMib = Math.floor((bavail * bsize) / MEBI);
  if (freeMib < MIN_FREE_MIB)
    throw new StartError(`The disk that holds ${folder} has ${freeMib} MB left. Free at least ${MIN_FREE_MIB} MB before the upgrade.`);
}

function connectionTo(cluster: string, dataDir: string): PoolOptions['connection'] {
  const file = join(cluster, 'postmaster.pid');
  const socketDir = existsSync(file) ? readFileSync(file, 'utf8').split('\n')[SOCKET_LINE]?.trim() : undefined;
  if (socketDir === undefined || socketDir === '')
    throw new StartError('The head-end does not run, so its database cannot be asked. Start the installed version, then check again.');
  return { socketDir, database: 'postgres', user: OWNER_ROLE, password: databaseKey(dataDir).passwordOf(OWNER_ROLE) };
}

async function ask<T>(connection: PoolOptions['connection'], question: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool({ connection, max: 1 }, silentLog);
  try {
    return await question(pool);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`The database cannot be asked (${reason}). Mend that first: the new version would not start either.`, {
      cause: error,
    });
  } finally {
    await pool.end();
  }
}

/** What an upgrade to this program would do. */
export interface Preflight {
  /** Migrations in the order in which they would be applied. */
  migrations: string[];
}

/**
 * Checks whether this program would work with settings, data folder and database of the installed one, which goes on meanwhile. It changes nothing.
 * Throws `StartError` with the reason and what to do.
 */
export async function checkBeforeUpgrade(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'databaseOwnerUrl' | 'masterKey'>,
): Promise<Preflight> {
  const { dataDir, databaseUrl, databaseOwnerUrl, masterKey } = config;
  if (!existsSync(dataDir)) return { migrations: [] };
  refuseFullDisk(dataDir);
  if (databaseUrl !== undefined) return { migrations: await ask({ url: databaseOwnerUrl ?? databaseUrl }, planMigrations) };
  const cluster = clusterOf(dataDir);
  if (cluster === undefined) return { migrations: [] };
  refuseOtherMajor(cluster);
  if (findMasterKey(dataDir, masterKey) === undefined)
    throw new StartError(`The data folder ${dataDir} has a database and no master key. Set HES_MASTER_KEY, or put master.key back.`);
  return { migrations: await ask(connectionTo(cluster, dataDir), planMigrations) };
}
