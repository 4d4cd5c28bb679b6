import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
  writeFileSync,
  openSync,
  closeSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { startEmbedded } from '../../apps/server/src/db/embedded/supervisor.ts';
import { commissioningFile } from '../../apps/server/src/db/seed/commissioning.ts';
import { OWNER_ROLE } from '../../apps/server/src/db/embedded/cluster.ts';
import { databaseKey } from '../../apps/server/src/db/embedded/database-key.ts';
import { openPool } from '../../apps/server/src/db/pool.ts';
import { openDataFolder, readMasterKey } from '../../apps/server/src/platform/data-folder.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { commissionFleet } from './commission.ts';
import { DatabaseProxy, type ProxyMode } from './database-proxy.ts';
import { Deadline } from './deadline.ts';
import { CLOCK_OF_DATABASE } from './fast-forward.ts';
import { SimulatedField, type FieldTally } from './field.ts';
import { Operators, type Answer } from './operators.ts';
import { endProcess, freePort, readyLine } from './processes.ts';
import type { Subject, SubjectOptions } from './subject.ts';

const SERVER = resolve(import.meta.dirname, '../../apps/server/src/main.ts');
const SERVER_CLOCK = resolve(import.meta.dirname, 'server-clock.mjs');
const PASSWORD = 'Chaos-Meadow-7';
/** Limit of open files and sockets of the server: enough for its work, but not for a crowd of callers. */
const DESCRIPTORS = 256;
/** A disk that is full within a moment. */
const SMALL_DISK = '512m';
const FILLER = Buffer.alloc(4 * 1_048_576);
const DISK_FULL = '53100';
const READ_EVERY_MS = 250;
/** A shorter response timeout, matching the faster line. */
export const SHORTEST_RESPONSE_MS = 1_000;
export const LONGEST_RESPONSE_MS = 8_000;
/** Time limit for retrying a query while the database is being killed. */
const ASK_WITHIN_MS = 90_000;
const ASK_EVERY_MS = 200;

export interface ProductOptions extends SubjectOptions {
  /** Places its tables on a separate disk that can be filled. */
  onSmallDisk?: boolean;
  /** Settings of the server beside those that it always gets. */
  settings?: Readonly<Record<string, string>>;
}

const mount = (folder: string): boolean => spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', folder]).status === 0;
const unmount = (folder: string): void => void spawnSync('umount', [folder]);

/** Whether this machine permits mounting a small disk. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'hes-mount-'));
  const can = mount(folder);
  if (can) unmount(folder);
  rmSync(folder, { recursive: true });
  return can;
}

/** The product with default settings in separate processes, over scratch folders, with a field that writes the oracle log. */
export class Product implements Subject {
  readonly folder = mkdtempSync(join(tmpdir(), 'hes-chaos-'));
  readonly oracleFile = join(this.folder, 'oracle.jsonl');
  readonly logFile = join(this.folder, 'product.log');
  readonly options: ProductOptions;
  #ports = { http: 0, dlms: 0 };
  readonly #field: SimulatedField;
  readonly #operators: Operators;
  #server: ChildProcess | undefined;
  #pool: Pool | undefined;
  #aheadMs = 0;
  /** Offset of the clocks of server and database from those of the field. */
  #offByMs = 0;

