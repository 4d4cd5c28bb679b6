import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { OWNER_ROLE } from '../../apps/server/src/db/embedded/cluster.ts';
import { databaseKey } from '../../apps/server/src/db/embedded/database-key.ts';
import { openDb, openPool } from '../../apps/server/src/db/pool.ts';
import { BUILT_IN_LIMITS, insertLimits } from '../../apps/server/src/features/relay/limit-queries.ts';
import { readMasterKey } from '../../apps/server/src/platform/data-folder.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { freePorts } from '../../e2e/support/free-ports.ts';
import { ask, askPatiently, guess, type Reply, type Sent } from '../attack/client.ts';
import { postmasterOf } from '../attack/database-login.ts';

const SERVER = resolve(import.meta.dirname, '../../apps/server/src/main.ts');
const SERVER_CLOCK = resolve(import.meta.dirname, '../chaos/server-clock.mjs');
const READY_WITHIN_MS = 180_000;
const STOP_WITHIN_MS = 20_000;
/** New rights rest for a day: users are created while the clock of the server is this far behind. */
const REST_MS = 25 * 3_600_000;
const PASSWORD = `Matrix-${randomBytes(6).toString('hex')}-5q`;
/** The administrator gives the others their rights, and may therefore neither order nor approve with them. */
const USERS = { admin: 'admin', operator: 'interop.operator', approver: 'interop.approver' } as const;
type UserName = keyof typeof USERS;
/** One run switches the relay of every meter of the matrix; that limits hold is proved elsewhere. */
const WIDE_LIMITS = { ...BUILT_IN_LIMITS, maxMetersPerHour: 10_000, maxKwPerHour: 300_000, maxMetersPerDay: 100_000 };

/** The product with default settings in a process and folder of its own, used through its HTTP API. */
export class Product {
  readonly #folder = mkdtempSync(join(tmpdir(), 'hes-interop-'));
  readonly #tokens = new Map<UserName, string>();
  #server: ChildProcess | undefined;
  #base = '';
  #output = '';
  dlmsPort = 0;

  constructor() {
    // The database runs as another user.
    chmodSync(this.#folder, 0o755);
  }

  /** Starts it, and creates an operator and an approver whose rights have rested. */
  async start(): Promise<void> {
    const [http, dlms] = await freePorts();
    this.dlmsPort = dlms;
    this.#base = `http://127.0.0.1:${http}`;
    const clockFile = join(this.#folder, 'clock-ahead');
    writeFileSync(clockFile, String(-REST_MS));
    await this.#launch({ HES_CLOCK_AHEAD_FILE: clockFile, NODE_OPTIONS: `--import=${SERVER_CLOCK}` });
    await this.#signIn('admin');
    const roles = (await this.call('GET', '/manager/role?size=100', undefined, 'admin')) as { items: { id: string; code: string }[] }; // as: the route's answer
    const roleIds = roles.items.filter(({ code }) => code === 'ADMIN').map(({ id }) => id);
    for (const username of [USERS.operator, USERS.approver]) {
      const user = { username, name: username, password: PASSWORD, mustChangePassword: false, roleIds };
      await this.call('POST', '/manager/user', user, 'admin');
    }
    await this.#stopServer();
    await this.#launch({});
    await this.#widenLimits();
    await this.#signIn('operator');
    await this.#signIn('approver');
  }

  /** Calls the API as a user and returns the body; fails with the refusal of any other answer than a success. */
  // any: bodies of all routes
  async call(method: string, path: string, json?: unknown, user: UserName = 'operator', more: Sent = {}): Promise<any> {
    const reply = await this.#ask(method, path, json, user, more);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 500)}`);
    return reply.body ?? reply.text;
  }

  #ask(method: string, path: string, json: unknown, user: UserName, more: Sent): Promise<Reply> {
    const token = this.#tokens.get(user);
    return askPatiently(this.#base, `/api${path}`, { ...more, method, token, ...(json === undefined ? {} : { json }) });
  }

  async #signIn(user: UserName): Promise<void> {
    const from = `127.0.3.${Object.keys(USERS).indexOf(user) + 1}`;
    const { status, body, text } = await guess(this.#base, { username: USERS[user], password: PASSWORD, from });
    if (status !== 200) throw new Error(`${USERS[user]} is not signed in: ${status} ${text}`);
    this.#tokens.set(user, String(body.access_token));
    await this.confirm(user);
  }

  /** Confirms a user, which dangerous calls of the next minutes require. */
  async confirm(user: UserName): Promise<void> {
    await this.call('POST', '/auth/proof', { password: PASSWORD }, user);
  }

  async #launch(env: Record<string, string>): Promise<void> {
    const child = spawn(process.execPath, [SERVER], {
      env: {
        PATH: process.env['PATH'],
        HES_PORT: new URL(this.#base).port,
        HES_DLMS_PORT: String(this.dlmsPort),
        HES_DATA_DIR: join(this.#folder, 'data'),
        HES_DEMO: 'off',
        HES_DIAL_LOCAL: 'on',
        HES_ADMIN_PASSWORD: PASSWORD,
        HES_LIFELINE_FD: '3',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#server = child;
    const take = (text: string): void => void (this.#output = (this.#output + text).slice(-200_000));
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    const until = performance.now() + READY_WITHIN_MS;
    while (!(await this.#isHealthy())) {
      if (child.exitCode !== null || performance.now() > until) throw new Error(`The product did not start:\n${this.#output}`);
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  async #isHealthy(): Promise<boolean> {
    try {
      return (await ask(this.#base, '/api/health')).status === 200;
    } catch {
      return false;
    }
  }

  async #widenLimits(): Promise<void> {
    const dataDir = join(this.#folder, 'data');
    const password = databaseKey(dataDir).passwordOf(OWNER_ROLE);
    const connection = { ...postmasterOf(dataDir), database: 'postgres', user: OWNER_ROLE, password };
    const pool = openPool({ connection, max: 1 }, createLog('silent'));
    try {
      await insertLimits(openDb(pool), createSecrets(readMasterKey(dataDir)), WIDE_LIMITS, { changedBy: null });
    } finally {
      await pool.end();
    }
  }

  async #stopServer(): Promise<void> {
    const child = this.#server;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    await ended;
    clearTimeout(timer);
  }

  /** Log of the server, at most its last part. */
  get output(): string {
    return this.#output;
  }

  async stop(): Promise<void> {
    await this.#stopServer();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
