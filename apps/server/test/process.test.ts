import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cloneDatabase } from './database.ts';
import { TEST_MASTER_KEY } from './master-key.ts';
import { removeScratch, scratchFolder } from './scratch.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

let root: string;
const running: ChildProcess[] = [];

beforeAll(() => {
  root = scratchFolder('hes main ');
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});
afterAll(() => removeScratch(root));

interface Server {
  child: ChildProcess;
  output(): string;
  /** The line that matches, or what it said before it ended. */
  says(pattern: RegExp): Promise<string>;
  ended: Promise<number | null>;
}

/** The head-end as a process, on free ports, without a demonstration. */
function start(env: Record<string, string>): Server {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, HES_PORT: '0', HES_DLMS_PORT: '0', HES_DEMO: 'off', HES_LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  const ended = once(child, 'close').then(() => child.exitCode);
  const seen: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const look of seen) look();
    });
  }
  return {
    child,
    output: () => output,
    ended,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const line = output.split('\n').find((candidate) => pattern.test(candidate));
          if (line !== undefined) resolve(line);
        };
        seen.push(look);
        look();
        void ended.then(() => reject(new Error(`It ended before: ${output}`)));
      }),
  };
}

async function busyPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: String((server.address() as AddressInfo).port), close: () => server.close() }; // as: it listens on TCP
}

/** A start that fails with one sentence. */
async function failure(env: Record<string, string>): Promise<string> {
  const server = start(env);
  expect(await server.ended).toBe(1);
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line !== '' && !/Starting|Connecting/.test(line));
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

describe('a start', { timeout: 60_000 }, () => {
  test('brings the API up, prints the first password once, and guards its data folder', async () => {
    const dataDir = join(root, 'first');
    const server = start({ HES_DATA_DIR: dataDir });
    const url = (await server.says(/Ready: /)).replace(/.*Ready: /, '');
    expect(await server.says(/First sign-in: admin/)).toMatch(/admin \/ \S{24} /);
    const health = await fetch(new URL('/api/health', url));
    expect(await health.json()).toMatchObject({ status: 'ok' });
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
    expect(await failure({ HES_DATA_DIR: dataDir })).toMatch(
      /Another head-end \(process \d+\) already uses the data folder .*HES_DATA_DIR/,
    );

    const pid = Number(readFileSync(join(dataDir, 'pg/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect([existsSync(`/proc/${pid}/cwd`), existsSync(join(dataDir, 'server.lock'))]).toEqual([false, false]);

    const again = start({ HES_DATA_DIR: dataDir });
    await again.says(/Ready: /);
    expect(again.output()).not.toContain('First sign-in');
    // The launcher's end of the pipe closes: the server stops as after a signal.
    again.child.stdio[3]?.destroy();
    again.child.kill('SIGINT');
    expect(await again.ended).toBe(0);
  });

  test('names the first administrator by HES_ADMIN_NAME, at the first start alone', async () => {
    const dataDir = join(root, 'named');
    const server = start({ HES_DATA_DIR: dataDir, HES_ADMIN_NAME: 'nora.grid' });
    expect(await server.says(/First sign-in: /)).toMatch(/First sign-in: nora\.grid \/ \S{24} /);
    server.child.kill('SIGTERM');
    await server.ended;
    // Another name later makes no other user, and `admin` was never made: neither can be rescued.
    for (const name of ['admin', 'another']) {
      writeFileSync(join(dataDir, 'rescue-administrator'), name);
      expect(await failure({ HES_DATA_DIR: dataDir, HES_ADMIN_NAME: 'another' })).toContain(`names no user: ${name}`);
    }
    writeFileSync(join(dataDir, 'rescue-administrator'), 'nora.grid');
    await start({ HES_DATA_DIR: dataDir }).says(/Administrator again: nora\.grid/);
    expect(await failure({ HES_DATA_DIR: dataDir, HES_ADMIN_NAME: 'a b' })).toContain('HES_ADMIN_NAME is "a b". Set it to 3 to 32 letters');
  });

  test('stops when its launcher is gone', async () => {
    const server = start({ HES_DATA_DIR: join(root, 'lifeline'), HES_LIFELINE_FD: '3' });
    await server.says(/Ready: /);
    server.child.stdio[3]?.destroy();
    expect(await server.ended).toBe(0);
  });

  test('says which port is taken and how to choose another', async () => {
    const busy = await busyPort();
    expect(await failure({ HES_DATA_DIR: join(root, 'ports'), HES_PORT: busy.port })).toContain(
      `Port ${busy.port} on 127.0.0.1 is in use by another program. Stop it, or set HES_PORT`,
    );
    expect(await failure({ HES_DATA_DIR: join(root, 'ports'), HES_DLMS_PORT: busy.port })).toContain('set HES_DLMS_PORT');
    busy.close();
  });

  test('reports the fault of a setting, a folder, a key or a database', async () => {
    expect(await failure({ HES_PORT: 'eighty' })).toContain('HES_PORT is "eighty", which is not a port');
    expect(await failure({ HES_DEMO: 'maybe' })).toContain('HES_DEMO is "maybe". Set it to one of: auto, on, off, remove.');
    const file = join(root, 'a-file');
    writeFileSync(file, '');
    expect(await failure({ HES_DATA_DIR: join(file, 'data') })).toContain('HES_DATA_DIR');
    const broken = join(root, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'master.key'), 'short');
    expect(await failure({ HES_DATA_DIR: broken })).toContain('is damaged: it must hold 64 hex digits');
    const nowhere = await busyPort();
    nowhere.close();
    expect(await failure({ HES_DATA_DIR: join(root, 'external'), DATABASE_URL: `postgres://hes@127.0.0.1:${nowhere.port}/hes` })).toContain(
      'The database of DATABASE_URL cannot be used',
    );
  });

  test('refuses to invent a master key for a database that was set up with another one', async () => {
    const database = await cloneDatabase();
    const env = { DATABASE_URL: database.url, HES_DATABASE_OWNER_URL: database.ownerUrl };
    const first = start({ ...env, HES_DATA_DIR: join(root, 'node-a'), HES_MASTER_KEY: TEST_MASTER_KEY.toString('hex') });
    await first.says(/Ready: /);
    const dataDir = join(root, 'node-b');
    expect(await failure({ ...env, HES_DATA_DIR: dataDir })).toMatch(
      /sealed with the master key [0-9a-f]{8}, and this head-end has no key\. Set HES_MASTER_KEY to that key/,
    );
    expect(existsSync(join(dataDir, 'master.key'))).toBe(false);
    expect(await failure({ ...env, HES_DATA_DIR: dataDir, HES_MASTER_KEY: 'ab'.repeat(32) })).toContain('Bring that key back');
    const second = start({ ...env, HES_DATA_DIR: dataDir, HES_MASTER_KEY: TEST_MASTER_KEY.toString('hex'), HES_NODE_NAME: 'b' });
    await second.says(/Ready: /);
    for (const server of [first, second]) server.child.kill('SIGTERM');
    expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
    await database.drop();
  });
});
