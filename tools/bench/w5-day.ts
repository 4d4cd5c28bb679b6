import type { ChildProcess } from 'node:child_process';
import { RULES_OF_ONE_MACHINE } from '../../apps/server/src/db/settings.ts';
import type { Pool } from 'pg';
import { fieldFeatures } from '../../apps/server/src/features/every-feature.ts';
import { startField } from '../../apps/server/src/field/start-field.ts';
import { createBus } from '../../apps/server/src/platform/bus.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import type { Context } from '../../apps/server/src/db/context.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { SwitchLedger } from '../../apps/server/src/platform/switch-ledger.ts';
import { Dispatcher } from '../../apps/server/src/tasks/dispatcher.ts';
import { createTask } from '../../apps/server/src/tasks/create-task.ts';
import { fillArchive, fillLastRow } from './fleet-archive.ts';
import { isDead, meterSn, type Air } from './fleet.ts';
import { quantile } from './interleaved.ts';
import { ask, startResponder } from './responder-process.ts';
import { openScratchDatabase } from './scratch-database.ts';

/**
 * Speed-up of the narrow channel of `performance.md` (5 kbit/s, one second round trip) together with the head-end's
 * timeouts and retry delays. Its own processing is not sped up, so the factor is small.
 */
const FASTER = 20;
const AIR: Air = { bitsPerSecond: 5_000 * FASTER, roundTripMs: 1000 / FASTER, lost: 0.05, deadEvery: 100 };
/** Limits as in `field/response-timeout.ts`, scaled. */
const WAITS = { longestMs: 30_000 / FASTER, shortestMs: 4_000 / FASTER, firstMs: 15_000 / FASTER };
const METERS_PER_DCU = 82;
/** 10,004 meters, as the workloads are described. */
const DEFAULT_DCUS = 122;
const ENOUGH = 0.999;
const POLL_MS = 100;
const LIMIT_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

const IDLE_READS = 24;
const OPERATOR_EVERY_MS = 500;
const OPERATOR_PRIORITY = 3;

interface Field {
  pool: Pool;
  db: Context['db'];
  responder: ChildProcess;
  dcus: number;
  meters: number;
  day: number;
}

/** A fleet behind narrow channels with a head-end; `HES_BENCH_DCUS` sets its size. */
async function overNarrowChannels<T>(work: (field: Field) => Promise<T>): Promise<T> {
  const database = await openScratchDatabase();
  const { pool, db } = database;
  const responder = startResponder();
  const ctx = {
    // Collection has separate connections, as in the product; an operator's tasks use the others.
    ...database.background,
    clock: systemClock,
    log: createLog('error'),
    bus: createBus(),
    secrets: createSecrets(Buffer.alloc(32, 1)),
    settings: { timeZone: 'UTC', reload: () => Promise.resolve(), rules: RULES_OF_ONE_MACHINE },
  };
  const dcus = Number(process.env['HES_BENCH_DCUS'] ?? DEFAULT_DCUS);
  const meters = dcus * METERS_PER_DCU;
  const day = Math.floor(Date.now() / DAY_MS) - 1;
  try {
    await ask(responder, { meters, day });
    await fillArchive(pool, ctx.secrets, { dcus, meters });
    await fillLastRow(pool, { meters, day });
    const field = await startField(ctx, {
      features: fieldFeatures({ switches: new SwitchLedger(undefined, Date.now()) }),
      dlmsPort: 0,
      host: '127.0.0.1',
      timeoutLimits: WAITS,
    });
    const dispatcher = new Dispatcher(ctx, field, { retryWait: 1 / FASTER });
    await dispatcher.start();
    try {
      await ask(responder, { dial: field.port, dcus });
      await ask(responder, { air: AIR });
      return await work({ pool, db, responder, dcus, meters, day });
    } finally {
      await dispatcher.stop();
      await ask(responder, { hangUp: true });
      await field.stop();
    }
  } finally {
    responder.disconnect();
    await database.stop();
  }
}

interface Target {
  meterId: string;
  dcuId: string;
}

async function targetsOf({ pool, meters }: Field, wanted: (index: number) => boolean): Promise<Target[]> {
  const sns = Array.from({ length: meters }, (_, i) => i + 1)
    .filter(wanted)
    .map(meterSn);
  const { rows } = await pool.query<Target>('select id as "meterId", dcu_id as "dcuId" from meter where sn = any($1) order by id', [sns]);
  return rows;
}

const itemOf = ({ meterId, dcuId }: Target) => ({ deviceKind: 'meter' as const, dcuId, meterId });
const isAlive = (index: number): boolean => !isDead(index, AIR.deadEvery);

