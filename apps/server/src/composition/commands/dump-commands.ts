import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Pool } from 'pg';
import { loadDump, readDump } from '#db/dump/load-dump.ts';
import { writeDump, type Dump } from '#db/dump/write-dump.ts';
import { findBinaries } from '#db/embedded/binaries.ts';
import { findPlace } from '#db/embedded/place.ts';
import { startEmbedded } from '#db/embedded/supervisor.ts';
import { databaseIdentity } from '#db/embedded/unprivileged.ts';
import { openPool, type PoolOptions } from '#db/pool.ts';
import { systemClock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { findMasterKey, lockDataFolder, openDataFolder } from '#platform/data-folder.ts';
import { createSecrets } from '#platform/secrets.ts';
import { StartError } from '#platform/start-error.ts';
import type { CommandContext, Wishes } from './backup-commands.ts';

/** Settings, log and output of these commands. */
export interface DumpContext extends CommandContext {
  config: CommandContext['config'] & Pick<Config, 'databaseOwnerUrl'>;
}

function folderOf({ name }: Wishes, verb: string): string {
  if (name === undefined) throw new StartError(`Name the folder of the dump: hes ${verb} FOLDER.`);
  return name;
}

async function withPool<T>({ log }: CommandContext, connection: PoolOptions['connection'], use: (owner: Pool) => Promise<T>): Promise<T> {
  const owner = openPool({ connection, max: 1 }, log);
  try {
    return await use(owner);
  } finally {
    await owner.end();
  }
}

/** Lends the owner of the tables, and starts the built-in database for it. The data folder is locked: no head-end works on it. */
async function withOwner<T>(context: DumpContext, use: (owner: Pool) => Promise<T>): Promise<T> {
  const { dataDir, databaseUrl, databaseOwnerUrl } = context.config;
  openDataFolder(dataDir);
  const release = lockDataFolder(dataDir);
  try {
    const url = databaseOwnerUrl ?? databaseUrl;
    if (url !== undefined) return await withPool(context, { url }, use);
    const database = await startEmbedded(dataDir, context.log);
    try {
      return await withPool(context, database.owner, use);
    } finally {
      await database.stop();
    }
  } finally {
    release();
  }
}

const sumOf = ({ tables }: Dump): string => `${tables.length} tables with ${tables.reduce((sum, { rows }) => sum + rows, 0)} rows`;

/** `hes dump FOLDER`: writes the rows of a stopped head-end into a folder that every version of PostgreSQL can load. */
export async function dump(context: DumpContext, wishes: Wishes): Promise<void> {
  const folder = folderOf(wishes, 'dump');
  const written = await withOwner(context, (owner) => writeDump(owner, folder));
  context.say(`The dump ${folder} holds ${sumOf(written)}. The master key is not in it.`);
}

/** Moves the built-in database aside, if there is one. Returns the function that puts it back in place of what was made meanwhile. */
function setAside({ config: { dataDir, databaseUrl } }: DumpContext): { keptAs: string | undefined; putBack(): void } {
  if (databaseUrl !== undefined) return { keptAs: undefined, putBack: () => undefined };
  openDataFolder(dataDir);
  const { cluster } = findPlace(dataDir, findBinaries(), databaseIdentity(dataDir));
  const keptAs = existsSync(cluster) ? `${cluster}.before-load-${systemClock.now()}` : undefined;
  if (keptAs !== undefined) renameSync(cluster, keptAs);
  return {
    keptAs,
    putBack() {
      rmSync(cluster, { recursive: true, force: true });
      if (keptAs !== undefined) renameSync(keptAs, cluster);
    },
  };
}

function requireKey({ config: { dataDir, masterKey } }: DumpContext, { masterKeyId }: Dump): void {
  const key = findMasterKey(dataDir, masterKey);
  const held = key && createSecrets(key, undefined).keyId;
  if (masterKeyId !== '' && held !== masterKeyId)
    throw new StartError(
      `The secrets of the dump are sealed with the master key ${masterKeyId}, and this is ${held ?? 'none'}. Bring back that master.key, or set HES_MASTER_KEY.`,
    );
}

/** Refuses while a head-end runs. */
function requireStopped(dataDir: string): void {
  openDataFolder(dataDir);
  lockDataFolder(dataDir)();
}

/** `hes load FOLDER`: loads a dump into a new built-in database, or into the empty one of DATABASE_URL. */
export async function load(context: DumpContext, wishes: Wishes): Promise<void> {
  const folder = folderOf(wishes, 'load');
  requireKey(context, readDump(folder));
  requireStopped(context.config.dataDir);
  const { keptAs, putBack } = setAside(context);
  try {
    const loaded = await withOwner(context, (owner) => loadDump(owner, folder));
    context.say(`${sumOf(loaded)} were loaded and compared with the dump.`);
    if (keptAs !== undefined) context.say(`The former database is kept in ${keptAs}; delete it when it is not needed.`);
  } catch (error) {
    putBack();
    throw error;
  }
}
