import { readdir, readFile } from 'node:fs/promises';
import type { Pool } from 'pg';
import { openDb } from '../../apps/server/src/db/pool.ts';
import { seed } from '../../apps/server/src/db/seed/seed.ts';
import { loadSettings } from '../../apps/server/src/db/settings.ts';
import { billComputation, calculateBill } from '../../apps/server/src/features/billing/bill/calculate.ts';
import { computationJobs } from '../../apps/server/src/features/computation/port.ts';
import { findThresholds } from '../../apps/server/src/features/balance/balance/queries.ts';
import { computeDay } from '../../apps/server/src/features/balance/day/compute-queries.ts';
import { JobQueue } from '../../apps/server/src/jobs/job-queue.ts';
import { createBus } from '../../apps/server/src/platform/bus.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { findUserById } from '../../apps/server/src/http/access/queries.ts';
import type { Context, User } from '../../apps/server/src/db/context.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { chainKeyOf, createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { openScratchDatabase, type ScratchDatabase } from './scratch-database.ts';

const METERS_PER_TRANSFORMER = 100;
/** Fewer meters suffice to inspect a query plan. */
const METERS = Number(process.env['HES_BENCH_METERS'] ?? 100_000);
const SMALL_METERS = METERS / 4;
const GATE_SECONDS = 60;
/** Freezes of two months: the period, history before it, and a day after it. */
const FIRST_FREEZE = '2026-08-31';
const MONTH = { kind: 'month', from: '2026-10-01', to: '2026-10-31' } as const;
const WEEK = { kind: 'custom', from: '2026-10-04', to: '2026-10-10' } as const;
const LAST_DAY = '2026-10-31';
const TICKS_PER_SECOND = 100;

const GROUND = `
  insert into network_level (name, code, type, path) values ('Bench', 'BENCH', 'company', '{}');
  update network_level set path = array[id];
  insert into supplier (code, name) values ('BENCH', 'Bench');
  insert into meter_type (code, name, supplier_id, profile_id, phase, voltage, current)
    select 'BENCH', 'Bench', (select id from supplier where code = 'BENCH'), min(id), '3p4w', '3x220/380 V', '5(80) A' from southbound_profile where device_kind = 'meter';
  create table reading_daily_2026_08 partition of reading_daily for values from ('2026-08-01') to ('2026-09-01');
  create table reading_daily_2026_09 partition of reading_daily for values from ('2026-09-01') to ('2026-10-01');
  create table reading_daily_2026_10 partition of reading_daily for values from ('2026-10-01') to ('2026-11-01');
  create table reading_daily_2026_11 partition of reading_daily for values from ('2026-11-01') to ('2026-12-01')`;

/** Transformers $1 to $2 with a master meter and customers each. */
const PLACES = `
  with place as (
    insert into transformer (code, name, level_id) select 'B' || n, 'Transformer ' || n, (select id from network_level) from generate_series($1::int, $2::int) n returning id
  )
  insert into meter (sn, meter_type_id, communication_mode, inventory_state, transformer_id, is_master, installed_at)
  select 'B' || lpad((place.id * ${METERS_PER_TRANSFORMER} + k)::text, 10, '0'), (select id from meter_type where code = 'BENCH'), 'plc', 'active', place.id, k = 0, '2026-01-01'
  from place cross join generate_series(0, ${METERS_PER_TRANSFORMER - 1}) k`;

/**
 * Their freezes with all ten registers, except one of eleven; inserted day by day in order of arrival, the last for
 * yesterday. No day equals another.
 */
const FREEZES = `
  insert into reading_daily (meter_id, freeze_date, read_at, source, quality, e_plus, e_minus, e_plus_t1, e_plus_t2, e_plus_t3, e_plus_t4,
    e_minus_t1, e_minus_t2, e_minus_t3, e_minus_t4)
  select m.id, '${FIRST_FREEZE}'::date + d, now() - interval '1 day' * (63 - d), 'meter', 'read', 4 * e, 0, e, e, e, e, 0, 0, 0, 0
  from generate_series(0, 62) d cross join meter m cross join lateral (select round(1000 + (d + (m.id * 13 + d * 7) % 10 / 20.0) * (2 + m.id % 17) * case when m.is_master then 80 else 1 end / 4.0, 4) as e) x
  where m.sn > $1 and (m.is_master or (m.id * 7 + d) % 11 > 0)
  order by d, m.id`;

/** CPU seconds of all processes of the database. */
async function databaseSeconds(pid: number | undefined): Promise<number> {
  if (pid === undefined) return Number.NaN;
  let ticks = 0;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const text = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    // Own time of the children; for the first process also the time of ended children.
    if (parent === pid || Number(name) === pid) ticks += (fields[11] ?? 0) + (fields[12] ?? 0);
    if (Number(name) === pid) ticks += (fields[13] ?? 0) + (fields[14] ?? 0);
  }
  return ticks / TICKS_PER_SECOND;
}

