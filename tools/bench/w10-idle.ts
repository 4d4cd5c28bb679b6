import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { newDataDir, removeDataDir } from '../../e2e/support/head-end.ts';
import { HEAD_END_ENV, HEAD_END_FLAGS } from '../lib/head-end-node.mjs';
import { BENCH_PASSWORD } from './bench-database.ts';
import { BENCH_MASTER_KEY } from './bench-users.ts';
import { fillArchive } from './fleet-archive.ts';
import { startHeadEnd } from './head-end-process.ts';
import { ask, startResponder } from './responder-process.ts';
import { openScratchDatabase } from './scratch-database.ts';

/** The first connections take the memory that the start of a process has left free. */
const FIRST_DCUS = 2_000;
const DCUS = 14_000;
const POLL_MS = 250;
/** Memory is the least of this span: the peaks are garbage that is not collected yet. */
const SETTLE_MS = 20_000;

/** Private memory of a process in octets. */
function privateOctets(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kilo = [...text.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm)].reduce((sum, [, value]) => sum + Number(value), 0);
  return kilo * 1024;
}

async function settled(pid: number): Promise<number> {
  let least = Infinity;
  for (const until = performance.now() + SETTLE_MS; performance.now() < until; await wait(POLL_MS))
    least = Math.min(least, privateOctets(pid));
  return least;
}

/** The head-end refuses callers of one address while too many of them have not said who they are. */
const DCUS_AT_ONCE = 500;

/** Octets that each connection after the first ones adds to a process. `untilConnected` waits for a number of connections. */
async function octetsPerConnection(
  responder: ChildProcess,
  { pid, port }: { pid: number; port: number },
  untilConnected: (count: number) => Promise<void>,
): Promise<number> {
  let dialled = 0;
  const dialUntil = async (count: number): Promise<number> => {
    for (; dialled < count; dialled += DCUS_AT_ONCE) {
      await ask(responder, { dial: port, dcus: DCUS_AT_ONCE, first: dialled + 1 });
      await untilConnected(dialled + DCUS_AT_ONCE);
    }
    return settled(pid);
  };
  const before = await dialUntil(FIRST_DCUS);
  const octets = (await dialUntil(FIRST_DCUS + DCUS)) - before;
  await ask(responder, { hangUp: true });
  return octets / DCUS;
}

async function ofBareSockets(responder: ChildProcess): Promise<number> {
  const server = spawn(process.execPath, [...HEAD_END_FLAGS, resolve(import.meta.dirname, 'idle-sockets.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...HEAD_END_ENV },
  });
  const ended = once(server, 'close');
  try {
    const [port] = (await once(server.stdout, 'data')) as [Buffer];
    return await octetsPerConnection(responder, { pid: server.pid ?? 0, port: Number(port.toString()) }, () => Promise.resolve());
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

async function ofHeadEnd(responder: ChildProcess): Promise<number> {
  const database = await openScratchDatabase();
  const folder = newDataDir('hes-w10-');
  await fillArchive(database.pool, createSecrets(Buffer.from(BENCH_MASTER_KEY, 'hex')), { dcus: FIRST_DCUS + DCUS, meters: 1 });
  const node = await startHeadEnd({
    DATABASE_URL: database.url,
    HES_DATA_DIR: folder,
    HES_ADMIN_PASSWORD: BENCH_PASSWORD,
    HES_MASTER_KEY: BENCH_MASTER_KEY,
  });
  try {
    const online = "select count(*)::int as n from endpoint where online_status = 'online'";
    return await octetsPerConnection(responder, { pid: node.pid, port: node.dlmsPort }, async (count) => {
      while (((await database.pool.query<{ n: number }>(online)).rows[0]?.n ?? 0) < count) await wait(POLL_MS);
    });
  } finally {
    await node.stop();
    await database.stop();
    removeDataDir(folder);
  }
}

/** W10: memory that an idle connection of a DCU costs the head-end, against that of a bare socket in the same runtime. */
export async function w10() {
  const responder = startResponder();
  try {
    const bare = await ofBareSockets(responder);
    const headEnd = await ofHeadEnd(responder);
    return { ratio: headEnd / bare, octetsPerDcu: Math.round(headEnd), octetsPerSocket: Math.round(bare), dcus: DCUS };
  } finally {
    responder.disconnect();
  }
}
