import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { OWNER_ROLE } from '../../apps/server/src/db/embedded/cluster.ts';
import { databaseKey } from '../../apps/server/src/db/embedded/database-key.ts';
import { openPool } from '../../apps/server/src/db/pool.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { freePorts } from '../../e2e/support/free-ports.ts';
import { launch, newDataDir, removeDataDir, start, type HeadEnd } from '../../e2e/support/head-end.ts';
import { ask, askPatiently, guess, type Call, type Sent } from './client.ts';
import { postmasterOf } from './database-login.ts';
import { makeUsers, USERS, type UserName } from './users.ts';

const SERVER_CLOCK = resolve(import.meta.dirname, '../chaos/server-clock.mjs');
/** Rights rest for a day: users are created while the server's clock is this far behind. */
const REST_MS = 25 * 3_600_000;
const READY_WITHIN_MS = 180_000;
const FLEET_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 200;
/** Addresses of the users' browsers, distinct from those of attackers. */
const browserOf = (user: UserName) => `127.0.2.${USERS.indexOf(user) + 1}`;

export interface Session {
  token: string;
  cookies: string;
}

/** A part of the network, with target devices. */
export interface District {
  levelId: string;
  dcus: { id: string; sn: string; onlineStatus: string }[];
  /** Meters with a connected relay. */
  relays: { meterId: string; sn: string; dcuSn: string }[];
}

export interface AttackedOptions {
  /** Environment variables added to the default ones: a weakening that attacks must detect. */
  env?: Record<string, string>;
}

/** The product as `npm start` starts it, with the demonstration fleet, in a separate folder. */
export class Attacked {
  readonly password = `Quartz-${randomBytes(6).toString('hex')}-7x`;
  readonly dataDir = newDataDir('hes-attack-');
  readonly #options: AttackedOptions;
  #headEnd: HeadEnd | undefined;
  #dlmsPort = 0;
  #owner: Pool | undefined;
  readonly #sessions = new Map<UserName, Promise<Session>>();
  userIds: Record<string, string> = {};
  north: District = { levelId: '', dcus: [], relays: [] };
  old: District = { levelId: '', dcus: [], relays: [] };

  constructor(options: AttackedOptions = {}) {
    this.#options = options;
  }

  get headEnd(): HeadEnd {
    if (this.#headEnd === undefined) throw new Error('The product is not running');
    return this.#headEnd;
  }

  get base(): string {
    return this.headEnd.address;
  }

  get dlms(): { host: string; port: number } {
    return { host: '127.0.0.1', port: this.#dlmsPort };
  }

  /** The database with the rights of its owner: the attacker of F8. */
  get owner(): Pool {
    if (this.#owner === undefined) {
      const connection = { ...postmasterOf(this.dataDir), database: 'postgres', user: OWNER_ROLE };
      const { passwordOf } = databaseKey(this.dataDir);
      this.#owner = openPool({ connection: { ...connection, password: passwordOf(OWNER_ROLE) }, max: 3 }, createLog('silent'));
    }
    return this.#owner;
  }

  async rows<Row extends object>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.owner.query<Row>(statement, [...values])).rows;
  }

  /** Creates the users a day ago, then starts the product with default settings and waits until its fleet is online. */
  async start(): Promise<void> {
    const clockFile = join(this.dataDir, 'clock-ahead');
    writeFileSync(clockFile, String(-REST_MS));
    await this.#launch({ HES_CLOCK_AHEAD_FILE: clockFile, NODE_OPTIONS: `--import=${SERVER_CLOCK}` });
    const admin = await this.session('admin');
    this.north.levelId = await this.#levelOf('LT-NB', admin);
    this.old.levelId = await this.#levelOf('LT-OT', admin);
    this.userIds = await makeUsers(await this.provedAs('admin'), this.password, this.north.levelId);
    await this.headEnd.stop();
    this.#sessions.clear();
    await this.#launch(this.#options.env ?? {});
    await this.#findDevices();
  }

  async #launch(env: Record<string, string>): Promise<void> {
    [this.#dlmsPort] = await freePorts();
    this.#headEnd = await start({
      dataDir: this.dataDir,
      readyWithinMs: READY_WITHIN_MS,
      env: { HES_DEMO: 'on', HES_DLMS_PORT: String(this.#dlmsPort), HES_ADMIN_PASSWORD: this.password, HES_LOG_LEVEL: 'info', ...env },
    });
  }