/** All plans of a night are due at once. */
async function collectAll(field: Field): Promise<void> {
  const items = (await targetsOf(field, () => true)).map(itemOf);
  await field.db.transaction().execute((tx) =>
    createTask(tx, {
      kind: 'collect',
      source: 'plan',
      title: 'Night',
      params: { profiles: ['lpa'], lookBackDays: 2 },
      priority: 5,
      createdBy: null,
      items,
    }),
  );
}

async function storedMeters({ pool, day }: Field): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    "select count(*)::int as n from reading_profile where profile = 'lpa' and day = date '1970-01-01' + $1::int",
    [day],
  );
  return rows[0]?.n ?? 0;
}

/** Whether no item is waiting any more: readings that are still missing will not arrive. */
async function isOver({ pool }: Field): Promise<boolean> {
  const { rows } = await pool.query<{ open: boolean }>(
    "select exists (select from task_item where state in ('waiting', 'reading')) as open",
  );
  return rows[0]?.open === false;
}

async function untilStored(field: Field, wanted: number): Promise<{ seconds: number; stored: number }> {
  const begun = performance.now();
  for (;;) {
    const stored = await storedMeters(field);
    const elapsed = performance.now() - begun;
    if (stored >= wanted || elapsed > LIMIT_MS || (await isOver(field))) return { seconds: elapsed / 1000, stored };
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** W5: from the due time of a night until 99.9 % of the responding meters are stored, against the air time of the busiest DCU. */
export async function w5() {
  return overNarrowChannels(async (field) => {
    const alive = Array.from({ length: field.meters }, (_, i) => i + 1).filter(isAlive).length;
    await collectAll(field);
    const { seconds, stored } = await untilStored(field, Math.ceil(alive * ENOUGH));
    const { seconds: ideal } = (await ask(field.responder, { ideal: true })) as { seconds: number }; // as: what the responder answers
    const failures = await field.pool.query<{ reason: string; n: number }>(
      "select coalesce(reason_code, state) as reason, count(*)::int as n from task_item_device where state <> 'read_success' group by 1",
    );
    const left = Object.fromEntries(failures.rows.map(({ reason, n }) => [reason, n]));
    return {
      ratio: seconds / ideal,
      seconds,
      idealSeconds: ideal,
      meters: field.meters,
      alive,
      stored,
      isComplete: stored >= alive * ENOUGH,
      left,
    };
  });
}

/** Waiting time of an operator for one reading: from the order to its end. */
async function readOnce(field: Field, target: Target): Promise<number> {
  const day = new Date(field.day * DAY_MS).toISOString().slice(0, 10);
  const { id } = await field.db.transaction().execute((tx) =>
    createTask(tx, {
      kind: 'lpa',
      source: 'user',
      title: 'Now',
      params: { from: day, to: day },
      priority: OPERATOR_PRIORITY,
      createdBy: null,
      items: [itemOf(target)],
    }),
  );
  for (;;) {
    const { rows } = await field.pool.query<{ ms: number | null }>(
      'select (extract(epoch from finished_at - created_at) * 1000)::float8 as ms from task where id = $1',
      [id],
    );
    const ms = rows[0]?.ms;
    if (ms !== null && ms !== undefined) return ms;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS / 4));
  }
}

async function operatorReads(field: Field, targets: readonly Target[], goesOn: (done: number) => boolean): Promise<number[]> {
  const latencies: number[] = [];
  for (let turn = 0; goesOn(turn); turn++) {
    const target = targets[(turn * 37) % targets.length];
    if (target !== undefined) latencies.push(await readOnce(field, target));
    await new Promise((resolve) => setTimeout(resolve, OPERATOR_EVERY_MS));
  }
  return latencies;
}

/** W6: duration of an operator's reading while a whole night is collected, against the same on the idle head-end. */
export async function w6() {
  return overNarrowChannels(async (field) => {
    // Without frame loss: the measurement is about priority, not about chance.
    await ask(field.responder, { air: { ...AIR, lost: 0 } });
    const targets = await targetsOf(field, isAlive);
    const idle = await operatorReads(field, targets, (done) => done < IDLE_READS);
    await collectAll(field);
    let isDay = false;
    const night = untilStored(field, Math.ceil(targets.length * ENOUGH)).then((result) => {
      isDay = true;
      return result;
    });
    const busy = await operatorReads(field, targets, (done) => !isDay || done < IDLE_READS);
    await night;
    const figures = {
      idleP50Ms: quantile(idle, 0.5),
      idleP95Ms: quantile(idle, 0.95),
      busyP50Ms: quantile(busy, 0.5),
      busyP95Ms: quantile(busy, 0.95),
    };
    return { ratio: figures.busyP95Ms / figures.idleP95Ms, ...figures, reads: busy.length, meters: field.meters };
  });
}
