import { randomBytes } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startEmbedded } from '../../apps/server/src/db/embedded/supervisor.ts';
import { migrate } from '../../apps/server/src/db/migrate.ts';
import { keepPartitions } from '../../apps/server/src/db/partitions.ts';
import { openDb, openPool } from '../../apps/server/src/db/pool.ts';
import { commissioningFile } from '../../apps/server/src/db/seed/commissioning.ts';
import { importCommissioning } from '../../apps/server/src/db/seed/import-commissioning.ts';
import { seed } from '../../apps/server/src/db/seed/seed.ts';
import { loadSettings, saveSetting } from '../../apps/server/src/db/settings.ts';
import { startField } from '../../apps/server/src/field/start-field.ts';
import { createBus } from '../../apps/server/src/platform/bus.ts';
import type { Context } from '../../apps/server/src/platform/context.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { Zone } from '../../apps/server/src/platform/zone.ts';
import { runDuePlans } from '../../apps/server/src/tasks/plans.ts';
import { findPlannedGaps, queueDueRefills } from '../../apps/server/src/tasks/refills.ts';
import { startTasks } from '../../apps/server/src/tasks/start-tasks.ts';
import { TIME_ZONE } from '../../apps/simulator/src/world/calendar.ts';
import { Random } from '../fuzz/random.ts';
import { say } from '../lib/say.mjs';
import { dumpReadings, noteSlots } from './dump.ts';
import type { History } from './history.ts';

const SIMULATOR = resolve(import.meta.dirname, '../../apps/simulator/src/main.ts');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const METERS_PER_DCU = 82;
const LOOK_BACK_DAYS = 7;
/** What is younger may still be on its way. */
const GRACE_MS = 30 * MINUTE_MS;
/** Meters that never answer, and DCUs that are away at any time, one in so many. */
const SILENT_ONE_IN = 200;
const AWAY_ONE_IN = 20;
/** A DCU that goes away stays away for so many runs at most. */
const AWAY_RUNS = 6;
/** Nobody here is slower: who has not answered by then does not answer. */
const REPLY_MS = 1_500;
/** No heartbeat is missed while an hour passes at once. */
const HEARTBEAT_S = 3600;
/** Rows of one meter in so many are compared with the truth, value by value. */
const SAMPLED = 50;
const GAPS_EVERY_RUNS = 6;
const LOOK_EVERY_MS = 250;

/** The database's clock: every statement of the product asks `now()`, and finds this one first. */
const CLOCK_OF_DATABASE = `
  create table public.clock_ahead (seconds float8 not null);
  insert into public.clock_ahead values (0);
  create function public.now() returns timestamptz language sql stable parallel safe
    as $$ select pg_catalog.now() + make_interval(secs => seconds) from public.clock_ahead $$;
  alter role hes set search_path = public, pg_catalog`;

export interface DaysRun {
  days: number;
  meters: number;
  /** Simulated minutes from run to run. */
  everyMinutes: number;
  seed: number;
  tell: History;
}

