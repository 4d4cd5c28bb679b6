import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, waitForPort } from './free-port.ts';
import { removeScratch, scratchFolder } from './scratch.ts';

/** A program to use in place of the one on the PATH. */
const PROGRAM = process.env['HES_TEST_PGBOUNCER'] ?? 'pgbouncer';
/** Fewer than the connections of one head-end, so that their backends change all the time. */
const BACKENDS = 4;

/** Version of the installed PgBouncer, `1.25`; undefined: there is none. */
export function pgbouncerVersion(): string | undefined {
  const { stdout } = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' });
  return /^PgBouncer (\d+\.\d+)/.exec(stdout ?? '')?.[1];
}

export interface Pooler {
  /** Address of the same database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

export interface PoolerOptions {
  mode?: 'transaction' | 'session';
  maxPreparedStatements?: number;
}

/** Starts PgBouncer in front of a database with a Unix socket. */
export async function startPooler(
  databaseUrl: string,
  { mode = 'transaction', maxPreparedStatements = 200 }: PoolerOptions = {},
): Promise<Pooler> {
  const { username, password, pathname, searchParams } = new URL(databaseUrl);
  const folder = scratchFolder('hes-pooler-');
  const port = await freePort();
  const socketDir = searchParams.get('host') ?? '';
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${socketDir} port=5432 user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${mode === 'transaction' ? BACKENDS : 100}
max_prepared_statements = ${maxPreparedStatements}
`,
  );
  // PgBouncer refuses to run as root, and the folder of the socket may be closed to others.
  const { uid, gid } = statSync(socketDir);
  const isRoot = process.getuid?.() === 0;
  const child = spawn(PROGRAM, ['--quiet', file], { stdio: 'ignore', ...(isRoot ? { uid, gid } : {}) });
  const ended = once(child, 'exit');
  await waitForPort(child, port);
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      removeScratch(folder);
    },
  };
}