async function contextOf(pool: Pool): Promise<{ ctx: Context; jobs: JobQueue }> {
  const secrets = createSecrets(Buffer.alloc(32, 7));
  const db = openDb(pool, chainKeyOf(secrets));
  await seed(db, { adminPassword: 'Bench-2026' });
  const log = createLog('error');
  const jobs = new JobQueue({ pool, log });
  const ctx: Context = { db, pool, clock: systemClock, log, settings: await loadSettings(db), bus: createBus(), jobs, secrets };
  jobs.serve([computationJobs(ctx, billComputation)]);
  return { ctx, jobs };
}

interface Spent {
  seconds: number;
  cpuSeconds: number;
}

async function spentOn(database: ScratchDatabase, work: () => Promise<unknown>): Promise<Spent> {
  const [begun, used] = [performance.now(), (await databaseSeconds(database.pid)) + process.cpuUsage().user / 1e6];
  await work();
  return {
    seconds: (performance.now() - begun) / 1000,
    cpuSeconds: (await databaseSeconds(database.pid)) + process.cpuUsage().user / 1e6 - used,
  };
}

/** Calculates a period and waits for its end. */
async function bill(ctx: Context, user: User, order: Parameters<typeof calculateBill>[2]): Promise<void> {
  let stop = () => {};
  const ended = new Promise<string>((resolve) => {
    stop = ctx.bus.subscribe(({ message }) => {
      const { state } = message.data as { state: string }; // as: a row of a task
      if (message.type === 'task.progress' && state !== 'running') resolve(state);
    });
  });
  await calculateBill(ctx, { user, ip: '127.0.0.1' }, order);
  const state = await ended;
  stop();
  if (state !== 'finished') throw new Error(`The bill ended as ${state}`);
}

async function fill(pool: Pool, from: number, to: number): Promise<void> {
  const { rows } = await pool.query<{ last: string }>(`select coalesce(max(sn), '') as last from meter`);
  await pool.query(PLACES, [from, to]);
  await pool.query(FREEZES, [rows[0]?.last ?? '']);
  await pool.query('vacuum analyze');
}

/** Calculates balances and anomalies of a day, as arriving readings trigger it. */
async function balanceAll(ctx: Context): Promise<void> {
  const limits = await findThresholds(ctx.db);
  const places = (await ctx.pool.query<{ id: string }>('select id from transformer order by id')).rows.map(({ id }) => id);
  for (let at = 0; at < places.length; at += 20)
    await computeDay(ctx.db, { day: LAST_DAY, transformers: places.slice(at, at + 20), zone: ctx.settings.timeZone, limits });
}

/** A month of 100,000 meters, and whether the costs per meter and per day are constant. */
export async function billBench() {
  const database = await openScratchDatabase();
  const { ctx, jobs } = await contextOf(database.pool);
  try {
    await database.pool.query(GROUND);
    const { rows } = await database.pool.query<{ id: string }>('select id from app_user limit 1');
    const user = await findUserById(ctx, rows[0]?.id ?? '', new Date());
    if (user === undefined) throw new Error('The administrator was not seeded');
    await fill(database.pool, 1, SMALL_METERS / METERS_PER_TRANSFORMER);
    const small = await spentOn(database, () => bill(ctx, user, MONTH));
    const smallBalance = await spentOn(database, () => balanceAll(ctx));
    await database.pool.query('truncate bill_period cascade');
    await fill(database.pool, SMALL_METERS / METERS_PER_TRANSFORMER + 1, METERS / METERS_PER_TRANSFORMER);
    const week = await spentOn(database, () => bill(ctx, user, WEEK));
    const month = await spentOn(database, () => bill(ctx, user, MONTH));
    const again = await spentOn(database, () => bill(ctx, user, MONTH));
    const balance = await spentOn(database, () => balanceAll(ctx));
    return {
      ratio: GATE_SECONDS / month.seconds,
      month,
      week,
      /** No reading arrived since. */
      again,
      balanceOfADay: balance,
      /** 1 if four times the meters cost four times as much. */
      linearityMeters: month.cpuSeconds / small.cpuSeconds / (METERS / SMALL_METERS),
      linearityBalance: balance.cpuSeconds / smallBalance.cpuSeconds / (METERS / SMALL_METERS),
      /** At most 1 if a month costs no more per day than a week. */
      linearityDays: month.cpuSeconds / 31 / (week.cpuSeconds / 7),
      meters: METERS,
    };
  } finally {
    await jobs.stop();
    await database.stop();
  }
}
