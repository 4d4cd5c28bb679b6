import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '#platform/log.ts';
import { findBinaries } from './binaries.ts';
import { ensureCluster, OWNER_ROLE } from './cluster.ts';
import { databaseKey } from './database-key.ts';
import { APPLICATION_ROLE } from '../application-role.ts';
import { explain } from './failures.ts';
import { stopOrphanedDatabase } from './orphaned-database.ts';
import { findPlace, socketFolder, type Place } from './place.ts';
import { startPostmaster, untilReady, type DatabaseSettings, type Postmaster, type SocketConnection } from './postmaster.ts';
import { databaseIdentity } from './unprivileged.ts';

const START_TRIES = 20;
const RETRY_MS = 300;
const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
/** Transient: processes of a killed database keep its shared memory for a moment. */
const TRANSIENT_FAILURE = /pre-existing shared memory|lock file .* already exists|is another (postgres|postmaster)/i;

export interface EmbeddedDatabase {
  /** The role that owns all tables; for migrations only. */
  owner: SocketConnection;
  /** Folder of the cluster. */
  cluster: string;
  /** A role that owns nothing, for all other access. It exists after `grantToApplication`. */
  application: SocketConnection;
  /** True when this start created the cluster. */
  isNew: boolean;
  stop(): Promise<void>;
}

async function startAndWait(place: Place, owner: SocketConnection, log: Log, extra: DatabaseSettings): Promise<Postmaster> {
  for (let tries = 1; ; tries++) {
    await stopOrphanedDatabase(place.cluster, log);
    const postmaster = startPostmaster(place, owner.socketDir, log, extra);
    if (await untilReady(postmaster, owner)) return postmaster;
    await postmaster.stop();
    const words = postmaster.lastWords();
    if (tries >= START_TRIES || !TRANSIENT_FAILURE.test(words)) throw explain(new Error(words), place.cluster);
    await wait(RETRY_MS);
  }
}

/** Starts the built-in PostgreSQL below `dataDir`, restarts it after crashes, and stops it when this process ends. */
export async function startEmbedded(
  dataDir: string,
  log: Log,
  settings: DatabaseSettings | ((place: Place) => DatabaseSettings) = {},
): Promise<EmbeddedDatabase> {
  const place = findPlace(dataDir, findBinaries(), databaseIdentity(dataDir));
  const extra = typeof settings === 'function' ? settings(place) : settings;
  const key = databaseKey(dataDir);
  await stopOrphanedDatabase(place.cluster, log);
  const isNew = (await ensureCluster(place, key)) === 'created';
  const socket = socketFolder(place);
  const roleOf = (user: string) => ({ socketDir: socket.path, database: 'postgres', user, password: key.passwordOf(user) });
  const owner = roleOf(OWNER_ROLE);
  let current = await startAndWait(place, owner, log, extra);
  const stopping = new AbortController();

  async function restart(): Promise<void> {
    for (let backoffMs = FIRST_BACKOFF_MS; !stopping.signal.aborted; backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS)) {
      try {
        await wait(backoffMs, undefined, { signal: stopping.signal });
        current = await startAndWait(place, owner, log, extra);
        log.info('The database was restarted');
        return;
      } catch (error) {
        if (!stopping.signal.aborted)
          log.error('The database could not be restarted', { error, nextTryMs: Math.min(backoffMs * 2, LONGEST_BACKOFF_MS) });
      }
    }
  }

  let restarting: Promise<void> = Promise.resolve();
  async function supervise(): Promise<void> {
    while (!stopping.signal.aborted) {
      await current.ended;
      if (stopping.signal.aborted) return;
      log.error('The database ended unexpectedly and is restarted', { lastWords: current.lastWords().split('\n').slice(-3) });
      restarting = restart();
      await restarting;
    }
  }
  void supervise();

  return {
    owner,
    cluster: place.cluster,
    application: roleOf(APPLICATION_ROLE),
    isNew,
    async stop() {
      stopping.abort();
      await restarting;
      await current.stop();
      if (socket.isTemporary) rmSync(socket.path, { recursive: true, force: true });
    },
  };
}
