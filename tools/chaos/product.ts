import { randomBytes, randomInt, randomUUID } from 'node:crypto';
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
  writeFileSync,
  openSync,
  closeSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import type { Pool } from 'pg';
import { startEmbedded } from '../../apps/server/src/db/embedded/supervisor.ts';
import { commissioningFile, type CommissioningFile } from '../../apps/server/src/db/seed/commissioning.ts';
import { importCommissioning } from '../../apps/server/src/db/seed/import-commissioning.ts';
import { OWNER_ROLE } from '../../apps/server/src/db/embedded/cluster.ts';
import { databaseKey } from '../../apps/server/src/db/embedded/database-key.ts';
import { handleKeys } from '../../apps/server/src/db/handle-keys.ts';
import { openDb, openPool } from '../../apps/server/src/db/pool.ts';
import { sealEverything } from '../../apps/server/src/db/right-seals.ts';
import { BUILT_IN_LIMITS, insertLimits } from '../../apps/server/src/features/relay/limit-queries.ts';
import { saveSetting } from '../../apps/server/src/db/settings.ts';
import { createAccessTokens } from '../../apps/server/src/platform/access-token.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { openDataFolder, readMasterKey } from '../../apps/server/src/platform/data-folder.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { encodeIdentification } from '../../apps/simulator/src/devices/identification.ts';
import { hashPassword } from '../../apps/server/src/platform/passwords.ts';
import { chainKeyOf, createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { Deadline } from './deadline.ts';
import { hdlcAmong } from './direct.ts';
import { DatabaseProxy, type ProxyMode } from './database-proxy.ts';
import { CLOCK_OF_DATABASE } from './fast-forward.ts';

const SERVER = resolve(import.meta.dirname, '../../apps/server/src/main.ts');
const SIMULATOR = resolve(import.meta.dirname, '../../apps/simulator/src/main.ts');
const SERVER_CLOCK = resolve(import.meta.dirname, 'server-clock.mjs');
const READY_WITHIN_MS = 180_000;
const PASSWORD = 'Chaos-Meadow-7';
/** Access tokens expire after 15 minutes. */
const TOKEN_MS = 10 * 60_000;
/** Number of supplies that one user may switch per hour without approval. */
const ALONE = 10;
/** Limit of open files and sockets of the server: enough for its work, but not for a crowd of callers. */
const DESCRIPTORS = 256;
/** A disk that is full within a moment. */
const SMALL_DISK = '512m';
const HELLO_EVERY_MS = 500;
const HEARD_WITHIN_MS = 10_000;
const FILLER = Buffer.alloc(4 * 1_048_576);
const DISK_FULL = '53100';
const READ_EVERY_MS = 250;
export const UNAUTHORIZED = 401;
const TOO_MANY = 429;
const BUSY_TRIES = 10;
const BUSY_WAIT_MS = 1_000;
/** Speed-up of a power line: transfers in blocks take noticeable time, yet a campaign ends. */
const LINE_SPEED = 40;
/** Octets of an APDU of most DCUs and of every fourth one: no profile fits into one. */
const APDU_SIZE = 1024;
const SMALL_APDU_SIZE = 256;
const SMALL_ONE_IN = 4;
/** A shorter response timeout, matching the faster line. */
const SHORTEST_RESPONSE_MS = 1_000;
const LONGEST_RESPONSE_MS = 8_000;
/** Lowest interval of a DCU type: a DCU is set offline after two and a half missed heartbeats. */
const HEARTBEAT_S = 30;
/** Time limit for retrying a query while the database is being killed. */
const ASK_WITHIN_MS = 90_000;
const ASK_EVERY_MS = 200;
/** Limits wide enough for the commands of a long run; other tests prove that limits hold. */
const WIDE_LIMITS = {
  ...BUILT_IN_LIMITS,
  maxMetersPerHour: 10_000,
  maxKwPerHour: 300_000,
  maxMetersPerDay: 100_000,
  soloLimitPerHour: ALONE,
  spreadS: 0,
};

export interface ProductOptions {
  seed: number;
  /** In the form of SIM_SCALE. */
  scale: string;
  /** Number of direct meters besides. */
  direct: number;
  /** Keeps the folders of the run. */
  keep: boolean;
  /** Places its tables on a separate disk that can be filled. */
  onSmallDisk?: boolean;
  /** Changes the commissioning file before its import. */
  commission?(file: CommissioningFile): void;
}

export interface FieldTally {
  blocks: number;
  strikes: { target: string; kind: string; times: number }[];
  /** Reads of profile buffers by logical name, and the number answered in blocks. */
  buffers: { instance: string; reads: number; inBlocks: number }[];
  /** Octets of the longest response in blocks, by serial number. */
  longest: Record<string, number>;
  /** Responses of meters of another stack. */
  foreign: Record<string, number>;
}

interface Operator {
  userId: string;
  sessionId: string;
  orders: number;
  token: string;
  issuedAt: number;
}

/** Below the ports that the system gives to outgoing connections: another program of this machine could be given one before it is used. */
const PORTS = { first: 20_000, last: 32_000 };

async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.last);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}