  async #levelOf(code: string, { token }: Session): Promise<string> {
    for (const until = performance.now() + FLEET_WITHIN_MS; performance.now() < until; await wait(LOOK_EVERY_MS)) {
      const levels = (await ask(this.base, '/api/asset/level', { token })).body.items as { id: string; code: string }[]; // as: the route's answer
      const found = levels.find((level) => level.code === code);
      if (found !== undefined) return found.id;
    }
    throw new Error(`The fleet has no level ${code}`);
  }

  /** Waits until most DCUs of the demonstration fleet are online, and selects meters with relays behind them. */
  async #findDevices(): Promise<void> {
    const admin = await this.as('admin');
    for (const until = performance.now() + FLEET_WITHIN_MS; ; await wait(LOOK_EVERY_MS)) {
      for (const district of [this.north, this.old])
        district.dcus = (await admin('GET', `/asset/dcu?size=100&node=level:${district.levelId}`)).body.items;
      if ([this.north, this.old].every(({ dcus }) => dcus.some(({ onlineStatus }) => onlineStatus === 'online'))) break;
      if (performance.now() > until) throw new Error('The fleet is not online in time');
    }
    for (const district of [this.north, this.old]) {
      const { body } = await admin('GET', `/action/relay?size=200&node=level:${district.levelId}`);
      district.relays = body.items.filter(
        (row: { dcuSn: string | null; isOnline: boolean; isProtected: boolean; controlMode: number }) =>
          row.isOnline && !row.isProtected && row.controlMode > 0,
      );
    }
  }

  /** The shared session of a user, until it is discarded. */
  session(user: UserName): Promise<Session> {
    let session = this.#sessions.get(user);
    session ??= this.signIn(user);
    this.#sessions.set(user, session);
    return session;
  }

  /** A separate session, so an attack on it ends no other. */
  async signIn(user: UserName, from = browserOf(user)): Promise<Session> {
    const { status, code, body, cookies } = await guess(this.base, { username: user, password: this.password, from });
    if (status !== 200) throw new Error(`${user} is not signed in: ${status} ${code}`);
    return { token: String(body.access_token), cookies };
  }

  /** Calls as a user with a valid token only. */
  async as(user: UserName): Promise<Call> {
    return this.calls((await this.session(user)).token);
  }

  /** Calls as a user whose session holds a fresh re-authentication, which dangerous calls require. */
  async provedAs(user: UserName): Promise<Call> {
    const call = await this.as(user);
    const { status, code } = await call('POST', '/auth/proof', { password: this.password });
    if (status !== 200) throw new Error(`The own proof of ${user} is refused: ${status} ${code}`);
    return call;
  }

  calls(token: string | undefined, more: Sent = {}): Call {
    return (method, path, json) =>
      askPatiently(this.base, `/api${path}`, { ...more, method, token, ...(json === undefined ? {} : { json }) });
  }

  /** Calls the simulator's control API. */
  async control(method: 'GET' | 'POST' | 'DELETE', path: string, json?: object): Promise<any> {
    const { body, status } = await ask(this.headEnd.controlAddress, path, {
      method,
      headers: { authorization: 'Bearer of these tests' },
      ...(json === undefined ? {} : { json }),
    });
    if (status !== 200) throw new Error(`${method} ${path} at the control API: ${status}`);
    return body;
  }

  async stop(): Promise<void> {
    await this.#owner?.end();
    await this.#headEnd?.stop();
    removeDataDir(this.dataDir);
  }
}

/** A second product without a fleet, in parallel with the first, for attacks on other settings; it ends with the work. */
export async function withProduct<T>(env: Record<string, string>, work: (own: HeadEnd, dlmsPort: number) => Promise<T>): Promise<T> {
  const dataDir = newDataDir('hes-attack-other-');
  const [dlmsPort] = await freePorts();
  const own = await launch({ dataDir, env: { HES_DLMS_PORT: String(dlmsPort), ...env } });
  try {
    if (!(await within(READY_WITHIN_MS, async () => own.output().includes('Ready')))) throw new Error('The second product is not ready');
    return await work(own, dlmsPort);
  } finally {
    await own.stop();
    removeDataDir(dataDir);
  }
}

/** Polls until the condition holds or the time is over. */
export async function within(ms: number, isRight: () => Promise<boolean>, everyMs = LOOK_EVERY_MS): Promise<boolean> {
  for (const until = performance.now() + ms; ; await wait(everyMs)) {
    if (await isRight()) return true;
    if (performance.now() > until) return false;
  }
}
