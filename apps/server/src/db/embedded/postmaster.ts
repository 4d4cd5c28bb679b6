import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '#platform/log.ts';
import { within } from '#platform/within.ts';
import { databaseEnvironment } from './cluster.ts';
import type { Place } from './place.ts';

/**
 * Stops the database when its standard input closes, that is, whenever the head-end ends, even by `kill -9`. SIGINT is the fast shutdown of
 * PostgreSQL. The waiting subshell is a separate process and outlives its parent.
 */
const WATCHER = `
exec 3<&0
"$@" </dev/null 3<&- &
pid=$!
( cat <&3 >/dev/null; kill -INT "$pid" 2>/dev/null ) >/dev/null 2>&1 &
lifeline=$!
exec 3<&-
trap '' INT TERM HUP
wait "$pid"
code=$?
kill "$lifeline" 2>/dev/null
exit "$code"
`;

const READY_WITHIN_MS = 180_000;
const POLL_MS = 40;
const STOP_WITHIN_MS = 20_000;
const KEPT_LINES = 40;

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  // Deliberately small: the page cache of the system holds the rest, and these pages count for every backend process.
  shared_buffers: '24MB',
  // The default derived from shared_buffers would fill up many times per second during collection.
  wal_buffers: '2MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  fsync: 'on',
  jit: 'off',
  // A single machine needs no I/O or replication workers, which only cost memory.
  io_method: 'sync',
  max_logical_replication_workers: '0',
  max_parallel_workers_per_gather: '1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'log',
};

/** Settings of PostgreSQL by name. */
export type DatabaseSettings = Record<string, string>;

/** One run of the database process. */
export interface Postmaster {
  /** Last lines of its standard error, for error messages. */
  lastWords(): string;
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

/** Starts the database and returns immediately; `untilReady` waits for it. */
export function startPostmaster(place: Place, socketDir: string, log: Log, extra: DatabaseSettings = {}): Postmaster {
  const settings = Object.entries({ ...SETTINGS, ...extra, unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"` }).flatMap(
    ([name, value]) => ['-c', `${name}=${value}`],
  );
  const child = spawn('/bin/sh', ['-c', WATCHER, 'hes-database', join(place.bin, 'postgres'), '-D', place.cluster, ...settings], {
    ...place.identity,
    cwd: '/',
    env: databaseEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
    // Separate process group: Ctrl+C signals only the head-end, which stops the database last.
    detached: true,
  });
  const lines: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split('\n')) {
      if (line.trim() === '') continue;
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      log.debug('database', { line });
    }
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      lines.push(error.message);
      resolve();
    });
  });
  // The pipe breaks when the watcher process ends first.
  child.stdin.on('error', () => undefined);
  return {
    ended,
    lastWords: () => lines.join('\n'),
    async stop() {
      child.stdin.end();
      if (hasEnded(child)) return;
      const outcome = await within(ended, STOP_WITHIN_MS, 'late');
      // as: a spawned child has a pid. The process group contains watcher and database.
      if (outcome === 'late') process.kill(-(child.pid as number), 'SIGQUIT');
      await ended;
    },
  };
}

/** Connection of a role to the built-in database over its socket. */
export interface SocketConnection {
  socketDir: string;
  database: string;
  user: string;
  password: string;
}

async function acceptsQueries({ socketDir: host, ...owner }: SocketConnection): Promise<boolean> {
  const client = new pg.Client({ ...owner, host, port: 5432, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Waits until the database accepts queries; false when it ended or timed out. Crash recovery can take minutes. */
export async function untilReady(postmaster: Postmaster, owner: SocketConnection, withinMs = READY_WITHIN_MS): Promise<boolean> {
  let hasEndedEarly = false;
  void postmaster.ended.then(() => (hasEndedEarly = true));
  for (let waited = 0; waited < withinMs; waited += POLL_MS) {
    if (hasEndedEarly) return false;
    if (await acceptsQueries(owner)) return true;
    await wait(POLL_MS);
  }
  return false;
}
