import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { ensureApplicationRole, grantToApplication } from '#db/application-role.ts';
import { archiveSettings, openArchive } from '#db/backup/wal-archive.ts';
import type { SocketConnection } from '#db/embedded/postmaster.ts';
import { startEmbedded } from '#db/embedded/supervisor.ts';
import type { HandleKeys } from '#db/handle-keys.ts';
import { migrate } from '#db/migrate.ts';
import type { Migration } from '#db/migration.ts';
import { distributeTables } from '#db/citus.ts';
import { createPartitions } from '#db/partitions.ts';
import { checkPooler } from '#db/pooler.ts';
import { openConnections, openPool, type DatabaseConnections } from '#db/pool.ts';
import { msFromNow, msUntil, type WallClock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';
import { readCurrentRole, readServerVersion } from './database-queries.ts';

const MIN_VERSION = 150_000;
/** SQLSTATE of PostgreSQL while it starts or stops. */
const CANNOT_CONNECT_NOW = '57P03';
const STARTING_FOR_MS = 60_000;
const ASK_AGAIN_MS = 250;

export interface RunningDatabase extends Omit<DatabaseConnections, 'end'> {
  stop(): Promise<void>;
  /** The built-in database; undefined: an external one. */
  own?: { owner: SocketConnection; cluster: string };
  /** Calls `use` with a pool of the role that owns the tables, and with the name of the application role if that is another one. */
  asOwner(use: (owner: Pool, application: string | undefined) => Promise<void>): Promise<void>;
}

async function checkVersion(pool: Pool): Promise<void> {
  const version = await readServerVersion(pool);
  if (version < MIN_VERSION)
    throw new StartError(`DATABASE_URL points to PostgreSQL ${Math.floor(version / 10_000)}; version 15 or newer is needed.`);
}

/** While there is no primary, a proxy accepts a connection and closes it before PostgreSQL has responded. */
const isClosedByProxy = (error: Error): boolean =>
  error.message === 'Connection terminated unexpectedly' || ('code' in error && error.code === 'ECONNRESET');

/** Retries while PostgreSQL starts or a standby is promoted: after a power failure it starts together with the server and takes longer. */
async function whenStarted(ask: () => Promise<void>): Promise<void> {
  const givenUpAt = msFromNow(STARTING_FOR_MS);
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isStarting = error instanceof Error && (isClosedByProxy(error) || ('code' in error && error.code === CANNOT_CONNECT_NOW));
      if (!isStarting || msUntil(givenUpAt) < 0) throw error;
      await wait(ASK_AGAIN_MS);
    }
  }
}

async function openExternal(
  url: string,
  { ownerUrl, directUrl, keys, log }: { ownerUrl: string | undefined; directUrl: string | undefined; keys: HandleKeys; log: Log },
): Promise<RunningDatabase> {
  const { end, ...connections } = openConnections({ url }, log, { keys, directUrl });
  try {
    await whenStarted(() => checkVersion(connections.pool));
    await checkPooler(connections.pool, directUrl === undefined ? undefined : connections.direct);
  } catch (error) {
    await end();
    if (error instanceof StartError) throw error;
    const reason = error instanceof Error ? error.message || String('code' in error ? error.code : error.name) : String(error);
    throw new StartError(
      `The database of DATABASE_URL cannot be used (${reason}). Correct DATABASE_URL, or leave it empty for the built-in database.`,
      { cause: error },
    );
  }
  let isTold = false;
  const asOwner: RunningDatabase['asOwner'] = async (use) => {
    if (ownerUrl === undefined) {
      if (!isTold)
        log.warn(
          'The role of DATABASE_URL owns its tables: set HES_DATABASE_OWNER_URL, so that history cannot be rewritten with its password',
        );
      isTold = true;
      return use(connections.pool, undefined);
    }
    const role = await readCurrentRole(connections.pool);
    await lend(openPool({ connection: { url: ownerUrl }, max: 2 }, log), (owner) => use(owner, role));
  };
  return { ...connections, asOwner, stop: end };
}

async function lend(pool: Pool, use: (pool: Pool) => Promise<void>): Promise<void> {
  try {
    await use(pool);
  } finally {
    await pool.end();
  }
}

async function openOwn(
  dataDir: string,
  { keys, log, backup }: { keys: HandleKeys; log: Log; backup: Config['backup'] },
): Promise<RunningDatabase> {
  const { owner, application, cluster, stop } = await startEmbedded(dataDir, log.child({ part: 'database' }), ({ identity }) =>
    backup === undefined ? {} : archiveSettings(openArchive(backup.folder, identity), backup.walS),
  );
  const { end, ...connections } = openConnections(application, log, { keys });
  return {
    ...connections,
    own: { owner, cluster },
    asOwner: (use) =>
      lend(openPool({ connection: owner, max: 2 }, log), async (pool) => {
        await ensureApplicationRole(pool, application.password);
        await use(pool, application.user);
      }),
    async stop() {
      await end();
      await stop();
    },
  };
}

/** Converts a failure into a `StartError` with the failed step, the reason, and the resulting state. */
async function step(done: Promise<unknown>, what: string, left: string): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (error instanceof StartError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    throw new StartError(`${what} (${error instanceof Error ? error.message : String(error)}${cause}). ${left}`, { cause: error });
  }
}

interface DatabaseTools {
  log: Log;
  clock: WallClock;
  /** Keys of logs and rights. */
  keys: HandleKeys;
  /** Default: all of this program. */
  migrations?: readonly Migration[] | undefined;
}

/** Starts the built-in database or connects to an external one, and updates schema and partitions. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'databaseOwnerUrl' | 'dataDir'> & Partial<Pick<Config, 'databaseDirectUrl' | 'citus' | 'backup'>>,
  { log, clock, keys, migrations }: DatabaseTools,
): Promise<RunningDatabase> {
  const { databaseUrl, databaseOwnerUrl: ownerUrl, databaseDirectUrl: directUrl, citus = 'auto', dataDir, backup } = config;
  const database =
    databaseUrl === undefined
      ? await openOwn(dataDir, { keys, log, backup })
      : await openExternal(databaseUrl, { ownerUrl, directUrl, keys, log });
  try {
    await step(
      database.asOwner(async (owner, application) => {
        await migrate(owner, log.child({ part: 'database' }), migrations);
        if (application !== undefined) await grantToApplication(owner, application);
      }),
      'The schema of the database could not be brought up to date',
      'Nothing was changed.',
    );
    await step(
      createPartitions(database.pool, clock.now()),
      'The tables of the coming months could not be made',
      'The schema is up to date; start again once this is mended.',
    );
    await step(
      database.asOwner(async (owner) => void (await distributeTables(owner, citus, log.child({ part: 'database' })))),
      'The tables of readings could not be distributed over the workers of Citus',
      'They are where they were. Start again once this is mended, or with HES_CITUS=off.',
    );
  } catch (error) {
    await database.stop();
    throw error;
  }
  return database;
}
