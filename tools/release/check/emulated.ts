import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../apps/server/test/free-port.ts';
import { runProgram } from '../program.ts';
import { insist, type Check } from './check.ts';
import { unpack } from './installed.ts';
import { startPostgres } from './postgres.ts';

const READY_WITHIN_MS = 400_000;
/** What a Debian machine of that architecture has, and Node needs. */
const LIBRARIES = 'libc6,libstdc++6,libatomic1,libgcc-s1';

/** The tarball for arm64 on a machine that is none. Emulation cannot run the built-in database, so the head-end works on one of this machine. */
const arm64: Check = {
  name: 'tarball for arm64: its head-end starts under emulation',
  needs: ['qemu-aarch64-static', 'mmdebstrap', 'runuser'],
  async run({ out, scratch }) {
    const tarball = readdirSync(out).find((name) => name.endsWith('-linux-arm64.tar.gz'));
    insist(tarball !== undefined, 'There is no tarball for arm64: make one by npm run release -- --arch x64,arm64');
    const folder = path.join(scratch, 'arm64');
    const tree = await unpack(path.join(out, tarball), path.join(folder, 'tree'));
    const root = path.join(folder, 'root');
    await runProgram('mmdebstrap', ['--quiet', '--variant=extract', '--architectures=arm64', `--include=${LIBRARIES}`, 'bookworm', root]);
    const database = await startPostgres(path.join(folder, 'postgres'));
    const [port, dlmsPort] = [await freePort(), await freePort()];
    const dataDir = path.join(folder, 'data');
    mkdirSync(dataDir);
    const settings = {
      HES_DATA_DIR: dataDir,
      HES_HOST: '127.0.0.1',
      HES_PORT: String(port),
      HES_DLMS_PORT: String(dlmsPort),
      HES_DEMO: 'off',
    };
    const node = [path.join(tree, 'bin/node'), '--max-semi-space-size=32', '--expose-gc', path.join(tree, 'apps/server/src/main.ts')];
    const child = spawn('qemu-aarch64-static', ['-L', root, ...node], {
      env: { PATH: process.env['PATH'], ...settings, DATABASE_URL: database.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)));
    const ended = once(child, 'exit');
    try {
      for (const until = performance.now() + READY_WITHIN_MS; ; await wait(1000)) {
        insist(child.exitCode === null, `It ended with ${child.exitCode}: ${said}`);
        insist(performance.now() < until, `It was not ready in time: ${said}`);
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        if (answer?.ok === true) break;
      }
    } finally {
      child.kill('SIGTERM');
      await ended;
      await database.stop();
    }
  },
};

export const emulatedChecks: readonly Check[] = [arm64];
