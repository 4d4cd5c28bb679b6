import { randomUUID } from 'node:crypto';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
  openSync,
  closeSync,
} from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import type { Pool } from 'pg';
import { commissioningFile } from '../../apps/server/src/db/seed/commissioning.ts';
import { importCommissioning } from '../../apps/server/src/db/seed/import-commissioning.ts';
import { OWNER_ROLE } from '../../apps/server/src/db/embedded/cluster.ts';
import { databaseKey } from '../../apps/server/src/db/embedded/database-key.ts';
import { openDb, openPool } from '../../apps/server/src/db/pool.ts';
import { BUILT_IN_LIMITS, insertLimits } from '../../apps/server/src/db/relay-limits.ts';
import { saveSetting } from '../../apps/server/src/db/settings.ts';
import { createAccessTokens } from '../../apps/server/src/platform/access-token.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { masterKey } from '../../apps/server/src/platform/data-folder.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { encodeGreeting } from '../../apps/simulator/src/devices/greeting.ts';
import { hashPassword } from '../../apps/server/src/platform/passwords.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';

const SERVER = resolve(import.meta.dirname, '../../apps/server/src/main.ts');
const SIMULATOR = resolve(import.meta.dirname, '../../apps/simulator/src/main.ts');
const READY_WITHIN_MS = 180_000;
const PASSWORD = 'Chaos-Meadow-7';
/** Access tokens live a quarter of an hour. */
const TOKEN_MS = 10 * 60_000;
/** So many supplies may one person switch in an hour. */
const ALONE = 10;
/** Files and sockets that the server may have open: enough for its work, and not for a crowd. */
const DESCRIPTORS = 256;
/** A disk that is full within a moment. */
const SMALL_DISK = '512m';
const FILLER = Buffer.alloc(4 * 1_048_576);
const DISK_FULL = '53100';
const READ_EVERY_MS = 250;
/** Room for as many commands as a long run gives; how limits hold is proved elsewhere. */
const WIDE_LIMITS = { ...BUILT_IN_LIMITS, maxMetersPerHour: 10_000, maxKwPerHour: 300_000, maxMetersPerDay: 100_000, aloneUpTo: ALONE };

export interface ProductOptions {
  seed: number;
  /** As SIM_SCALE says it. */
  scale: string;
  /** Keep folders of the run instead of removing them. */
  keep: boolean;
  /** Its tables lie on a disk of their own, which can be filled. */
  onSmallDisk?: boolean;
}

interface Operator {
  userId: string;
  sessionId: string;
  orders: number;
  token: string;
  issuedAt: number;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on TCP
  server.close();
  await once(server, 'close');
  return port;
}

