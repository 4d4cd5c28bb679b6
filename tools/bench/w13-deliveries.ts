import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../apps/server/src/db/settings.ts';
import { openDb } from '../../apps/server/src/db/pool.ts';
import { seed } from '../../apps/server/src/db/seed/seed.ts';
import type { Context, Who } from '../../apps/server/src/db/context.ts';
import { JobQueue } from '../../apps/server/src/jobs/job-queue.ts';
import { pauseSender, removeSender } from '../../apps/server/src/features/deliveries/senders/service.ts';
import { createBus } from '../../apps/server/src/platform/bus.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { hasProgram } from '../../apps/server/test/peer.ts';
import { kafkaClassPath } from '../../apps/server/test/senders/kafka-broker.ts';
import { removeDataDir } from '../../e2e/support/head-end.ts';
import { startKafka, startMosquitto, startNats } from '../deliveries/brokers.ts';
import type { Receiver } from '../deliveries/receiver.ts';
import { addUser } from '../deliveries/town.ts';
import { startWebhook } from '../deliveries/webhook.ts';
import { BENCH_PASSWORD } from './bench-database.ts';
import { BENCH_MASTER_KEY, benchKey } from './bench-users.ts';
import { bareRate } from './deliveries/bare-producers.ts';
import { addSender, eventsOf, senderRate, untilSent } from './deliveries/senders.ts';
import { startSink } from './deliveries/sink.ts';
import { fillArchive, fillLastRow } from './fleet-archive.ts';
import type { Air } from './fleet.ts';
import { startHeadEnd } from './head-end-process.ts';
import { cpuSecondsOf, quantile } from './interleaved.ts';
import { ask, startResponder } from './responder-process.ts';
import { openScratchDatabase, type ScratchDatabase } from './scratch-database.ts';
import { collectMeters } from './w1-collect.ts';

type Reachable = Pick<Receiver, 'name' | 'sender'>;

const DCUS = 50;
/** A load profile day of each meter is one item. */
const METERS_TO_SEND = 4_000;
/** Collected without and with a sender, in turn. */
const PAIRS = 3;

interface Comparison {
  air: Air;
  /** Collected each time. */
  metersPerBlock: number;
}
/** Meters that answer any request at once: the processors bind. Those of W1 answer only what its collection asks. */
const AT_THE_LIMIT: Comparison = { air: { bitsPerSecond: 1e9, roundTripMs: 0, lost: 0, deadEvery: 0 }, metersPerBlock: 4_000 };
/** The channels bind, as at night, and let some 100,000 meters through in a quarter of an hour. Without frame loss: chance would decide. */
const NIGHT: Comparison = { air: { bitsPerSecond: 200_000, roundTripMs: 25, lost: 0, deadEvery: 0 }, metersPerBlock: 2_000 };
const METERS = METERS_TO_SEND + 2 * PAIRS * (AT_THE_LIMIT.metersPerBlock + NIGHT.metersPerBlock);
const DAY_MS = 86_400_000;

const contextOf = async ({ pool }: ScratchDatabase): Promise<Context> => {
  const db = openDb(pool, benchKey());
  const log = createLog('error');
  return {
    db,
    pool,
    clock: systemClock,
    log,
    settings: await loadSettings(db),
    bus: createBus(),
    jobs: new JobQueue({ pool, log }),
    secrets: createSecrets(Buffer.from(BENCH_MASTER_KEY, 'hex')),
  };
};

/** The brokers that are installed; the others have no figure. */
async function startBrokers(folder: string): Promise<Receiver[]> {
  const receivers: Receiver[] = [];
  if (kafkaClassPath !== undefined) receivers.push(await startKafka(kafkaClassPath, join(folder, 'kafka')));
  if (hasProgram('mosquitto')) receivers.push(await startMosquitto(join(folder, 'mosquitto')));
  if (hasProgram('nats-server')) receivers.push(await startNats(join(folder, 'nats')));
  return receivers;
}

interface Rates {
  product: number;
  bare: number;
  ratio: number;
}

/** Sends what was collected through each sender, and the same events by its library alone. */
async function compareSenders(ctx: Context, who: Who, ids: ReadonlyMap<Receiver, string>): Promise<Record<string, Rates>> {
  const rates: Record<string, Rates> = {};
  for (const [receiver, id] of ids) {
    const events = await eventsOf(ctx, id);
    const bare = await bareRate(receiver, events);
    const product = await senderRate(ctx, who, { id, items: events.length });
    rates[receiver.name] = { product: Math.round(product), bare: Math.round(bare), ratio: Number((product / bare).toFixed(2)) };
  }
  return rates;
}

/**
 * Collects blocks of meters without any sender, and with one that empties the outbox meanwhile. Its receiver reads nothing, because a real one
 * has processors of its own.
 */
