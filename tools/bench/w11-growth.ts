import type { Pool } from 'pg';
import { openDb } from '../../apps/server/src/db/pool.ts';
import { countByDay, listDaily, listProfile } from '../../apps/server/src/features/readings/queries.ts';
import { createBus } from '../../apps/server/src/platform/bus.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import type { User } from '../../apps/server/src/db/context.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { Partitions } from '../../apps/server/src/storage/partitions.ts';
import { ReadingWriter } from '../../apps/server/src/storage/writer.ts';
import { fillArchive } from './fleet-archive.ts';
import { cpuSecondsOf, measured, quantile } from './interleaved.ts';
import { openScratchDatabase } from './scratch-database.ts';

const METERS = Number(process.env['HES_BENCH_METERS'] ?? 2_000);
const DCUS = 25;
const ONCE_DAYS = 7;
const TIMES = 10;
const SLOTS = 96;
const FILLED = 4;
const DAY_MS = 86_400_000;
const ROUNDS = 40;
const INGEST_DAYS = 3;

const ADMIN: User = {
  id: '1',
  username: 'bench',
  name: 'bench',
  sessionId: '1',
  mustChangePassword: false,
  actions: new Map(),
  scope: { kind: 'whole' },
};

const isoDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Adds days of history of all meters by SQL: registers that rise, powers that vary. */
async function addHistory(pool: Pool, firstDay: number, days: number): Promise<void> {
  const partitions = new Partitions(pool);
  const all = new Set(Array.from({ length: days }, (_, i) => firstDay + i));
  await partitions.ensure('reading_profile', all);
  await partitions.ensure('reading_daily', all);
  const series = (expression: string) => `(select array_agg(${expression} order by s) from generate_series(0, ${SLOTS - 1}) s)`;
  for (const day of all) {
    await pool.query(
      `insert into reading_profile (meter_id, profile, day, period_s, present, status, e_plus_wh, e_minus_wh, p_avg_plus_w, p_avg_minus_w, read_at, source)
       select m.id, 'lpa', date '1970-01-01' + $1::int, 900, ${SLOTS}, ${series('0')},
         ${series('m.id * 100000 + $1::int * 9600 + s * 97 + (m.id * s) % 53')}, ${series('m.id * 1000 + $1::int * 10 + s / 10')},
         ${series('((m.id * 31 + s * 17 + $1::int) % 3000)::int')}, ${series('((m.id + s) % 90)::int')}, now(), 'meter' from meter m`,
      [day],
    );
    await pool.query(
      `insert into reading_daily (meter_id, freeze_date, e_plus, e_minus, read_at, source, quality)
       select id, date '1970-01-01' + $1::int, id + $1::int, id, now(), 'meter', 'read' from meter`,
      [day],
    );
  }
  await pool.query('vacuum analyze reading_profile, reading_daily');
}

async function octetsPerValue(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ octets: string; values: string }>(
    `select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'reading_profile'::regclass)::text as octets,
       (select sum(present) * ${FILLED} from reading_profile)::text as values`,
  );
  return Number(rows[0]?.octets) / Number(rows[0]?.values);
}

interface Taken {
  ingestMs: number;
  chartMs: number;
  listP95Ms: number;
  countersMs: number;
  octetsPerValue: number;
}

async function times(work: (round: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    await work(round);
    taken.push(performance.now() - begun);
  }
  return taken;
}

/** Runs every measurement once over the present history. `freshDay`: the first day without data. */
async function take(pool: Pool, pid: number | undefined, freshDay: number): Promise<Taken> {
  const db = openDb(pool);
  const writer = new ReadingWriter({
    pool,
    clock: systemClock,
    log: createLog('error'),
    bus: createBus(),
    settings: { timeZone: 'UTC' },
  });
  const { rows: meters } = await pool.query<{ id: string; dcuId: string }>('select id, dcu_id as "dcuId" from meter order by id');
  const store = ({ id, dcuId }: (typeof meters)[number], day: number) => {
    const channels: (Float64Array | undefined)[] = CHANNELS.map((_, c) =>
      c < FILLED ? Float64Array.from({ length: SLOTS }, (__, s) => Number(id) * 100 + s * (c + 1)) : undefined,
    );
    return writer.storeProfile({
      meterId: id,
      dcuId,
      profile: 'lpa',
      periodSeconds: 900,
      stamps: Float64Array.from({ length: SLOTS }, (_, s) => day * DAY_MS + s * 900_000),
      status: new Float64Array(SLOTS),
      channels,
      readAt: day * DAY_MS + DAY_MS,
      source: 'meter',
      traceId: undefined,
    });
  };
  const others = () => (pid === undefined ? undefined : cpuSecondsOf([pid]));
  const octets = await octetsPerValue(pool);
  const ingest: number[] = [];
  for (let n = 0; n < INGEST_DAYS; n++) {
    const block = await measured(meters.length, others, () => Promise.all(meters.map((meter) => store(meter, freshDay + n))));
    ingest.push(((block.cpuSeconds ?? block.seconds) * 1000) / (meters.length * SLOTS * FILLED));
  }
  await writer.stop();
  // Constant range, so only the data outside of it has grown.
  const range = { from: isoDay(freshDay - ONCE_DAYS), to: isoDay(freshDay - 1) };
  const idAt = (round: number) => meters[(round * 37) % meters.length]?.id ?? '1';
  const chart = await times((round) =>
    listProfile(db, ADMIN, 'lpa', { ...range, meterId: idAt(round), page: 1, size: ONCE_DAYS * SLOTS }, 'UTC'),
  );
  const list = await times((round) => listDaily(db, ADMIN, { ...range, profile: 'daily', page: 1 + (round % 5), size: 100 }));
  const counters = await times(() => countByDay(db, ADMIN, { ...range, profile: 'lpa' }, 'UTC'));
  return {
    ingestMs: quantile(ingest, 0.5),
    chartMs: quantile(chart, 0.5),
    listP95Ms: quantile(list, 0.95),
    countersMs: quantile(counters, 0.5),
    octetsPerValue: octets,
  };
}

/** W11: the same work over ten times the history. The ratio is that of the worst. */
export async function w11() {
  const database = await openScratchDatabase();
  const { pool } = database;
  try {
    await fillArchive(pool, createSecrets(Buffer.alloc(32, 1)), { dcus: DCUS, meters: METERS });
    const today = Math.floor(Date.now() / DAY_MS);
    const oldest = today - ONCE_DAYS * TIMES - 2 * INGEST_DAYS;
    // The newest history first: older data is added, and both measurements read the same last days.
    const last = oldest + ONCE_DAYS * (TIMES - 1);
    await addHistory(pool, last, ONCE_DAYS);
    const once = await take(pool, database.pid, last + ONCE_DAYS);
    await pool.query("delete from reading_profile where day >= date '1970-01-01' + $1::int", [last + ONCE_DAYS]);
    await addHistory(pool, oldest, ONCE_DAYS * (TIMES - 1));
    const tenfold = await take(pool, database.pid, last + ONCE_DAYS);
    const keys = Object.keys(once) as (keyof Taken)[]; // as: keys of that very object
    const growth = Object.fromEntries(keys.map((key) => [key, Number((tenfold[key] / once[key]).toPrecision(3))]));
    return { ratio: Math.max(...keys.map((key) => tenfold[key] / once[key])), growth, once, tenfold, meters: METERS };
  } finally {
    await database.stop();
  }
}
