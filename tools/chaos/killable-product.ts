import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase } from '../../apps/server/src/composition/database.ts';
import { handleKeys } from '../../apps/server/src/db/handle-keys.ts';
import { connectionOf, urlOf } from '../../apps/server/src/db/pool.ts';
import { commissioningFile } from '../../apps/server/src/db/seed/commissioning.ts';
import { importCommissioning } from '../../apps/server/src/db/seed/import-commissioning.ts';
import { seed } from '../../apps/server/src/db/seed/seed.ts';
import { loadSettings } from '../../apps/server/src/db/settings.ts';
import { JobQueue } from '../../apps/server/src/jobs/job-queue.ts';
import { createBus } from '../../apps/server/src/platform/bus.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import type { Context } from '../../apps/server/src/db/context.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { chainKeyOf, createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { freePorts } from '../../e2e/support/free-ports.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const READY_WITHIN_MS = 120_000;

interface KillableProductOptions {
  scale: string;
  channel: 'realistic' | 'fast';
  /** Settings of the server beside those that it always gets. */
  settings?: Readonly<Record<string, string>>;
}

/** A head-end, its database and a fleet in processes that can be killed independently. */
export interface KillableProduct {
  ctx: Context;
  startServer(): void;
  /** Kills the server with SIGKILL and releases its leases immediately, as their expiry would do after a minute. */
  killServer(): Promise<void>;
  /** Kills the database with SIGKILL; it restarts automatically. */
  killDatabase(): Promise<void>;
  disconnect(dcuSn: string): Promise<void>;
  /** Calls the control API of the simulator. */
  ask<T>(path: string): Promise<T>;
  tell(path: string, body: object): Promise<void>;
  serverPid(): number | undefined;
  stop(): Promise<void>;
}

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((done) => child.once('exit', () => done()));

/** The first line of the simulator's output contains the port of its control API. */
const controlPortOf = (stdout: Readable): Promise<number> =>
  new Promise((done, fail) => {
    stdout.once('data', (line: Buffer) => done((JSON.parse(line.toString()) as { controlPort: number }).controlPort)); // as: its own line
    stdout.once('end', () => fail(new Error('The simulator failed to start')));
  });

function postmasterOf(dataDir: string): number {
  const pointer = join(dataDir, 'pg-location');
  const place = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : join(dataDir, 'pg');
  return Number(readFileSync(join(place, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Starts database and fleet, and commissions the fleet; the caller starts the server. */
export async function startKillableProduct({ scale, channel, settings = {} }: KillableProductOptions): Promise<KillableProduct> {
  const folder = mkdtempSync(join(tmpdir(), 'hes-upgrade-'));
  chmodSync(folder, 0o755);
  const [port, dlmsPort] = await freePorts();
  const log = createLog('silent');
  const masterKey = randomBytes(32);
  const database = await openDatabase(
    { databaseUrl: undefined, databaseOwnerUrl: undefined, dataDir: folder },
    { log, clock: systemClock, keys: handleKeys(chainKeyOf(createSecrets(masterKey)), folder) },
  );
  await seed(database.db, { adminPassword: 'Town-2026-proof' });
  const ctx: Context = {
    db: database.db,
    pool: database.pool,
    clock: systemClock,
    log,
    settings: await loadSettings(database.db),
    bus: createBus(),
    jobs: new JobQueue({ pool: database.pool, log }),
    secrets: createSecrets(masterKey),
  };
  const controlSecret = randomBytes(32).toString('base64url');
  const headers = { authorization: `Bearer ${controlSecret}` };
  const fleet = spawn(process.execPath, [join(ROOT, 'apps/simulator/src/main.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SIM_SCALE: scale,
      SIM_CHANNEL: channel,
      SIM_HES_PORT: String(dlmsPort),
      SIM_CONTROL_PORT: '0',
      SIM_CONTROL_SECRET: controlSecret,
      SIM_DIALLED_PORT: '0',
    },
  });
  const controlUrl = `http://127.0.0.1:${await controlPortOf(fleet.stdout)}`;
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${controlUrl}/${path}`, { headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T; // as: the caller knows the type of the response
  };
  const tell = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`${controlUrl}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  await importCommissioning(ctx, commissioningFile.parse(await ask('world')));
  // The proof concerns the upgrade: collection starts only on request.
  await ctx.pool.query('update collect_plan set enabled = false');

  const url = urlOf(connectionOf(database.pool));
  // The server brings the schema up to date at each start, which needs the role that owns it.
  let ownerUrl = '';
  await database.asOwner((owner) => Promise.resolve(void (ownerUrl = urlOf(connectionOf(owner)))));
  let server: ChildProcess | undefined;
  let isStopping = false;
  const startServer = (): void => {
    const started = spawn(process.execPath, [join(ROOT, 'apps/server/src/main.ts')], {
      // The pipe closes with this process, however it ends, which ends the server.
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
      env: {
        ...process.env,
        HES_LIFELINE_FD: '3',
        HES_PORT: String(port),
        HES_DLMS_PORT: String(dlmsPort),
        HES_DATA_DIR: join(folder, 'server'),
        HES_DEMO: 'off',
        HES_DIAL_LOCAL: 'on',
        HES_LOG_LEVEL: process.env['HES_LOG_LEVEL'] ?? 'silent',
        HES_MASTER_KEY: masterKey.toString('hex'),
        DATABASE_URL: url,
        HES_DATABASE_OWNER_URL: ownerUrl,
        // The judge reads the frames of any dialogue.
        HES_TRACE_SHARE: '100',
        ...settings,
      },
    });
    server = started;
    // Restarts the server as an init system does: it ended because the database was killed during its start.
    started.once('exit', (code) => {
      if (code !== null && !isStopping && server === started) startServer();
    });
  };
  return {
    ctx,
    ask,
    tell,
    startServer,
    serverPid: () => server?.pid,
    async killServer() {
      server?.kill('SIGKILL');
      if (server !== undefined) await ended(server);
      await retryWhileDown(() => ctx.pool.query("update task_item set lease_until = now() where state = 'reading'"));
    },
    async killDatabase() {
      process.kill(await retryWhileDown(async () => postmasterOf(folder)), 'SIGKILL');
    },
    disconnect: (dcuSn) => tell(`dcu/${encodeURIComponent(dcuSn)}/disconnect`, {}),
    async stop() {
      isStopping = true;
      server?.kill('SIGTERM');
      fleet.stdin.end();
      await Promise.all([...(server === undefined ? [] : [ended(server)]), ended(fleet)]);
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Retries while the database is restarting. */
export async function retryWhileDown<T>(ask: () => Promise<T>): Promise<T> {
  const until = Date.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > until) throw error;
      await wait(100);
    }
  }
}