async function compareCollection(
  ctx: Context,
  who: Who,
  { receiver, pid, first, metersPerBlock }: { receiver: Reachable; pid: number; first: number; metersPerBlock: number },
) {
  const seconds: { alone: number[]; beside: number[] } = { alone: [], beside: [] };
  const cpu: { alone: number[]; beside: number[] } = { alone: [], beside: [] };
  for (let block = 0; block < 2 * PAIRS; block++) {
    // In turn, the other one first each time, so that a machine that grows warm or full favours neither.
    const isBeside = block % 4 === 1 || block % 4 === 2;
    const id = isBeside ? await addSender(ctx, who, receiver) : undefined;
    const [begun, cpuBefore] = [performance.now(), cpuSecondsOf([pid]) ?? 0];
    await collectMeters(ctx.pool, ctx.db, first + block * metersPerBlock, metersPerBlock);
    const side = isBeside ? 'beside' : 'alone';
    seconds[side].push((performance.now() - begun) / 1000);
    cpu[side].push((cpuSecondsOf([pid]) ?? 0) - cpuBefore);
    if (id === undefined) continue;
    await untilSent(ctx, id, metersPerBlock);
    await removeSender(ctx, who, id);
  }
  const median = (values: number[]) => quantile(values, 0.5);
  return {
    ratioOfCollection: Number((median(seconds.alone) / median(seconds.beside)).toFixed(3)),
    ratioOfProcessorTime: Number((median(cpu.alone) / median(cpu.beside)).toFixed(3)),
    metersPerSecond: Math.round(metersPerBlock / median(seconds.alone)),
  };
}

/** Both comparisons, each with meters of its own: one with a stored day has nothing more to read. */
async function compareCollections(ctx: Context, who: Who, { responder, pid }: { responder: ChildProcess; pid: number }) {
  const receiver = await startSink();
  try {
    const first = 1 + METERS_TO_SEND;
    const atTheLimit = await compareCollection(ctx, who, { receiver, pid, first, metersPerBlock: AT_THE_LIMIT.metersPerBlock });
    await ask(responder, { air: NIGHT.air });
    const later = first + 2 * PAIRS * AT_THE_LIMIT.metersPerBlock;
    const night = await compareCollection(ctx, who, { receiver, pid, first: later, metersPerBlock: NIGHT.metersPerBlock });
    return { night, atTheLimit };
  } finally {
    await receiver.stop();
  }
}

/**
 * W13: what is collected leaves through each sender, against a bare producer of the same library; and collection beside a sender that empties
 * the outbox, against collection without one: while the channels bind, which is the gate, and at the limit of the processors.
 */
export async function w13() {
  const database = await openScratchDatabase({ max_connections: '100' });
  const folder = mkdtempSync(join(tmpdir(), 'hes-w13-'));
  mkdirSync(join(folder, 'files'));
  const responder = startResponder();
  const day = Math.floor(Date.now() / DAY_MS) - 1;
  const receivers: Receiver[] = [];
  try {
    const ctx = await contextOf(database);
    await seed(ctx.db, { adminPassword: BENCH_PASSWORD });
    await ask(responder, { meters: METERS, day });
    await fillArchive(ctx.pool, ctx.secrets, { dcus: DCUS, meters: METERS });
    await fillLastRow(ctx.pool, { meters: METERS, day });
    const headEnd = await startHeadEnd({
      DATABASE_URL: database.url,
      HES_DATA_DIR: database.folder,
      HES_MASTER_KEY: BENCH_MASTER_KEY,
      HES_DELIVERY_NETWORKS: '127.0.0.1',
    });
    try {
      const webhook = await startWebhook(folder);
      receivers.push(webhook, ...(await startBrokers(folder)));
      const who: Who = await addUser({ ctx });
      const ids = new Map<Receiver, string>();
      for (const receiver of receivers) {
        const id = await addSender(ctx, who, receiver);
        await pauseSender(ctx, who, id, true);
        ids.set(receiver, id);
      }
      await ctx.pool.query('update collect_plan set enabled = false');
      await ask(responder, { dial: headEnd.dlmsPort, dcus: DCUS });
      await ask(responder, { air: AT_THE_LIMIT.air });
      await collectMeters(ctx.pool, ctx.db, 1, METERS_TO_SEND);
      const senders = await compareSenders(ctx, who, ids);
      for (const id of ids.values()) await removeSender(ctx, who, id);
      const collections = await compareCollections(ctx, who, { responder, pid: headEnd.pid });
      return { ratio: collections.night.ratioOfCollection, ...collections, itemsPerSecond: senders, items: METERS_TO_SEND };
    } finally {
      await ask(responder, { hangUp: true });
      await headEnd.stop();
    }
  } finally {
    responder.disconnect();
    for (const receiver of receivers) await receiver.stop();
    await database.stop();
    removeDataDir(folder);
  }
}