/** The head-end, its database and the field, with one clock that can be moved for all of them. */
class FastForward {
  readonly folder = mkdtempSync(join(tmpdir(), 'hes-days-'));
  #aheadMs = 0;
  readonly clock = { now: () => Date.now() + this.#aheadMs };
  #simulator: ChildProcess | undefined;
  #controlPort = 0;
  readonly #stops: (() => Promise<unknown>)[] = [];
  ctx: Context | undefined;

  async start(scale: string, worldSeed: number): Promise<Context> {
    chmodSync(this.folder, 0o755);
    const log = createLog('error');
    const database = await startEmbedded(this.folder, log);
    this.#stops.push(() => database.stop());
    const connection = { socketDir: database.socketDir, database: 'postgres', user: 'hes' };
    const setup = openPool({ connection, max: 1 }, log);
    await setup.query(CLOCK_OF_DATABASE);
    await setup.end();
    const pool = openPool({ connection }, log);
    this.#stops.push(() => pool.end());
    await migrate(pool);
    await keepPartitions(pool, this.clock.now());
    const db = openDb(pool);
    await seed(db, { adminPassword: 'Fast-Meadow-7' });
    // Whoever has to do with days takes the zone at its start.
    await saveSetting(db, 'timeZone', TIME_ZONE);
    const settings = await loadSettings(db);
    const secrets = createSecrets(randomBytes(32));
    const ctx: Context = { db, pool, clock: this.clock, log, settings, bus: createBus(), secrets };
    this.ctx = ctx;
    const field = await startField(ctx, { dlmsPort: 0, host: '127.0.0.1', replyTimeoutMs: REPLY_MS });
    this.#stops.push(() => field.stop());
    await this.#startSimulator(scale, worldSeed, field.port);
    const file = commissioningFile.parse(await this.field('GET', '/world'));
    await importCommissioning(ctx, file);
    await pool.query('update collect_plan set enabled = false');
    const tasks = await startTasks(ctx, field);
    this.#stops.push(() => tasks.stop());
    return ctx;
  }

  async #startSimulator(scale: string, worldSeed: number, headEndPort: number): Promise<void> {
    const child = spawn(process.execPath, [SIMULATOR], {
      env: {
        PATH: process.env['PATH'],
        SIM_SEED: String(worldSeed),
        SIM_SCALE: scale,
        SIM_CHANNEL: 'fast',
        SIM_HES_PORT: String(headEndPort),
        SIM_HEARTBEAT_S: String(HEARTBEAT_S),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#simulator = child;
    const [line] = (await once(child.stdout, 'data')) as [Buffer]; // as: nothing was said about an encoding
    this.#controlPort = (JSON.parse(line.toString()) as { controlPort: number }).controlPort; // as: its own line
  }

  async field(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${this.#controlPort}${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    return answer.json();
  }

  /** For everybody at once, as far as several clocks can be moved at once. */
  async pass(ms: number): Promise<void> {
    this.#aheadMs += ms;
    await this.ctx?.pool.query('update public.clock_ahead set seconds = $1', [this.#aheadMs / 1000]);
    await this.field('POST', '/clock', { aheadMs: this.#aheadMs });
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).toReversed()) await stop();
    const child = this.#simulator;
    if (child !== undefined && child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits until a statement finds nothing. A database that is too busy to be asked is asked again: nothing is over yet. */
async function untilNone({ pool, log }: Context, statement: string): Promise<void> {
  for (;;) {
    try {
      if ((await pool.query(statement)).rowCount === 0) return;
    } catch (error) {
      log.warn('The database is busy', { error });
    }
    await wait(LOOK_EVERY_MS);
  }
}

/** Nothing is being read and nothing is due at a DCU that is there. */
const untilIdle = (ctx: Context): Promise<void> =>
  untilNone(
    ctx,
    `select from task_item i join dcu d on d.id = i.dcu_id
     where i.state = 'reading' or i.state = 'waiting' and i.not_before <= now() and d.online_status = 'online' limit 1`,
  );

const untilOnline = (ctx: Context): Promise<void> => untilNone(ctx, "select from dcu where online_status <> 'online' limit 1");

/** How far it is, for who watches. */
async function tellProgress({ pool, clock }: Context, run: string, away: number): Promise<void> {
  const { rows } = await pool.query<{ days: number }>('select count(*)::int as days from reading_profile');
  say(`${run}: ${new Date(clock.now()).toISOString()}, ${away} DCUs away, ${rows[0]?.days} days of profiles stored`);
}

/** Days of collection with time running as fast as the work is done; then what is there is counted against what should be. */
export async function passDays({ days, meters, everyMinutes, seed: worldSeed, tell }: DaysRun): Promise<void> {
  const dcus = Math.ceil(meters / METERS_PER_DCU);
  const scale = `${dcus}x${Math.ceil(meters / dcus)}`;
  const town = new FastForward();
  try {
    const ctx = await town.start(scale, worldSeed);
    tell({ t: 'begin', seed: worldSeed, scale, at: ctx.clock.now() });
    await untilOnline(ctx);
    const { pool } = ctx;
    const sns = (await pool.query<{ sn: string }>('select sn from meter order by sn')).rows.map(({ sn }) => sn);
    const dcuSns = (await pool.query<{ sn: string }>('select sn from dcu order by sn')).rows.map(({ sn }) => sn);
    const silent = sns.filter((_sn, index) => index % SILENT_ONE_IN === SILENT_ONE_IN / 2);
    for (const target of silent) await town.field('POST', '/fault', { target, kind: 'silence' });
    await pool.query("update collect_plan set enabled = true, next_run_at = null, schedule = '0 0/15 * * * ? *'");
    const random = new Random(worldSeed);
    const away = new Map<string, number>();
    const runs = Math.ceil((days * DAY_MS) / (everyMinutes * MINUTE_MS));
    for (let run = 0; run < runs; run++) {
      // The last runs belong to those who come back.
      await weather(town, { away, dcuSns, random, run, isOver: run >= runs - 2 });
      await town.pass(everyMinutes * MINUTE_MS);
      await runDuePlans(ctx);
      await untilIdle(ctx);
      if (run % GAPS_EVERY_RUNS === GAPS_EVERY_RUNS - 1) {
        await findPlannedGaps(ctx);
        await queueDueRefills(ctx);
        await untilIdle(ctx);
      }
      await tellProgress(ctx, `run ${run + 1} of ${runs}`, away.size);
    }
    await untilOnline(ctx);
    await town.pass(everyMinutes * MINUTE_MS);
    await runDuePlans(ctx);
    await untilIdle(ctx);
    await findPlannedGaps(ctx);
    const now = ctx.clock.now();
    const zone = new Zone(ctx.settings.timeZone);
    const from = zone.startOf(zone.dayOf(now) - LOOK_BACK_DAYS + 1);
    await noteSlots(pool, tell, { from, to: now - GRACE_MS, timeZone: ctx.settings.timeZone, unreachable: new Set(silent) });
    tell({ t: 'end', at: now });
    await dumpReadings(pool, tell, SAMPLED);
  } finally {
    await town.stop();
  }
}

interface Weather {
  /** DCUs that are away, by the run in which they come back. */
  away: Map<string, number>;
  dcuSns: readonly string[];
  random: Random;
  run: number;
  isOver: boolean;
}

/** DCUs lose power for some hours, and come back. */
async function weather(town: FastForward, { away, dcuSns, random, run, isOver }: Weather): Promise<void> {
  for (const [sn, until] of away) {
    if (run < until && !isOver) continue;
    await town.field('DELETE', `/fault?target=${sn}&kind=absent`);
    away.delete(sn);
  }
  if (isOver) return;
  for (const sn of dcuSns) {
    if (away.has(sn) || random.below(AWAY_ONE_IN) !== 0) continue;
    await town.field('POST', '/fault', { target: sn, kind: 'absent' });
    await town.field('POST', `/dcu/${sn}/disconnect`);
    away.set(sn, run + 1 + random.below(AWAY_RUNS));
  }
}
