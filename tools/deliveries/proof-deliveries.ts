/** `npm run proof:deliveries`: what each consumer holds equals what is stored, although everything on the way is killed. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { listSenders } from '../../apps/server/src/features/deliveries/senders/service.ts';
import { hasProgram } from '../../apps/server/test/peer.ts';
import { kafkaClassPath } from '../../apps/server/test/senders/kafka-broker.ts';
import { retryWhileDown, startKillableProduct, type KillableProduct } from '../chaos/killable-product.ts';
import { say, sayOn } from '../lib/say.mjs';
import { startKafka, startMosquitto, startNats } from './brokers.ts';
import { chance } from './chance.ts';
import { folderReceiver, startSftp } from './files.ts';
import { isClean, judge, type Verdict } from './judge.ts';
import type { Receiver } from './receiver.ts';
import { addSenders, addUser, findTruth, hasten, isIdle, untilRead, work } from './town.ts';
import { startWebhook } from './webhook.ts';

const HELP = `npm run proof:deliveries -- [--seeds N] [--first-seed N] [--kills N] [--scale DCUSxMETERS] [--json]

Runs a head-end with a simulated fleet and a sender of each kind: webhook, Kafka, mosquitto (MQTT), NATS JetStream, a folder and OpenSSH (SFTP).
Kills head-end, database, brokers and receivers with SIGKILL at moments that the seed chooses, and compares in the end what each
consumer holds with what is stored. mosquitto is ended with SIGTERM, because it confirms messages before they are in its file.
A receiver whose program is not installed is left out, and its name is printed.

Exit code 0: nothing is missing, invented or out of order; 1: something is.
`;
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    'first-seed': { type: 'string', default: '1' },
    kills: { type: 'string', default: '10' },
    scale: { type: 'string', default: '2x8' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const SHORTEST_PAUSE_MS = 600;
const PAUSE_MS = 1800;
const DOWN_MS = 1200;
const LOOK_EVERY_MS = 700;
const DRAINED_WITHIN_MS = 240_000;

async function startReceivers(folder: string, root: string, seed: number): Promise<Receiver[]> {
  const receivers = [folderReceiver(root), await startWebhook(folder, seed)];
  const others: [string, boolean, () => Promise<Receiver>][] = [
    ['kafka', kafkaClassPath !== undefined, () => startKafka(kafkaClassPath ?? '', join(folder, 'kafka'))],
    ['mosquitto', hasProgram('mosquitto'), () => startMosquitto(join(folder, 'mosquitto'))],
    ['nats', hasProgram('nats-server'), () => startNats(join(folder, 'nats'))],
    ['sftp', hasProgram('sshd'), () => startSftp(join(folder, 'sftp'))],
  ];
  for (const [name, isThere, start] of others) {
    if (isThere) receivers.push(await start());
    else say(`left out, because it is not installed: ${name}`);
  }
  return receivers;
}

/** Kills one process of all, and lets it start again. Returns its name. */
async function strike(product: KillableProduct, receivers: readonly Receiver[], next: () => number): Promise<string> {
  const victims = receivers.filter(({ name }) => name !== 'folder');
  const place = Math.floor(next() * (victims.length + 2));
  if (place === 0) {
    await product.killServer();
    product.startServer();
    return 'server';
  }
  if (place === 1) {
    await product.killDatabase();
    return 'database';
  }
  const victim = victims[place - 2];
  await victim?.end();
  await wait(next() * DOWN_MS);
  await victim?.restart();
  return victim?.name ?? '';
}

async function untilDrained(product: KillableProduct, user: Parameters<typeof listSenders>[1]): Promise<void> {
  const givenUpAt = Date.now() + DRAINED_WITHIN_MS;
  for (;;) {
    const { items } = await retryWhileDown(() => listSenders(product.ctx, user, { page: 1, size: 50 }));
    if ((await isIdle(product)) && items.every(({ waiting }) => waiting === 0)) return;
    if (Date.now() > givenUpAt)
      throw new Error(
        `Not drained: ${items.map((one) => `${one.name} ${one.waiting} ${one.failure ?? ''} ${one.failureDetail ?? ''}`).join('; ')}`,
      );
    await wait(LOOK_EVERY_MS);
  }
}

