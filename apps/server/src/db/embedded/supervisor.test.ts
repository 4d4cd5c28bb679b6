import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '#platform/log.ts';
import { removeScratch, scratchFolder } from '../../../test/scratch.ts';
import { openConnections, openPool } from '../pool.ts';
import { startEmbedded } from './supervisor.ts';
import { changeOwner } from './unprivileged.ts';

const HOLDER = fileURLToPath(new URL('../../../test/hold-database.ts', import.meta.url));
const FAST = { fsync: 'off' };

let root: string;
let dataDir: string;
let held: ChildProcess | undefined;
beforeAll(() => {
  root = scratchFolder('hes pg ');
  dataDir = join(root, 'a path with spaces');
  mkdirSync(dataDir);
});
afterEach(() => held?.kill('SIGKILL'));
afterAll(() => removeScratch(root));

const pidFile = () => join(dataDir, 'pg', 'cluster', 'postmaster.pid');
const postmaster = () => Number(readFileSync(pidFile(), 'utf8').split('\n')[0]);

/** Polls a condition that depends on the operating system. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await isTrue()) return;
    await wait(25);
  }
  throw new Error('The condition was not met within 10 seconds');
}

const isEnded = (pid: number) =>
  !existsSync(`/proc/${pid}`) || / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\)/, ''));

/** Nice value of the autogroup of a process; undefined where autogroups are disabled or not writable. */
function sessionNiceOf(pid: number): number | undefined {
  const file = `/proc/${pid}/autogroup`;
  try {
    accessSync(file, constants.W_OK);
  } catch {
    return undefined;
  }
  return Number(/nice (-?\d+)/.exec(readFileSync(file, 'utf8'))?.[1]);
}

/** Starts a separate server process that owns the database and can be killed. */
async function holder() {
  const child = spawn(process.execPath, [HOLDER, dataDir], { stdio: ['ignore', 'pipe', 'ignore'] });
  held = child;
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  expect(line).toBe('ready');
  return child;
}

describe('the built-in database', () => {
  test('is created once, runs, and leaves no process or pid file when it is stopped', async () => {
    const first = await startEmbedded(dataDir, silentLog, FAST);
    const pid = postmaster();
    await first.stop();
    expect([first.isNew, isEnded(pid), existsSync(pidFile())]).toEqual([true, true, false]);
    const second = await startEmbedded(dataDir, silentLog, FAST);
    await second.stop();
    expect(second.isNew).toBe(false);
  });

  test('restarts automatically after it is killed, and its connections recover', async () => {
    const database = await startEmbedded(dataDir, silentLog, FAST);
    const pool = openPool({ connection: database.owner }, silentLog);
    await pool.query('create table if not exists kept (n int)');
    const before = postmaster();
    process.kill(before, 'SIGKILL');
    await until(() =>
      pool.query('select count(*) from kept').then(
        () => postmaster() !== before,
        () => false,
      ),
    );
    await pool.end();
    await database.stop();
  });

  test.skipIf(process.platform !== 'linux')('runs background connections, and only those, at lower priority', async () => {
    const database = await startEmbedded(dataDir, silentLog, FAST);
    const { pool, background, end } = openConnections(database.owner, silentLog);
    const backendOf = async (connections: typeof pool) =>
      (await connections.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0;
    const [front, back] = [await backendOf(pool), await backendOf(background.pool)];
    await until(() => getPriority(back) > 0 && sessionNiceOf(back) !== 0);
    expect([getPriority(front), sessionNiceOf(front) ?? 0]).toEqual([0, 0]);
    await end();
    await database.stop();
  });

  test.skipIf(process.platform !== 'linux')('ends with its server even when the server is killed', async () => {
    const server = await holder();
    const pid = postmaster();
    server.kill('SIGKILL');
    await until(() => isEnded(pid));
  });

  test.skipIf(process.platform !== 'linux')('starts despite an orphaned database and a stale pid file', async () => {
    const server = await holder();
    const orphan = postmaster();
    const watcher = Number(readFileSync(`/proc/${orphan}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
    process.kill(watcher, 'SIGKILL');
    server.kill('SIGKILL');
    const database = await startEmbedded(dataDir, silentLog, FAST);
    expect(postmaster()).not.toBe(orphan);
    await database.stop();
    // A pid that another process has reused.
    writeFileSync(pidFile(), `${process.pid}\n`);
    await (await startEmbedded(dataDir, silentLog, FAST)).stop();
  });

  test('requires a password for each role', async () => {
    const database = await startEmbedded(dataDir, silentLog, FAST);
    const withPassword = async (password: string) => {
      const pool = openPool({ connection: { ...database.owner, password }, max: 1 }, silentLog);
      return pool.query('select 1').finally(() => pool.end());
    };
    await expect(withPassword('')).rejects.toThrow(/password/);
    await expect(withPassword('guessed')).rejects.toThrow(/password authentication failed/);
    expect((await withPassword(database.owner.password)).rowCount).toBe(1);
    await database.stop();
  });

  test.skipIf(process.getuid?.() !== 0)('runs as a dedicated user when the server is root', async () => {
    const database = await startEmbedded(dataDir, silentLog, FAST);
    const { uid } = statSync(`/proc/${postmaster()}`);
    expect(uid).toBeGreaterThanOrEqual(61_184);
    expect(readFileSync('/etc/passwd', 'utf8')).not.toContain(`:${uid}:`);
    expect(statSync(join(dataDir, 'pg', 'cluster')).mode & 0o077).toBe(0);
    await database.stop();
  });

  test('takes over the cluster of an older version, which required no password', async () => {
    const cluster = join(dataDir, 'pg', 'cluster');
    writeFileSync(join(cluster, 'pg_hba.conf'), 'local all all trust\n');
    rmSync(join(dataDir, 'database.key'));
    if (process.getuid?.() === 0) changeOwner({ uid: 65_534, gid: 65_534 }, join(dataDir, 'pg'));
    const database = await startEmbedded(dataDir, silentLog, FAST);
    const pool = openPool({ connection: database.owner, max: 1 }, silentLog);
    expect((await pool.query('select count(*) from kept')).rowCount).toBe(1);
    await pool.end();
    await database.stop();
    expect(readFileSync(join(cluster, 'pg_hba.conf'), 'utf8')).toBe('local all all scram-sha-256\n');
  });

  test('refuses a database of another version and tells the operator what to do', async () => {
    const file = join(dataDir, 'pg', 'cluster', 'PG_VERSION');
    const version = readFileSync(file, 'utf8');
    writeFileSync(file, '14\n');
    await expect(startEmbedded(dataDir, silentLog)).rejects.toThrow(/created by PostgreSQL 14.*HES_DATA_DIR/);
    writeFileSync(file, version);
  });
});
