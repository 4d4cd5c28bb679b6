import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { OWNER_ROLE } from '../../../apps/server/src/db/embedded/cluster.ts';
import { databaseKey } from '../../../apps/server/src/db/embedded/database-key.ts';
import { openPool } from '../../../apps/server/src/db/pool.ts';
import { createLog } from '../../../apps/server/src/platform/log.ts';
import { freePort } from '../../../apps/server/test/free-port.ts';
import { postmasterOf } from '../../attack/database-login.ts';
import { runProgram } from '../program.ts';
import type { Checked } from './check.ts';

const READY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 250;

/** Name and first password of the administrator of a checked head-end. */
export const ADMIN = { username: 'release-check', password: 'Quartz-River-77!x' };

/** A head-end that runs from an unpacked tarball. */
export interface Installed {
  port: number;
  dataDir: string;
  /** Rows of its database, as the owner of the tables. */
  rows<Row extends object>(statement: string): Promise<Row[]>;
  stop(): Promise<void>;
}

/** Unpacks a tarball once per folder and returns the folder of its tree. */
export async function unpack(tarball: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length === 0) await runProgram('tar', ['-xzf', tarball, '-C', folder]);
  return path.join(folder, readdirSync(folder)[0] ?? '');
}

export const unpackChecked = (checked: Checked): Promise<string> =>
  unpack(checked.artefact(`-linux-${process.arch}.tar.gz`), path.join(checked.scratch, 'unpacked'));

async function untilReady(child: ChildProcess, port: number, said: () => string): Promise<void> {
  for (const until = performance.now() + READY_WITHIN_MS; ; await wait(ASK_EVERY_MS)) {
    if (child.exitCode !== null) throw new Error(`The head-end ended with ${child.exitCode}: ${said()}`);
    if (performance.now() > until) throw new Error(`The head-end was not ready in time: ${said()}`);
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
  }
}

/** Starts `hes run` of an unpacked tree with settings in a file, and waits until it is ready. */
export async function startInstalled(tree: string, dataDir: string, settings: Readonly<Record<string, string>> = {}): Promise<Installed> {
  const [port, dlmsPort] = [await freePort(), await freePort()];
  const all = {
    HES_DATA_DIR: dataDir,
    HES_PORT: String(port),
    HES_DLMS_PORT: String(dlmsPort),
    HES_ADMIN_NAME: ADMIN.username,
    HES_ADMIN_PASSWORD: ADMIN.password,
    ...settings,
  };
  mkdirSync(dataDir, { recursive: true });
  const file = path.join(dataDir, 'hes.env');
  writeFileSync(
    file,
    Object.entries(all)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const env = { PATH: process.env['PATH'], HES_ENV_FILE: file };
  const child = spawn(path.join(tree, 'bin/hes'), ['run'], { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  let last = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (last = (last + text).slice(-2000)));
  const ended = once(child, 'exit');
  await untilReady(child, port, () => last);
  return {
    port,
    dataDir,
    async rows<Row extends object>(statement: string) {
      const login = {
        ...postmasterOf(dataDir),
        database: 'postgres',
        user: OWNER_ROLE,
        password: databaseKey(dataDir).passwordOf(OWNER_ROLE),
      };
      const pool = openPool({ connection: login, max: 1 }, createLog('silent'));
      try {
        return (await pool.query<Row>(statement)).rows;
      } finally {
        await pool.end();
      }
    },
    async stop() {
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(killer);
    },
  };
}
