import type { Pool, PoolClient } from 'pg';
import { StartError } from '#platform/start-error.ts';
import { backendOf } from './pool.ts';

const PREPARED = { name: 'hes_probe', text: 'select pg_backend_pid() as pid' };
/** Statements that show a pooler whose order of backends is unknown: with the oldest or the newest one first, two are enough. */
const PROBES = 4;
/** SQLSTATE of a name that the backend does not know, and of one that another client has given. */
const FOREIGN_NAMES = ['26000', '42P05'];

const pidOf = async (client: PoolClient): Promise<number | undefined> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

/** Runs `use` with two clients of the pool; a failed one is closed. */
async function withTwo<T>(pool: Pool, use: (one: PoolClient, other: PoolClient) => Promise<T>): Promise<T> {
  const clients: PoolClient[] = [];
  try {
    const [one, other] = [await pool.connect(), await pool.connect()];
    clients.push(one, other);
    return await use(one, other);
  } finally {
    // Their probes must not stay prepared, or open.
    for (const client of clients) client.release(true);
  }
}

/**
 * Whether a client keeps its backend between transactions. Behind a pooler in transaction mode it does not: notifications and locks of its
 * session are lost without an error. A pooler hides the ids of its backends, so that a direct connection costs one statement.
 */
async function keepsSessions(pool: Pool): Promise<boolean> {
  const client = await pool.connect();
  let isDirect = false;
  try {
    isDirect = (await pidOf(client)) === backendOf(client);
  } finally {
    client.release();
  }
  if (isDirect) return true;
  return withTwo(pool, async (one, other) => {
    const own = await pidOf(one);
    for (let probe = 0; probe < PROBES; probe++) {
      await other.query('begin');
      const lent = await pidOf(other);
      const now = await pidOf(one);
      await other.query('rollback');
      if (lent === own || now !== own || (await pidOf(one)) !== own) return false;
    }
    return true;
  });
}

/** Whether a named statement of one client is found on each backend that the pooler lends it. */
async function keepsPrepared(pool: Pool): Promise<boolean> {
  return withTwo(pool, async (one, other) => {
    try {
      await one.query(PREPARED);
      await other.query('begin');
      await other.query(PREPARED);
      await one.query(PREPARED);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && FOREIGN_NAMES.includes(String(error.code))) return false;
      throw error;
    }
  });
}

/**
 * Refuses addresses with which the head-end would work by halves. `pool` may lead through a pooler if it keeps named statements and `direct`
 * leads to PostgreSQL itself.
 *
 * @param direct connections of HES_DATABASE_DIRECT_URL; undefined: it is empty
 */
export async function checkPooler(pool: Pool, direct: Pool | undefined): Promise<void> {
  if (direct !== undefined && !(await keepsSessions(direct)))
    throw new StartError('HES_DATABASE_DIRECT_URL leads through a connection pooler. Set it to the address of PostgreSQL itself.');
  if (await keepsSessions(pool)) return;
  if (direct === undefined)
    throw new StartError(
      'DATABASE_URL leads through a connection pooler in transaction mode. Set HES_DATABASE_DIRECT_URL to the address of PostgreSQL itself.',
    );
  if (!(await keepsPrepared(pool)))
    throw new StartError(
      'The connection pooler of DATABASE_URL keeps no prepared statements. Use PgBouncer 1.21 or newer with max_prepared_statements = 200.',
    );
}
