import { randomBytes } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chainKeyOf } from '../../apps/server/src/platform/secrets.ts';
import { startEmbedded } from '../../apps/server/src/db/embedded/supervisor.ts';
import { migrate } from '../../apps/server/src/db/migrate.ts';
import { createPartitions } from '../../apps/server/src/db/partitions.ts';
import { openDb, openPool } from '../../apps/server/src/db/pool.ts';
import { commissioningFile } from '../../apps/server/src/db/seed/commissioning.ts';
import { importCommissioning } from '../../apps/server/src/db/seed/import-commissioning.ts';
import { seed } from '../../apps/server/src/db/seed/seed.ts';
import { loadSettings, saveSetting } from '../../apps/server/src/db/settings.ts';
import { fieldFeatures, periodicJobs } from '../../apps/server/src/features/every-feature.ts';
import { startField } from '../../apps/server/src/field/start-field.ts';
import { JobQueue } from '../../apps/server/src/jobs/job-queue.ts';
import { msFromNow } from '../../apps/server/src/platform/clock.ts';
import { createBus } from '../../apps/server/src/platform/bus.ts';
import type { Context } from '../../apps/server/src/db/context.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { SwitchLedger } from '../../apps/server/src/platform/switch-ledger.ts';
import { startTasks } from '../../apps/server/src/tasks/start-tasks.ts';

const SIMULATOR = resolve(import.meta.dirname, '../../apps/simulator/src/main.ts');
/** Response timeout: no simulated meter is slower. */
const REPLY_MS = 1_500;
/** Long enough that no heartbeat is missed when hours pass at once. */
const HEARTBEAT_S = 3600;
const LOOK_EVERY_MS = 250;

/** The database's clock: the search path resolves `now()` of every statement to this function first. */
export const CLOCK_OF_DATABASE = `
  create table public.clock_ahead (seconds float8 not null);
  insert into public.clock_ahead values (0);
  create function public.now() returns timestamptz language sql stable parallel safe
    as $$ select pg_catalog.now() + make_interval(secs => seconds) from public.clock_ahead $$;
  alter database postgres set search_path = public, pg_catalog`;

export interface FieldOptions {
  /** In the form of SIM_SCALE. */
  scale: string;
  worldSeed: number;
  /** Of the utility and of all its clocks. */
  timeZone: string;
  /** Start of its time, epoch milliseconds; default: now. */
  beginsAt?: number;
}

/** The head-end, its database and the field, with a common adjustable clock. */
export class FastForward {
  readonly folder = mkdtempSync(join(tmpdir(), 'hes-days-'));
  #aheadMs = 0;
  readonly clock = { now: () => Date.now() + this.#aheadMs, monotonic: () => msFromNow(this.#aheadMs) };
  #simulator: ChildProcess | undefined;
  #controlPort = 0;
  readonly #controlSecret = randomBytes(32).toString('base64url');
  readonly #stops: (() => Promise<unknown>)[] = [];
  ctx: Context | undefined;

  async start({ scale, worldSeed, timeZone, beginsAt = Date.now() }: FieldOptions): Promise<Context> {
    chmodSync(this.folder, 0o755);
    this.#aheadMs = beginsAt - Date.now();
    const log = createLog('error');
    const database = await startEmbedded(this.folder, log);
    this.#stops.push(() => database.stop());
    const connection = database.owner;
    const setup = openPool({ connection, max: 1 }, log);
    await setup.query(CLOCK_OF_DATABASE);
    await setup.query('update public.clock_ahead set seconds = $1', [this.#aheadMs / 1000]);
    await setup.end();
    const pool = openPool({ connection }, log);
    this.#stops.push(() => pool.end());
    await migrate(pool);
    await createPartitions(pool, this.clock.now());
    const secrets = createSecrets(randomBytes(32));
    const db = openDb(pool, chainKeyOf(secrets));
    await seed(db, { adminPassword: 'Fast-Meadow-7' });
    // Modules that depend on days read the zone at their start.
    await saveSetting(db, 'timeZone', timeZone);
    const settings = await loadSettings(db);
    const ctx: Context = { db, pool, clock: this.clock, log, settings, bus: createBus(), jobs: new JobQueue({ pool, log }), secrets };
    this.ctx = ctx;
    const field = await startField(ctx, {
      features: fieldFeatures({ switches: new SwitchLedger(undefined, Date.now()) }),
      dlmsPort: 0,
      host: '127.0.0.1',
      dialRules: { mayReachLocal: true, ownPorts: [], networks: [] },
      timeoutLimits: { longestMs: REPLY_MS },
    });
    this.#stops.push(() => field.stop());
    await this.#startSimulator({ scale, worldSeed, timeZone }, field.port);
    const file = commissioningFile.parse(await this.field('GET', '/world'));
    await importCommissioning(ctx, file);
    await pool.query('update collect_plan set enabled = false');
    const tasks = await startTasks(ctx, field, periodicJobs);
    this.#stops.push(() => tasks.stop());
    return ctx;
  }

  async #startSimulator({ scale, worldSeed, timeZone }: FieldOptions, headEndPort: number): Promise<void> {
    const child = spawn(process.execPath, [SIMULATOR], {
      env: {
        PATH: process.env['PATH'],
        SIM_SEED: String(worldSeed),
        SIM_SCALE: scale,
        SIM_CHANNEL: 'fast',
        SIM_CONTROL_SECRET: this.#controlSecret,
        SIM_HES_PORT: String(headEndPort),
        SIM_HEARTBEAT_S: String(HEARTBEAT_S),
        SIM_TIME_ZONE: timeZone,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#simulator = child;
    const [line] = (await once(child.stdout, 'data')) as [Buffer]; // as: the stream has no encoding
    this.#controlPort = (JSON.parse(line.toString()) as { controlPort: number }).controlPort; // as: its own line
    await this.field('POST', '/clock', { aheadMs: this.#aheadMs });
  }

  async field(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${this.#controlPort}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#controlSecret}` },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    return answer.json();
  }

  /** Moves all clocks, as simultaneously as possible. */
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

/** Waits until a statement returns no rows. A busy database is queried again. */
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

/** Waits until no item is being read or due at a connected DCU. */
export const untilIdle = (ctx: Context): Promise<void> =>
  untilNone(
    ctx,
    `select from task_item i join dcu d on d.id = i.dcu_id
     where i.state = 'reading' or i.state = 'waiting' and i.not_before <= now() and d.online_status = 'online' limit 1`,
  );

export const untilOnline = (ctx: Context): Promise<void> => untilNone(ctx, "select from dcu where online_status <> 'online' limit 1");