/** The line a process prints when it is ready; fails when it ends before. */
function readyLine(child: ChildProcess, logFile: string, pattern: RegExp): Promise<string> {
  let output = '';
  return new Promise((done, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not ready in time; see ${logFile}`)), READY_WITHIN_MS);
    const take = (text: string): void => {
      appendFileSync(logFile, text);
      output = (output + text).slice(-20_000);
      const line = output.split('\n').find((candidate) => pattern.test(candidate));
      if (line === undefined) return;
      clearTimeout(timer);
      done(line);
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`It ended with ${code ?? signal}; see ${logFile}`));
    });
  });
}

const mount = (folder: string): boolean => spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', folder]).status === 0;
const unmount = (folder: string): void => void spawnSync('umount', [folder]);

/** Whether this machine lets us have a small disk. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'hes-mount-'));
  const can = mount(folder);
  if (can) unmount(folder);
  rmSync(folder, { recursive: true });
  return can;
}

/** The product as it is delivered, in processes of its own, over scratch folders, with a field that bears witness. */
export class Product {
  readonly folder = mkdtempSync(join(tmpdir(), 'hes-chaos-'));
  readonly witnessFile = join(this.folder, 'witness.jsonl');
  readonly logFile = join(this.folder, 'product.log');
  readonly options: ProductOptions;
  #ports = { http: 0, dlms: 0, control: 0 };
  #server: ChildProcess | undefined;
  #simulator: ChildProcess | undefined;
  #pool: Pool | undefined;
  #operator: Operator | undefined;

  constructor(options: ProductOptions) {
    this.options = options;
    // The database runs as somebody else.
    chmodSync(this.folder, 0o755);
  }

  get #dataDir(): string {
    return join(this.folder, 'data');
  }

  get pool(): Pool {
    if (this.#pool === undefined) throw new Error('The product does not run');
    return this.#pool;
  }

  async start(): Promise<void> {
    this.#ports = { http: await freePort(), dlms: await freePort(), control: await freePort() };
    await Promise.all([this.#startServer(), this.#startSimulator()]);
    const [, socketDir] = this.#postmaster();
    const owner = { user: OWNER_ROLE, password: databaseKey(this.#dataDir).passwordOf(OWNER_ROLE) };
    const pool = openPool({ connection: { socketDir, database: 'postgres', ...owner }, max: 3 }, createLog('silent'));
    this.#pool = pool;
    const db = openDb(pool);
    const secrets = createSecrets(masterKey(this.#dataDir, undefined));
    const file = commissioningFile.parse(await this.field('GET', '/world'));
    await importCommissioning({ db, secrets, clock: systemClock }, file);
    await saveSetting(db, 'timeZone', file.timeZone);
    await insertLimits(db, secrets, WIDE_LIMITS, { changedBy: null });
    if (this.options.onSmallDisk === true) await this.#moveToSmallDisk(pool);
    // Its zone is read at a start.
    await this.killServer();
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
        HES_ADMIN_PASSWORD: PASSWORD,
        HES_LOG_LEVEL: 'warn',
        HES_LIFELINE_FD: '3',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#server = child;
    await readyLine(child, this.logFile, /Ready: /);
  }

  async #startSimulator(): Promise<void> {
    const { dlms, control } = this.#ports;
    const child = spawn(process.execPath, [SIMULATOR], {
      env: {
        PATH: process.env['PATH'],
        SIM_SEED: String(this.options.seed),
        SIM_SCALE: this.options.scale,
        SIM_CHANNEL: 'fast',
        SIM_HES_HOST: '127.0.0.1',
        SIM_HES_PORT: String(dlms),
        SIM_CONTROL_PORT: String(control),
        // As often as a type of DCU may say it: who is gone without a word is found out the sooner.
        SIM_HEARTBEAT_S: '30',
        SIM_WITNESS: this.witnessFile,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#simulator = child;
    await readyLine(child, this.logFile, /"ready":true/);
  }

  /** Number of the database's first process, and the folder of its socket. */
  #postmaster(): [pid: number, socketDir: string] {
    const pointer = join(this.#dataDir, 'pg-location');
    const place = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : join(this.#dataDir, 'pg');
    const lines = readFileSync(join(place, 'cluster', 'postmaster.pid'), 'utf8').split('\n');
    return [Number(lines[0]), lines[4] ?? ''];
  }

  /** kill -9 in whatever it is doing, then a start as after any crash. */
  async killServer(): Promise<void> {
    const child = this.#server;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await this.#startServer();
  }

  /** The database's first process is killed under the server, which must bring it back. */
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
    if (!mount(this.#smallDisk)) throw new Error('A disk of its own needs the right to mount one');
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

  /** For a while nothing can be added to any table. What is there must be answered all the same. */
  async fillDisk(ms: number): Promise<void> {
    const filler = join(this.#smallDisk, 'filler');
    const file = openSync(filler, 'w');
    try {
      // The last piece is written in part, and then nothing of the next.
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

  /** More callers than the server has room for; it must still be there when they have gone. */
  async crowd(ms: number): Promise<void> {
    const sockets = Array.from({ length: 2 * DESCRIPTORS }, (_, index) =>
      connect(index % 2 === 0 ? this.#ports.http : this.#ports.dlms, '127.0.0.1').on('error', () => undefined),
    );
    await wait(ms);
    for (const socket of sockets) socket.destroy();
  }

  /** A DCU that is in no archive says hello, and must be found among those nobody knows. */
  async callAs(sn: string): Promise<void> {
    const socket = connect(this.#ports.dlms, '127.0.0.1').on('error', () => undefined);
    socket.write(encodeWrapper({ source: 1, destination: 1 }, encodeGreeting('hello', sn, new Uint8Array(8), 0)));
    for (let tries = 0; ; tries++, await wait(100)) {
      const parked = await this.pool.query('select from dcu_unregistered where claimed_name = $1', [sn]);
      if (parked.rowCount === 1) break;
      if (tries === 300) throw new Error(`${sn} called, and nobody wrote it down`);
    }
    socket.destroy();
  }

  /** Returns when the database answers. */
  async untilStored(): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      const answers = await this.pool.query('select 1').then(
        () => true,
        () => false,
      );
      if (answers) return;
      await wait(100);
    }
    throw new Error('The database did not come back in a minute');
  }

  /** The simulator's control door. */
  async field(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${this.#ports.control}${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** A person who may still switch supplies alone. Signed in without the cost of a sign-in. */
  async #person(orders: number): Promise<Operator> {
    let person = this.#operator;
    if (person === undefined || person.orders + orders > ALONE) {
      const username = `u${randomUUID().slice(0, 12)}`;
      const sessionId = randomUUID();
      const made = await this.pool.query<{ id: string }>(
        'insert into app_user (username, name, password_hash) values ($1, $1, $2) returning id',
        [username, await hashPassword(randomUUID())],
      );
      const userId = made.rows[0]?.id ?? '';
      await this.pool.query(
        "insert into user_role (user_id, role_id, granted_at) select $1, id, '2000-01-01' from role where code = 'ADMIN'",
        [userId],
      );
      await this.pool.query(
        `insert into user_session (id, user_id, refresh_hash, expires_at, proved_at)
         values ($1, $2, decode(repeat('00', 32), 'hex'), now() + interval '7 days', now() + interval '7 days')`,
        [sessionId, userId],
      );
      person = { userId, sessionId, orders: 0, token: '', issuedAt: 0 };
      this.#operator = person;
    }
    if (Date.now() - person.issuedAt > TOKEN_MS) {
      const tokens = createAccessTokens(createSecrets(masterKey(this.#dataDir, undefined)), systemClock);
      Object.assign(person, { token: await tokens.issue(person.sessionId), issuedAt: Date.now() });
    }
    person.orders += orders;
    return person;
  }

  /** A call of the API as a person makes it. Undefined: nobody answered, and what became of the call is not known. */
  async call(method: 'GET' | 'POST', path: string, body?: object, switches = 0): Promise<{ status: number; body: unknown } | undefined> {
    try {
      const { token } = await this.#person(switches);
      const answer = await fetch(`http://127.0.0.1:${this.#ports.http}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(20_000),
      });
      return { status: answer.status, body: await answer.json().catch(() => undefined) };
    } catch {
      return undefined;
    }
  }

  async stop(): Promise<void> {
    await this.#pool?.end();
    for (const child of [this.#server, this.#simulator]) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
  }

  /** What the field has seen, whole only when the simulator has ended. */
  remove(): void {
    if (this.options.onSmallDisk === true) unmount(this.#smallDisk);
    if (!this.options.keep) rmSync(this.folder, { recursive: true, force: true });
  }
}