async function judgeAll(product: KillableProduct, receivers: readonly Receiver[]): Promise<Pick<Run, 'announced' | 'slots' | 'verdicts'>> {
  const truth = await findTruth(product);
  const verdicts: Record<string, Verdict> = {};
  for (const receiver of receivers) verdicts[receiver.name] = judge(truth, await receiver.read());
  const { rows } = await product.ctx.pool.query<{ letters: number }>('select count(*)::int as letters from sender_dead_letter');
  if (rows[0]?.letters !== 0) throw new Error(`${rows[0]?.letters} messages were put aside`);
  return { announced: truth.announced.size, slots: truth.slots.size, verdicts };
}

interface Run {
  seed: number;
  seconds: number;
  kills: Record<string, number>;
  /** Announced items, and stored slots of profiles. */
  announced: number;
  slots: number;
  verdicts: Record<string, Verdict>;
  isClean: boolean;
}

async function prove(seed: number): Promise<Run> {
  const begun = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'hes-deliveries-'));
  chmodSync(folder, 0o755);
  const root = join(folder, 'files');
  mkdirSync(root);
  const settings = { HES_DELIVERY_NETWORKS: '127.0.0.1', HES_DELIVERY_FOLDER: root };
  const receivers = await startReceivers(folder, root, seed);
  const product = await startKillableProduct({ scale: values.scale, channel: 'fast', settings });
  let isOver = false;
  try {
    const who = await addUser(product);
    await addSenders(product, who, receivers);
    product.startServer();
    const next = chance(seed);
    const working = work(product, who, chance(seed + 1), () => isOver);
    let isDrained = false;
    const hastening = (async () => {
      for (; !isDrained; await wait(LOOK_EVERY_MS)) await hasten(product);
    })();
    const kills: Record<string, number> = {};
    for (let n = 0; n < Number(values.kills); n++) {
      await wait(SHORTEST_PAUSE_MS + next() * PAUSE_MS);
      const name = await strike(product, receivers, next);
      kills[name] = (kills[name] ?? 0) + 1;
    }
    await untilRead(product);
    isOver = true;
    await working;
    await untilDrained(product, who.user).finally(() => (isDrained = true));
    await hastening;
    const judged = await judgeAll(product, receivers);
    const seconds = Math.round((Date.now() - begun) / 1000);
    return {
      seed,
      seconds,
      kills,
      ...judged,
      isClean: judged.announced > 0 && judged.slots > 0 && Object.values(judged.verdicts).every(isClean),
    };
  } finally {
    isOver = true;
    await product.stop();
    for (const receiver of receivers) await receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (values.json) sayOn(process.stderr);
  const first = Number(values['first-seed']);
  const runs: Run[] = [];
  for (let seed = first; seed < first + Number(values.seeds); seed++) {
    const run = await prove(seed);
    runs.push(run);
    const held = Object.entries(run.verdicts).map(([name, verdict]) => `${name} ${verdict.held} +${verdict.repeated}`);
    say(
      `${run.isClean ? 'clean' : 'WRONG'} seed ${seed}, ${run.seconds} s, kills ${JSON.stringify(run.kills)}, ${run.announced} items, ${run.slots} slots: ${held.join(', ')}`,
    );
    if (!run.isClean) say(JSON.stringify(run.verdicts));
  }
  const clean = runs.filter((run) => run.isClean).length;
  say(`${clean} of ${runs.length} seeds are clean`);
  if (values.json) process.stdout.write(`${JSON.stringify({ seeds: runs.length, clean, runs })}\n`);
  return clean === runs.length ? 0 : 1;
}

process.exitCode = await main();