  constructor(options: ProductOptions) {
    this.options = options;
    // The database runs as another user.
    chmodSync(this.folder, 0o755);
    const { seed, scale, direct } = options;
    this.#field = new SimulatedField({ seed, scale, direct, oracleFile: this.oracleFile, logFile: this.logFile });
    this.#operators = new Operators({
      pool: () => this.pool,
      masterKey: () => readMasterKey(this.#dataDir),
      now: () => this.now() + this.#offByMs,
      httpPort: () => this.#ports.http,
    });
  }

  get dlmsPort(): number {
    return this.#ports.dlms;
  }

  /** Data folder of the server, with its built-in database. */
  get dataDir(): string {
    return this.#dataDir;
  }

  get #dataDir(): string {
    return join(this.folder, 'data');
  }

  get #clockFile(): string {
    return join(this.folder, 'clock-ahead');
  }

  /** Time of the product and of the field, which may be ahead of real time. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  get pool(): Pool {
    if (this.#pool === undefined) throw new Error('The product is not running');
    return this.#pool;
  }

  async start(foreign?: { sn: string; port: number }): Promise<void> {
    this.#ports = { http: await freePort(), dlms: await freePort() };
    writeFileSync(this.#clockFile, '0');
    await this.#prepareDatabase();
    await Promise.all([this.#startServer(), this.#field.start(this.#ports.dlms)]);
    if (foreign !== undefined) await this.field('POST', `/foreign/${foreign.sn}`, { port: foreign.port });
    const [, socketDir] = this.#postmaster();
    const owner = { user: OWNER_ROLE, password: databaseKey(this.#dataDir).passwordOf(OWNER_ROLE) };
    const pool = openPool({ connection: { socketDir, database: 'postgres', ...owner }, max: 3 }, createLog('silent'));
    this.#pool = pool;
    const file = commissioningFile.parse(await this.field('GET', '/world'));
    this.options.commission?.(file);
    await commissionFleet(pool, createSecrets(readMasterKey(this.#dataDir)), file);
    if (this.options.onSmallDisk === true) await this.#moveToSmallDisk(pool);
    // The server reads its time zone at the start.
    await this.killServer();
  }

  /** The clock of the database must exist before the columns that use it as default. */
  async #prepareDatabase(): Promise<void> {
    openDataFolder(this.#dataDir);
    const log = createLog('silent');
    const database = await startEmbedded(this.#dataDir, log);
    const pool = openPool({ connection: database.owner, max: 1 }, log);
    await pool.query(CLOCK_OF_DATABASE);
    await pool.end();
    await database.stop();
  }

  /** Runs a query and retries it while the database is unavailable. */
  async rows<Row extends object>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    for (const until = performance.now() + ASK_WITHIN_MS; ; await wait(ASK_EVERY_MS)) {
      try {
        return (await this.pool.query<Row>(statement, [...values])).rows;
      } catch (error) {
        if (performance.now() > until) throw error;
      }
    }
  }

  /** Sets the clocks of server and database; those of the field stay. */
  async setServerAhead(ms: number): Promise<void> {
    this.#offByMs = ms;
    const aheadMs = this.#aheadMs + ms;
    writeFileSync(this.#clockFile, String(aheadMs));
    await this.rows('update public.clock_ahead set seconds = $1', [aheadMs / 1000]);
  }

  /** Moves all clocks forward. */
  async pass(ms: number): Promise<void> {
    this.#aheadMs += ms;
    await this.field('POST', '/clock', { aheadMs: this.#aheadMs });
    await this.setServerAhead(0);
  }

  async #startServer(): Promise<void> {
    const { http, dlms } = this.#ports;
    const child = spawn('/bin/sh', ['-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$1"`, process.execPath, SERVER], {
      env: {
        PATH: process.env['PATH'],
        HES_PORT: String(http),
        HES_DLMS_PORT: String(dlms),
        HES_DATA_DIR: this.#dataDir,
        HES_DEMO: 'off',
        HES_DIAL_LOCAL: 'on',
        HES_ADMIN_PASSWORD: PASSWORD,
        HES_LOG_LEVEL: 'warn',
        HES_LIFELINE_FD: '3',
        HES_SHORTEST_RESPONSE_MS: String(SHORTEST_RESPONSE_MS),
        HES_LONGEST_RESPONSE_MS: String(LONGEST_RESPONSE_MS),
        HES_CLOCK_AHEAD_FILE: this.#clockFile,
        NODE_OPTIONS: `--import=${SERVER_CLOCK}`,
        ...this.options.settings,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#server = child;
    await readyLine(child, this.logFile, /Ready: /);
  }

  /** Process id of the postmaster, and the folder of its socket. */
  #postmaster(): [pid: number, socketDir: string] {
    const pointer = join(this.#dataDir, 'pg-location');
    const place = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : join(this.#dataDir, 'pg');
    const lines = readFileSync(join(place, 'cluster', 'postmaster.pid'), 'utf8').split('\n');
    return [Number(lines[0]), lines[4] ?? ''];
  }

  /** Kills the server with SIGKILL at an arbitrary moment and starts it as after any crash. */
  async killServer(): Promise<void> {
    const child = this.#server;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await this.#startServer();
  }

  /** A time limit for the server and the simulated field. */
  deadline(limitMs: number): Deadline {
    return new Deadline(
      limitMs,
      [this.#server?.pid, this.#field.pid].flatMap((pid) => pid ?? []),
    );
  }

  /** Suspends the server process, as on an overloaded or suspended machine. */
  async stallServer(ms: number): Promise<void> {
    const pid = this.#server?.pid;
    if (pid === undefined) throw new Error('The server is not running');
    process.kill(pid, 'SIGSTOP');
    await wait(ms);
    process.kill(pid, 'SIGCONT');
  }

  /** Locks the tables that the product writes, and again after a restart of the database. Returns the number of statements that waited. */
  async holdLocks(ms: number): Promise<number> {
    for (const until = performance.now() + ASK_WITHIN_MS; ; await wait(ASK_EVERY_MS)) {
      try {
        return await this.#holdLocksOnce(ms);
      } catch (error) {
        if (performance.now() > until) throw error;
      }
    }
  }

  async #holdLocksOnce(ms: number): Promise<number> {
    const client = await this.pool.connect();
    let waiting = 0;
    try {
      await client.query('begin');
      await client.query('lock table task_item, reading_profile, reading_daily in exclusive mode');
      for (const until = performance.now() + ms; performance.now() < until; await wait(READ_EVERY_MS)) {
        const found = await client.query<{ waiting: number }>(
          "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock'",
        );
        waiting = Math.max(waiting, found.rows[0]?.waiting ?? 0);
      }
      await client.query('rollback');
    } finally {
      client.release();
    }
    return waiting;
  }

  /** Terminates the product's connections in the database. Returns their number. */
  async endConnections(): Promise<number> {
    const ended = await this.rows<{ ended: number }>(
      `select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity where application_name = 'hes' and pid <> pg_backend_pid()`,
    );
    return ended[0]?.ended ?? 0;
  }

  /** Routes the product's database connections through a proxy for a while. Returns the number of effects. */
  async throughProxy(mode: ProxyMode, ms: number, delayMs = 0): Promise<number> {
    const [, socketDir] = this.#postmaster();
    const proxy = new DatabaseProxy(socketDir, mode, delayMs);
    await proxy.open();
    try {
      await this.endConnections();
      await wait(ms);
    } finally {
      await proxy.close();
    }
    return proxy.strikes;
  }

  /** Kills the postmaster while the server runs, which must restart it. */
  async killDatabase(signal: NodeJS.Signals): Promise<void> {
    const [pid] = this.#postmaster();
    process.kill(pid, signal);
    await this.untilStored();
  }

  get #smallDisk(): string {
    return join(this.folder, 'small');
  }

  async #moveToSmallDisk(pool: Pool): Promise<void> {
    mkdirSync(this.#smallDisk);
    if (!mount(this.#smallDisk)) throw new Error('A separate disk needs the permission to mount one');
    const { rows } = await pool.query<{ cluster: string }>("select current_setting('data_directory') as cluster");
    const { uid, gid } = statSync(rows[0]?.cluster ?? '');
    chownSync(this.#smallDisk, uid, gid);
    await pool.query(`create tablespace small location '${this.#smallDisk}'`);
    const tables = await pool.query<{ name: string }>(
      "select format('%I', relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')",
    );
    for (const { name } of tables.rows) await pool.query(`alter table ${name} set tablespace small`);
    await pool.query("alter role hes set default_tablespace = 'small'");
    await pool.query('create table filled (text text) tablespace small');
  }

  /** Fills the disk for a while, so that no table can grow. Reads must still succeed. */
  async fillDisk(ms: number): Promise<void> {
    const filler = join(this.#smallDisk, 'filler');
    const file = openSync(filler, 'w');
    try {
      // The last piece is written partially, the next one fails.
      for (;;) writeSync(file, FILLER);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error; // as: Node puts a code on its errors
    } finally {
      closeSync(file);
    }
    const code = await this.pool.query("insert into filled select repeat('x', 1000) from generate_series(1, 100)").then(
      () => 'none',
      (error: { code?: string }) => error.code,
    );
    if (code !== DISK_FULL) throw new Error(`The disk is full, and the database says ${code}`);
    for (const until = performance.now() + ms; performance.now() < until; await wait(READ_EVERY_MS)) {
      const answer = await this.call('GET', '/asset/meter?size=20');
      if (answer?.status !== 200) throw new Error(`The disk is full, and meters cannot be listed any more: ${answer?.status}`);
    }
    rmSync(filler);
    await this.untilStored();
  }

  /** Opens more connections than the server accepts; it must survive them. Returns the number of rejected ones. */
  async crowd(ms: number): Promise<number> {
    let refused = 0;
    const sockets = Array.from({ length: 2 * DESCRIPTORS }, (_, index) =>
      connect(index % 2 === 0 ? this.#ports.http : this.#ports.dlms, '127.0.0.1')
        .on('error', () => undefined)
        .on('close', () => refused++),
    );
    await wait(ms);
    const before = refused;
    for (const socket of sockets) socket.destroy();
    return before;
  }

  /** Resolves when the database responds. */
  async untilStored(): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      const answers = await this.pool.query('select 1').then(
        () => true,
        () => false,
      );
      if (answers) return;
      await wait(100);
    }
    throw new Error('The database did not recover within a minute');
  }

  field(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
    return this.#field.request(method, path, body);
  }

  tally(): Promise<FieldTally> {
    return this.#field.tally();
  }

  call(method: 'GET' | 'POST' | 'PUT', path: string, body?: object, switches = 0): Promise<Answer> {
    return this.#operators.call(method, path, body, switches);
  }

  async stop(): Promise<void> {
    await this.#pool?.end();
    await endProcess(this.#server);
    await this.#field.stop();
  }

  /** Removes the folders. The oracle log is complete only after the end of the simulator. */
  remove(): void {
    if (this.options.onSmallDisk === true) unmount(this.#smallDisk);
    if (!this.options.keep) rmSync(this.folder, { recursive: true, force: true });
  }
}
