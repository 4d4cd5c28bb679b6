import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Db } from './context.ts';
import type { Log } from '#platform/log.ts';
import { lowerPriority } from './embedded/process-priority.ts';
import { registerKeys, handleKeys, type HandleKeys } from './handle-keys.ts';

const { builtins } = pg.types;
const DATE_ARRAY = 1182;

const asText = (text: string) => text;
const parsers = new Map<number, (text: string) => unknown>([
  // 64-bit and decimal values do not fit a double, and a day has no instant: all three are read as text.
  [builtins.INT8, asText],
  [builtins.NUMERIC, asText],
  [builtins.DATE, asText],
  [DATE_ARRAY, (text) => (text === '{}' ? [] : text.slice(1, -1).split(','))],
]);

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const parser = format === 'binary' ? undefined : parsers.get(oid);
    // as: pg's own declaration lists one overload per format.
    return parser ?? (pg.types.getTypeParser as (oid: number, format?: string) => (value: string) => unknown)(oid, format);
  },
};

export interface PoolOptions {
  /** `postgres://…`, or a folder with a unix socket. */
  connection: { url: string } | { socketDir: string; database: string; user: string; password: string };
  max?: number;
  /** For collection and background jobs: the built-in database runs these connections at lower priority than interactive ones. */
  isBackground?: boolean;
  /** Ends a transaction whose client sends nothing for this time. Default: never. */
  idleTransactionMs?: number;
}

/**
 * A head-end that hangs, or has lost the network in the middle of a transaction, holds its locks for this time, and not until TCP gives up
 * after hours: switches, audit rows and its own death wait for them at all others.
 */
export const IDLE_TRANSACTION_MS = 10_000;

/** Opens a pool that reads int8, numeric and date as text and reconnects after a restart of the database. */
export function openPool(options: PoolOptions, log: Log): pg.Pool {
  const { connection } = options;
  const pool = new pg.Pool({
    ...('url' in connection
      ? { connectionString: connection.url }
      : { host: connection.socketDir, database: connection.database, user: connection.user, password: connection.password, port: 5432 }),
    max: options.max ?? 12,
    // An idle connection costs 20 MB. Interactive ones are kept longer, so that the next page needs no new connection.
    idleTimeoutMillis: options.isBackground === true ? 10_000 : 30_000,
    connectionTimeoutMillis: 10_000,
    application_name: 'hes',
    options: '-c timezone=UTC',
    types,
    // A statement in place of a parameter of the start: PgBouncer refuses parameters that it does not know.
    ...(options.idleTransactionMs === undefined
      ? {}
      : {
          onConnect: async (client: pg.ClientBase) =>
            void (await client.query(`set idle_in_transaction_session_timeout = ${options.idleTransactionMs}`)),
        }),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn('A database connection broke', { error: error.message });
  });
  // The pool has no listener on a connection that is checked out: an error between two queries would end the process. The next query of its
  // owner fails instead.
  pool.on('connect', (client) => client.on('error', () => undefined));
  if (options.isBackground === true && 'socketDir' in connection) pool.on('connect', (client) => void lowerPriority(backendOf(client)));
  return pool;
}

/** The connection as a URL, for another process. */
export const urlOf = (connection: PoolOptions['connection']): string =>
  'url' in connection
    ? connection.url
    : `postgres://${connection.user}:${connection.password}@localhost/${connection.database}?host=${encodeURIComponent(connection.socketDir)}`;

/** Process id of the database backend of a connection; a pooler tells an invented one. */
export const backendOf = (client: pg.PoolClient): number => (client as unknown as { processID: number }).processID; // as: set once connected, and not declared

/** The connection parameters of a pool: a worker thread cannot share the pool itself. */
export function connectionOf({ options }: pg.Pool): PoolOptions['connection'] {
  const { connectionString: url, host = '', database = '', user = '', password } = options;
  return url === undefined ? { socketDir: host, database, user, password: typeof password === 'string' ? password : '' } : { url };
}

/**
 * Opens a Kysely handle with camelCase columns and unchanged nested JSON. Only a handle with keys can write the audit and command logs, and
 * read or change rights.
 */
export function openDb(pool: pg.Pool, keys?: HandleKeys | Buffer): Db {
  const plugin = new CamelCasePlugin({ maintainNestedObjectKeys: true });
  if (keys !== undefined) registerKeys(plugin, Buffer.isBuffer(keys) ? handleKeys(keys) : keys);
  return new Kysely({ dialect: new PostgresDialect({ pool }), plugins: [plugin] });
}

interface Connections {
  pool: pg.Pool;
  db: Db;
}

export interface DatabaseConnections extends Connections {
  /** Separate pool for background work: interactive requests find a free connection during nightly collection. */
  background: Connections;
  /** Connections that keep their session, which a pooler in transaction mode does not: for notifications and the lock of a process. */
  direct: pg.Pool;
  end(): Promise<void>;
}

/** Two connections listen; the third is for the checks of a start. */
const DIRECT_CONNECTIONS = 3;

/**
 * Opens the pools of a head-end. Connections are established on first use.
 *
 * @param directUrl address of PostgreSQL itself, where `connection` may lead through a pooler
 */
export function openConnections(
  connection: PoolOptions['connection'],
  log: Log,
  { keys, directUrl }: { keys?: HandleKeys; directUrl?: string | undefined } = {},
): DatabaseConnections {
  const pool = openPool({ connection, idleTransactionMs: IDLE_TRANSACTION_MS }, log);
  const background = openPool({ connection, isBackground: true, idleTransactionMs: IDLE_TRANSACTION_MS }, log);
  const direct = directUrl === undefined ? background : openPool({ connection: { url: directUrl }, max: DIRECT_CONNECTIONS }, log);
  return {
    pool,
    db: openDb(pool, keys),
    background: { pool: background, db: openDb(background, keys) },
    direct,
    async end() {
      await Promise.all([...new Set([pool, background, direct])].map((one) => one.end()));
    },
  };
}
