import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { encodeNotification } from '@hes/dlms/association/notification.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { doubleLongUnsigned } from '@hes/dlms/cosem/data.ts';
import { encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { openDb } from '../../apps/server/src/db/pool.ts';
import { sealKeys } from '../../apps/server/src/platform/device-keys.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { newDataDir, removeDataDir } from '../../e2e/support/head-end.ts';
import { flood, impersonate, plainAlarm, type Target } from '../attack/lines.ts';
import { BENCH_PASSWORD } from './bench-database.ts';
import { BENCH_MASTER_KEY, benchKey, signInMany } from './bench-users.ts';
import { fillArchive } from './fleet-archive.ts';
import { DCU_SN, meterKeys, meterSn, meterTitle } from './fleet.ts';
import { startHeadEnd } from './head-end-process.ts';
import { quantile } from './interleaved.ts';
import { openScratchDatabase } from './scratch-database.ts';

interface FloodSize {
  frames: number;
  lines: number;
}

const FULL: FloodSize = { frames: 500_000, lines: 10 };
const DCUS = 20;
const METERS = 200;
const MASTER_KEY = Buffer.from(BENCH_MASTER_KEY, 'hex');
const WARM_UP_MS = 5_000;
const HEALTH_EVERY_MS = 100;
const STOP_EVERY_MS = 3_000;
/** One frame in this many is ciphered with wrong keys. */
const FORGED_EVERY = 10;
/** An unauthenticated caller changes its claimed name with each connection, so that no name is throttled for long. */
const FRAMES_PER_CONNECTION = 2_000;
export const FLOOD_GATES = { healthP95Ms: 250, stopMs: 1_000, memoryMb: 100, logMb: 1 };

const FOREIGN_KEYS = { ek: new Uint8Array(16).fill(1), ak: new Uint8Array(16).fill(2) };

/** A push in the name of the meter, ciphered with another key. */
function forgedPush(index: number, counter: number): Uint8Array {
  const keys = FOREIGN_KEYS;
  const protection = { cipher: nodeCipher, keys, policy: 'authEnc', systemTitle: meterTitle(index), counter } as const;
  const apdu = encodeNotification({ longInvokeId: 1, confirmed: true, body: encode(doubleLongUnsigned, 1), protection });
  return encodeWrapper({ source: 1, destination: 1 }, encodeGateway({ networkId: 0, address: Buffer.from(meterSn(index), 'ascii') }, apdu));
}

/** Nine alarms in the clear and a forged one: of a registered meter, an unknown one, and the DCU itself. */
const mixedFrames = (): Uint8Array =>
  Buffer.concat(
    Array.from({ length: FORGED_EVERY }, (_, index) => {
      if (index === 0) return forgedPush(1, 5_000_000);
      return plainAlarm(index, [meterSn(1), 'NOSUCHMETER', undefined][index % 3]);
    }),
  );

/** A hostile DCU without keys, admitted by its address. The head-end reads every frame at its own rate. */
async function hostileDcu(
  target: Target,
  sn: string,
  { frames, isOnline }: { frames: number; isOnline(sn: string): Promise<boolean> },
): Promise<void> {
  const line = await impersonate(target, sn);
  while (!(await isOnline(sn))) await wait(50);
  const written = FORGED_EVERY * (await flood(line, mixedFrames(), frames / FORGED_EVERY));
  if (written < frames) throw new Error(`The connection of ${sn} closed after ${written} frames`);
  line.end();
  await once(line, 'close');
}

/** A caller without keys that claims changing names: of DCUs with keys, and unknown ones. */
async function unknownCaller(target: Target, names: readonly string[], frames: number): Promise<void> {
  const block = mixedFrames();
  for (let left = frames, at = 0; left > 0; left -= FRAMES_PER_CONNECTION) {
    const line = await impersonate(target, names[at++ % names.length] ?? '');
    await flood(line, block, FRAMES_PER_CONNECTION / FORGED_EVERY);
    line.destroy();
  }
}

const rssMb = (pid: number): number => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

/** Processor time of the process in seconds. */
function cpuS(pid: number): number {
  const [seconds = 0, minutes = 0, hours = 0] = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(':')
    .toReversed()
    .map(Number);
  return (hours * 60 + minutes) * 60 + seconds;
}

/** Measures the operator's view until the signal ends it: response times of health, lists and the emergency stop. */
async function operate(address: string, token: string, signal: AbortSignal) {
  const healthMs: number[] = [];
  const stopMs: number[] = [];
  const timed = async (into: number[], request: () => Promise<Response>): Promise<void> => {
    const begun = performance.now();
    const answer = await request();
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`);
    into.push(performance.now() - begun);
  };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const stop = () =>
    fetch(`${address}/api/action/relay/stop`, { method: 'POST', headers, body: JSON.stringify({ reason: 'Flood on the DLMS port' }) });
  let stoppedAt = performance.now();
  while (!signal.aborted) {
    await timed(healthMs, () => fetch(`${address}/api/health`));
    await timed([], () => fetch(`${address}/api/asset/dcu?size=20`, { headers }));
    if (performance.now() - stoppedAt >= STOP_EVERY_MS) {
      await timed(stopMs, stop);
      stoppedAt = performance.now();
    }
    await wait(HEALTH_EVERY_MS);
  }
  await timed(stopMs, stop);
  return { healthMs, stopMs };
}

/** Sends unauthenticated frames over connections of hostile DCUs and unknown callers, while an operator works. */
export async function floodBench({ frames, lines }: FloodSize = FULL) {
  const database = await openScratchDatabase();
  const dataDir = newDataDir('hes-flood-');
  const secrets = createSecrets(MASTER_KEY);
  await fillArchive(database.pool, secrets, { dcus: DCUS, meters: METERS });
  const insiders = Math.ceil(lines / 2);
  const keyed = Array.from({ length: DCUS - insiders }, (_, at) => DCU_SN(insiders + at + 1));
  for (const [at, sn] of keyed.entries()) {
    const { ekSecret, akSecret } = sealKeys(secrets, 'dcu', sn, meterKeys(at + 1));
    await database.pool.query('update dcu set ek_secret = $1, ak_secret = $2 where sn = $3', [ekSecret, akSecret, sn]);
  }
  const headEnd = await startHeadEnd(
    {
      DATABASE_URL: database.url,
      HES_DATA_DIR: dataDir,
      HES_ADMIN_PASSWORD: BENCH_PASSWORD,
      HES_MASTER_KEY: BENCH_MASTER_KEY,
      HES_LOG_LEVEL: 'info',
    },
    { countsLog: true },
  );
  try {
    const [operator] = await signInMany(database.pool, openDb(database.pool, benchKey()), 1);
    const warm = new AbortController();
    setTimeout(() => warm.abort(), WARM_UP_MS);
    const idle = await operate(headEnd.address, operator?.token ?? '', warm.signal);
    const before = { mb: rssMb(headEnd.pid), log: headEnd.logOctets(), cpuS: cpuS(headEnd.pid) };
    const isOnline = async (sn: string) =>
      (await database.pool.query("select from dcu where sn = $1 and online_status = 'online'", [sn])).rowCount === 1;
    const target = { host: '127.0.0.1', port: headEnd.dlmsPort };
    const flooding = new AbortController();
    const begun = performance.now();
    const each = Math.ceil(frames / lines);
    let highestMb = before.mb;
    const watching = setInterval(() => (highestMb = Math.max(highestMb, rssMb(headEnd.pid))), 1_000);
    const attack = Promise.all(
      Array.from({ length: lines }, (_, at) =>
        at < insiders
          ? hostileDcu(target, DCU_SN(at + 1), { frames: each, isOnline })
          : unknownCaller(target, [...keyed, 'NOBODY0001', 'NOBODY0002'], each),
      ),
    ).finally(() => flooding.abort());
    const [{ healthMs, stopMs }] = await Promise.all([operate(headEnd.address, operator?.token ?? '', flooding.signal), attack]);
    clearInterval(watching);
    const rows = await database.pool.query<{ receipts: string; tasks: string; events: string }>(
      "select (select count(*) from push_receipt) as receipts, (select count(*) from task where kind = 'events') as tasks, (select count(*) from event) as events",
    );
    const figures = {
      healthP95Ms: Math.round(quantile(healthMs, 0.95)),
      stopMs: Math.round(Math.max(...stopMs)),
      memoryMb: Math.round(Math.max(0, highestMb - before.mb)),
      logMb: Number(((headEnd.logOctets() - before.log) / 1e6).toFixed(3)),
    };
    const gates = Object.entries(FLOOD_GATES) as [keyof typeof FLOOD_GATES, number][]; // as: keys of that very table
    return {
      ratio: Math.min(...gates.map(([name, gate]) => gate / Math.max(figures[name], gate / 1000))),
      ...figures,
      idleStopMs: Math.round(Math.max(...idle.stopMs)),
      cpuShare: Number(((cpuS(headEnd.pid) - before.cpuS) / ((performance.now() - begun) / 1000)).toFixed(2)),
      idleHealthP95Ms: Math.round(quantile(idle.healthMs, 0.95)),
      frames,
      lines,
      seconds: Math.round((performance.now() - begun) / 1000),
      receipts: Number(rows.rows[0]?.receipts),
      tasks: Number(rows.rows[0]?.tasks),
      events: Number(rows.rows[0]?.events),
    };
  } finally {
    await headEnd.stop();
    await database.stop();
    removeDataDir(dataDir);
  }
}
