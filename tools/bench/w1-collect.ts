import type { ChildProcess } from 'node:child_process';
import { RULES_OF_ONE_MACHINE } from '../../apps/server/src/db/settings.ts';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Pool } from 'pg';
import { fieldFeatures } from '../../apps/server/src/features/every-feature.ts';
import { startField } from '../../apps/server/src/field/start-field.ts';
import { createBus } from '../../apps/server/src/platform/bus.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { createSecrets, type Secrets } from '../../apps/server/src/platform/secrets.ts';
import { Dispatcher } from '../../apps/server/src/tasks/dispatcher.ts';
import { unpackFrames } from '../../apps/server/src/storage/frames.ts';
import { createTask } from '../../apps/server/src/tasks/create-task.ts';
import type { Context, Db } from '../../apps/server/src/db/context.ts';
import { SwitchLedger } from '../../apps/server/src/platform/switch-ledger.ts';
import { meterSn, SLOTS, CHANNELS, valueOf } from './fleet.ts';
import { fillArchive, fillLastRow } from './fleet-archive.ts';
import { cpuSecondsOf, interleave, measured, type Interleaved } from './interleaved.ts';
import { ask, startResponder } from './responder-process.ts';
import { openScratchDatabase, type ScratchDatabase } from './scratch-database.ts';

const BLOCKS = 3;
const DCUS = 50;
/** Large enough that start and end of a task have the same weight as in a nightly collection. */
const METERS_PER_BLOCK = 20_000;
export const WARM_UP_METERS = 1_000;
const METERS = WARM_UP_METERS + BLOCKS * METERS_PER_BLOCK;
const DAY_MS = 86_400_000;
const HEADER_OCTETS = 8;
const POLL_MS = 5;

/** The field side of a head-end, with DCUs that are connected to it. */
interface Collection {
  ctx: Pick<Context, 'db' | 'pool' | 'secrets'>;
  database: ScratchDatabase;
  responder: ChildProcess;
  /** Days since 1970, of the readings. */
  day: number;
  /** Collects as many meters, each of which is collected once. */
  collect(from: number, count: number): Promise<void>;
}