/** The line that a process prints when it is ready; fails if it ends before. */
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
      reject(new Error(`The process ended with ${code ?? signal}; see ${logFile}`));
    });
  });
}

/** Gives small APDUs to every fourth DCU and type of direct meters. Direct meters without mutual authentication are admitted by their address. */
function prepareTypes(file: CommissioningFile): void {
  const [type] = file.dcuTypes;
  if (type === undefined) throw new Error('The file has no DCU type');
  const small = { ...type, code: `${type.code}-S`, name: `${type.name}, small`, apduSize: SMALL_APDU_SIZE };
  file.dcuTypes.push(small);
  file.dcus.forEach((dcu, index) => {
    if (index % SMALL_ONE_IN === 0) dcu.typeCode = small.code;
  });
  const ofDirect = file.meterTypes.filter(({ heartbeatS }) => heartbeatS !== undefined);
  ofDirect.forEach((meterType, index) => {
    meterType.allowedAddresses = ['127.0.0.0/8'];
    // The first type is that of half of the direct meters.
    meterType.apduSize = index % SMALL_ONE_IN === 1 ? SMALL_APDU_SIZE : APDU_SIZE;
  });
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
export class Product {
  readonly folder = mkdtempSync(join(tmpdir(), 'hes-chaos-'));
  readonly oracleFile = join(this.folder, 'oracle.jsonl');
  readonly logFile = join(this.folder, 'product.log');
  readonly options: ProductOptions;
  #ports = { http: 0, dlms: 0, control: 0 };
  readonly #controlSecret = randomBytes(32).toString('base64url');
  #server: ChildProcess | undefined;
  #simulator: ChildProcess | undefined;
  #pool: Pool | undefined;
  #operator: Operator | undefined;
  #lastPerson: Promise<unknown> = Promise.resolve();
  #aheadMs = 0;
  /** Offset of the clocks of server and database from those of the field. */
  #offByMs = 0;

  constructor(options: ProductOptions) {
    this.options = options;
    // The database runs as another user.
    chmodSync(this.folder, 0o755);
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
    this.#ports = { http: await freePort(), dlms: await freePort(), control: await freePort() };
    writeFileSync(this.#clockFile, '0');
    await this.#prepareDatabase();
    await Promise.all([this.#startServer(), this.#startSimulator()]);
    if (foreign !== undefined) await this.field('POST', `/foreign/${foreign.sn}`, { port: foreign.port });
    const [, socketDir] = this.#postmaster();
    const owner = { user: OWNER_ROLE, password: databaseKey(this.#dataDir).passwordOf(OWNER_ROLE) };
    const pool = openPool({ connection: { socketDir, database: 'postgres', ...owner }, max: 3 }, createLog('silent'));
    this.#pool = pool;
    const db = openDb(pool);
    const secrets = createSecrets(readMasterKey(this.#dataDir));
    const file = commissioningFile.parse(await this.field('GET', '/world'));
    prepareTypes(file);
    this.options.commission?.(file);
    await importCommissioning({ db, secrets, clock: systemClock }, file);
    await saveSetting(db, 'timeZone', file.timeZone);
    await insertLimits(db, secrets, WIDE_LIMITS, { changedBy: null });
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
        SIM_DIRECT: String(this.options.direct),
        SIM_DIRECT_HDLC: String(hdlcAmong(this.options.direct)),
        SIM_CHANNEL: 'fast',
        SIM_LINE_SPEED: String(LINE_SPEED),
        SIM_APDU_SIZE: String(APDU_SIZE),
        SIM_AUTHENTICATION: 'mixed',
        SIM_HES_HOST: '127.0.0.1',
        SIM_HES_PORT: String(dlms),
        SIM_CONTROL_PORT: String(control),
        SIM_CONTROL_SECRET: this.#controlSecret,
        SIM_HEARTBEAT_S: String(HEARTBEAT_S),
        SIM_WITNESS: this.oracleFile,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#simulator = child;
    await readyLine(child, this.logFile, /"ready":true/);
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
      [this.#server, this.#simulator].flatMap((child) => child?.pid ?? []),
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

  /** Identifies without keys as a connected DCU, again after each close. Returns the number of attempts. */
  async impersonate(sn: string, ms: number): Promise<number> {
    let hellos = 0;
    for (const until = performance.now() + ms; performance.now() < until; await wait(HELLO_EVERY_MS)) {
      const socket = connect(this.#ports.dlms, '127.0.0.1').on('error', () => undefined);
      socket.resume();
      socket.write(encodeWrapper({ source: 1, destination: 1 }, encodeIdentification('hello', sn, new Uint8Array(8), 0)));
      hellos++;
      await Promise.race([once(socket, 'close'), wait(Math.max(0, until - performance.now()))]);
      socket.destroy();
    }
    return hellos;
  }

  /** Identifies as an unregistered DCU, which must be listed among the unknown callers. */
  async callAs(sn: string): Promise<void> {
    for (const until = performance.now() + ASK_WITHIN_MS; ; await wait(HELLO_EVERY_MS)) {
      const socket = connect(this.#ports.dlms, '127.0.0.1').on('error', () => undefined);
      socket.write(encodeWrapper({ source: 1, destination: 1 }, encodeIdentification('hello', sn, new Uint8Array(8), 0)));
      let parked = 0;
      for (const heard = performance.now() + HEARD_WITHIN_MS; parked === 0 && performance.now() < heard; await wait(HELLO_EVERY_MS))
        parked = (await this.rows('select from dcu_unregistered where claimed_name = $1', [sn])).length;
      socket.destroy();
      if (parked > 0) return;
      if (performance.now() > until) throw new Error(`${sn} called and was not listed`);
    }
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

  /** Calls the simulator's control API. */
  async field(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${this.#ports.control}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#controlSecret}` },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** Counters of the field since its start. */
  async tally(): Promise<FieldTally> {
    return (await this.field('GET', '/tally')) as FieldTally; // as: the type of the response
  }

  async #sealRights(): Promise<void> {
    const keys = handleKeys(chainKeyOf(createSecrets(readMasterKey(this.#dataDir))));
    await openDb(this.pool, keys)
      .transaction()
      .execute((tx) => sealEverything(tx));
  }

  /** The operator of the next call. Calls wait for each other: two that seal the rights at once could seal a user without its role. */
  #person(orders: number): Promise<Operator> {
    const person = this.#lastPerson.then(() => this.#nextPerson(orders));
    this.#lastPerson = person.catch(() => undefined);
    return person;
  }

  /** A user with remaining quota for supplies without approval. Authenticated without the cost of a sign-in. */
  async #nextPerson(orders: number): Promise<Operator> {
    let person = this.#operator;
    if (person === undefined || person.orders + orders > ALONE) {
      const username = `u${randomUUID().slice(0, 12)}`;
      const sessionId = randomUUID();
      const [made] = await this.rows<{ id: string }>(
        'insert into app_user (username, name, password_hash) values ($1, $1, $2) returning id',
        [username, await hashPassword(randomUUID())],
      );
      const userId = made?.id ?? '';
      await this.rows("insert into user_role (user_id, role_id, granted_at) select $1, id, '2000-01-01' from role where code = 'ADMIN'", [
        userId,
      ]);
      await this.rows(
        `insert into user_session (id, user_id, refresh_hash, expires_at, proved_at)
         values ($1, $2, decode(repeat('00', 32), 'hex'), now() + interval '7 days', now() + interval '7 days')`,
        [sessionId, userId],
      );
      await this.#sealRights();
      person = { userId, sessionId, orders: 0, token: '', issuedAt: 0 };
      this.#operator = person;
    }
    const now = this.now() + this.#offByMs;
    if (Math.abs(now - person.issuedAt) > TOKEN_MS) {
      const tokens = createAccessTokens(createSecrets(readMasterKey(this.#dataDir)), { now: () => now });
      Object.assign(person, { token: await tokens.issue(person.sessionId), issuedAt: now });
    }
    person.orders += orders;
    return person;
  }

  /** Calls the API as a user. Undefined without a response: the outcome of the call is then unknown. */
  async call(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: object,
    switches = 0,
  ): Promise<{ status: number; body: unknown } | undefined> {
    const ask = async (orders: number) =>
      fetch(`http://127.0.0.1:${this.#ports.http}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${(await this.#person(orders)).token}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(20_000),
      });
    try {
      let answer = await ask(switches);
      // Neither call was executed: the clock of the server was set between token and call, or the rate limit was reached.
      for (let tries = 0; (answer.status === UNAUTHORIZED || answer.status === TOO_MANY) && tries < BUSY_TRIES; tries++) {
        await wait(BUSY_WAIT_MS);
        if (answer.status === UNAUTHORIZED && this.#operator !== undefined) this.#operator.issuedAt = Number.NEGATIVE_INFINITY;
        answer = await ask(0);
      }
      // A truncated body is no response either.
      return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
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

  /** Removes the folders. The oracle log is complete only after the end of the simulator. */
  remove(): void {
    if (this.options.onSmallDisk === true) unmount(this.#smallDisk);
    if (!this.options.keep) rmSync(this.folder, { recursive: true, force: true });
  }
}