/** Lends the field side with `meters` meters, the first of which warm it up. */
export async function withCollection<T>(meters: number, use: (collection: Collection) => Promise<T>): Promise<T> {
  const database = await openScratchDatabase();
  const { pool } = database;
  const responder = startResponder();
  const ctx = {
    // Collection has separate connections, as in the product.
    ...database.background,
    clock: systemClock,
    log: createLog('error'),
    bus: createBus(),
    secrets: createSecrets(Buffer.alloc(32, 1)),
    settings: { timeZone: 'UTC', reload: () => Promise.resolve(), rules: RULES_OF_ONE_MACHINE },
  };
  const day = Math.floor(Date.now() / DAY_MS) - 1;
  try {
    await ask(responder, { meters, day });
    await fillArchive(pool, ctx.secrets, { dcus: DCUS, meters });
    await fillLastRow(pool, { meters, day });
    const field = await startField(ctx, {
      features: fieldFeatures({ switches: new SwitchLedger(undefined, Date.now()) }),
      dlmsPort: 0,
      host: '127.0.0.1',
    });
    const dispatcher = new Dispatcher(ctx, field);
    await dispatcher.start();
    try {
      await ask(responder, { dial: field.port, dcus: DCUS });
      const collect = (from: number, count: number) => collectMeters(pool, ctx.db, from, count);
      await collect(1, WARM_UP_METERS);
      return await use({ ctx, database, responder, day, collect });
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

/** W1: a load profile day of every meter from the wire into the database, against the same bytes over bare sockets. */
export function w1(): Promise<Interleaved> {
  return withCollection(METERS, async ({ ctx, database, responder, day, collect }) => {
    const reference = await openReference(responder);
    const firstOf = (block: number) => 1 + WARM_UP_METERS + block * METERS_PER_BLOCK;
    // The reference sends the requests that the product sent to meters of the same kind during the warm-up, in rotation.
    const requests = await recordedRequests(ctx, WARM_UP_METERS);
    // The responder is not counted: it is equal for both.
    const others = () => (database.pid === undefined ? undefined : cpuSecondsOf([database.pid]));
    const result = await interleave(BLOCKS, {
      product: (block) => measured(METERS_PER_BLOCK, others, () => collect(firstOf(block), METERS_PER_BLOCK)),
      reference: () => measured(METERS_PER_BLOCK, others, () => reference.replay(requests, METERS_PER_BLOCK)),
    });
    await check(ctx.pool, day);
    reference.close();
    return result;
  });
}

/** Runs one task over these meters as a plan creates it; returns when every item has ended, after its readings are committed. */
export async function collectMeters(pool: Pool, db: Db, from: number, count: number): Promise<void> {
  const sns = Array.from({ length: count }, (_, i) => meterSn(from + i));
  const meters = await pool.query<{ id: string; dcu_id: string }>('select id, dcu_id from meter where sn = any($1)', [sns]);
  const { id } = await db.transaction().execute((tx) =>
    createTask(tx, {
      kind: 'collect',
      source: 'plan',
      title: 'W1',
      params: { profiles: ['lpa'], lookBackDays: 2 },
      priority: 5,
      createdBy: null,
      items: meters.rows.map((row) => ({ deviceKind: 'meter', dcuId: row.dcu_id, meterId: row.id })),
    }),
  );
  for (;;) {
    const task = await pool.query<{ state: string; failed: number }>('select state, failed from task where id = $1', [id]);
    const [row] = task.rows;
    if (row?.state === 'finished') return;
    if (row === undefined || row.failed > 0) {
      const why = await pool.query('select reason_code, reason_text, count(*) from task_item_device where task_id = $1 group by 1, 2', [
        id,
      ]);
      throw new Error(`The collection failed: ${JSON.stringify(why.rows)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Request frames of collected meters from their traces, one list per meter. */
async function recordedRequests({ pool, secrets }: { pool: Pool; secrets: Secrets }, count: number): Promise<Uint8Array[][]> {
  let traces: { frames: Buffer; sn: string }[] = [];
  // Traces are written with a delay after the readings.
  for (let tries = 0; tries < 1000 && traces.length < count; tries++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const found = await pool.query<(typeof traces)[number]>(
      'select t.frames, m.sn from trace t join meter m on m.id = t.meter_id order by m.id limit $1',
      [count],
    );
    traces = found.rows;
  }
  // The release is part of the dialogue, but follows the end of the trace.
  return traces.map(({ frames, sn }) => [
    ...unpackFrames(frames, secrets)
      .filter(({ direction }) => direction === 'down')
      .map(({ octets }) => octets),
    releaseOf(sn),
  ]);
}

function releaseOf(sn: string): Uint8Array {
  const apdu = [0xe6, 0, sn.length, ...Buffer.from(sn), 0x62, 3, 0x80, 1, 0];
  return Uint8Array.from([0, 1, 0, 1, 0, 1, 0, apdu.length, ...apdu]);
}

interface Reference {
  replay(requests: Uint8Array[][], meters: number): Promise<void>;
  close(): void;
}

/** Opens one bare socket per DCU. Frames are delimited by the wrapper's length without decoding. */
async function openReference(responder: ChildProcess): Promise<Reference> {
  const lines: BareLine[] = [];
  const server: Server = createServer({ noDelay: true }, (socket) => lines.push(new BareLine(socket)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  await ask(responder, { dial: address.port, dcus: DCUS });
  while (lines.length < DCUS) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  await Promise.all(lines.map((line) => line.frame()));
  return {
    async replay(requests, meters) {
      let next = 0;
      const work = async (line: BareLine) => {
        while (next < meters) {
          const frames = requests[next++ % requests.length] ?? [];
          for (const frame of frames) {
            line.socket.write(frame);
            await line.frame();
          }
        }
      };
      await Promise.all(lines.map(work));
    },
    close() {
      for (const { socket } of lines) socket.destroy();
      server.close();
    },
  };
}

class BareLine {
  readonly socket: Socket;
  #chunks: Buffer[] = [];
  #size = 0;
  #waiting: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      this.#waiting?.();
    });
  }

  /** Resolves when one complete frame has arrived. */
  frame(): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.#size < HEADER_OCTETS) return;
        const whole = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks); // as: there is one
        const length = HEADER_OCTETS + whole.readUInt16BE(6);
        if (whole.length < length) return;
        this.#chunks = whole.length === length ? [] : [whole.subarray(length)];
        this.#size = whole.length - length;
        this.#waiting = undefined;
        resolve();
      };
      this.#waiting = look;
      look();
    });
  }
}

/** Every value of every meter must equal that of the fleet. */
async function check(pool: Pool, day: number): Promise<void> {
  const sums = CHANNELS.map((column) => `(select sum(v) from unnest(${column}) v)::bigint as ${column}`).join(', ');
  const stored = await pool.query<{ sn: string; present: number } & Record<string, string>>(
    `select m.sn, r.present, ${sums} from reading_profile r join meter m on m.id = r.meter_id where r.profile = 'lpa' and r.day = date '1970-01-01' + $1::int`,
    [day],
  );
  const bySn = new Map(stored.rows.map((row) => [row.sn, row]));
  for (let index = 1; index <= METERS; index++) {
    const row = bySn.get(meterSn(index));
    const right = row?.present === SLOTS && CHANNELS.every((column, c) => Number(row[column]) === sumOf(index, c));
    if (!right) throw new Error(`Meter ${meterSn(index)} is stored with wrong values: ${JSON.stringify(row)}`);
  }
}

function sumOf(index: number, channel: number): number {
  let sum = 0;
  for (let slot = 0; slot < SLOTS; slot++) sum += valueOf(index, slot, channel);
  return sum;
}
