import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { startEmbedded, type EmbeddedDatabase } from '../../apps/server/src/db/embedded/supervisor.ts';
import type { Db } from '../../apps/server/src/db/context.ts';
import { handleKeys } from '../../apps/server/src/db/handle-keys.ts';
import { migrate } from '../../apps/server/src/db/migrate.ts';
import { createPartitions } from '../../apps/server/src/db/partitions.ts';
import { openDb, openPool, urlOf } from '../../apps/server/src/db/pool.ts';
import { commissioningFile, type CommissioningFile } from '../../apps/server/src/db/seed/commissioning.ts';
import { importCommissioning } from '../../apps/server/src/db/seed/import-commissioning.ts';
import { seed } from '../../apps/server/src/db/seed/seed.ts';
import { saveSetting } from '../../apps/server/src/db/settings.ts';
import { BUILT_IN_LIMITS, insertLimits } from '../../apps/server/src/features/relay/limit-queries.ts';
import { createAccessTokens } from '../../apps/server/src/platform/access-token.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { chainKeyOf, createSecrets, type Secrets } from '../../apps/server/src/platform/secrets.ts';
import type { Line } from '../chaos/history.ts';
import { insertOperator, insertSession } from '../chaos/insert-operator.ts';
import { Operators } from '../chaos/operators.ts';
import { freePort } from '../chaos/processes.ts';
import { Balancer } from './balancer.ts';
import { NodeProcess } from './node-process.ts';

const SIMULATOR = resolve(import.meta.dirname, '../../apps/simulator/src/main.ts');
const OPERATOR = 'proof.operator';
/** Each head-end needs some thirty connections. */
const CONNECTIONS = '200';
/** Seed of the simulated world, from which keys and readings are derived. */
export const WORLD_SEED = 1;
/** Direct meters; the head-ends dial every second one. */
export const DIRECT_METERS = 20;
/** Devices of larger fleets begin to dial at this rate, and wait up to 5 s before they dial again (several machines, T1). */
const SMALL_FLEET = 500;
const DIALS_PER_S = 100;
const LONGEST_WAIT_MS = 5_000;
const DATABASE_WITHIN_MS = 60_000;
const POLL_MS = 100;
/** The proofs switch more than the built-in limits permit; each user within what one may switch alone. */
const WIDE_LIMITS = {
  ...BUILT_IN_LIMITS,
  maxMetersPerHour: 10_000,
  maxKwPerHour: 300_000,
  maxMetersPerDay: 100_000,
  spreadS: 0,
};

export interface ClusterOptions {
  /** Value of HES_ROLES of each head-end; empty: all. */
  roles: readonly string[];
  /** Number of DCUs, and of meters behind each. */
  dcus: number;
  meters: number;
}

/** Several head-ends on one PostgreSQL, with a balancer before their DLMS ports and a simulated fleet behind it, each in a process of its own. */
export class Cluster {
  readonly options: ClusterOptions;
  readonly nodes: NodeProcess[] = [];
  /** Claims of the product that the judge compares with what is stored in the end. */
  readonly claims: Line[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'hes-nodes-'));
  readonly #masterKey = randomBytes(32);
  readonly #secrets: Secrets = createSecrets(this.#masterKey);
  #database: EmbeddedDatabase | undefined;
  #pool: Pool | undefined;
  #balancer: Balancer | undefined;
  #simulator: ChildProcess | undefined;
  /** When all head-ends were ready, by the monotonic clock. */
  nodesReadyAt = 0;
  #operatorId = '';
  #sessionId = '';
  #control = { port: 0, secret: '' };
  #calls = 0;
  /** Users who switch supplies, at all consoles in turn. */
  readonly switchers = new Operators({
    pool: () => this.pool,
    masterKey: () => this.#masterKey,
    now: () => Date.now(),
    httpPort: () => this.#nextConsole(),
  });

  constructor(options: ClusterOptions) {
    this.options = options;
    // The database runs as another user.
    chmodSync(this.folder, 0o755);
  }

  get pool(): Pool {
    if (this.#pool === undefined) throw new Error('The cluster is not running');
    return this.#pool;
  }

  /** Runs a query, and repeats it while the database restarts. */
  async rows<Row extends object>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    for (const until = performance.now() + DATABASE_WITHIN_MS; ; await wait(POLL_MS)) {
      try {
        return (await this.pool.query<Row>(statement, [...values])).rows;
      } catch (error) {
        if (performance.now() > until) throw error;
      }
    }
  }

  #nextConsole(): number {
    const running = this.nodes.filter((node) => node.isRunning && node.has('web') && !node.link.isCut);
    return running[this.#calls++ % Math.max(1, running.length)]?.ports.http ?? 0;
  }

  /** Where the simulator notes each execution of a relay and each counter. */
  get oracleFile(): string {
    return join(this.folder, 'oracle.jsonl');
  }

  /** Process of the database that starts all others of it. */
  async postmasterPid(): Promise<number> {
    const [found] = await this.rows<{ folder: string }>("select current_setting('data_directory') as folder");
    return Number(readFileSync(join(found?.folder ?? '', 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** Kills the database, which is restarted as after a crash. */
  async killDatabase(): Promise<void> {
    process.kill(await this.postmasterPid(), 'SIGKILL');
  }

  async start(): Promise<void> {
    const log = createLog('silent');
    const database = await startEmbedded(join(this.folder, 'db'), log, { max_connections: CONNECTIONS });
    this.#database = database;
    this.#pool = openPool({ connection: database.owner, max: 6 }, log);
    const db = this.#db;
    await migrate(this.pool);
    await createPartitions(this.pool, Date.now());
    await seed(db, { adminPassword: `Proof-${randomBytes(6).toString('hex')}` });
    await this.#makeNodes(database);
    this.#balancer = new Balancer(this.nodes.filter((node) => node.has('field')).map(({ ports }) => ports.dlms));
    const file = await this.#startSimulator(await this.#balancer.start());
    await importCommissioning({ db, secrets: this.#secrets, clock: systemClock }, file);
    // Orders name local days: those of the head-ends are those of the meters.
    await saveSetting(db, 'timeZone', file.timeZone);
    await this.pool.query('update collect_plan set enabled = false');
    await insertLimits(db, this.#secrets, WIDE_LIMITS, { changedBy: null });
    await this.#makeOperator();
    await Promise.all(this.nodes.map((node) => node.start()));
    this.nodesReadyAt = performance.now();
  }

  async #makeNodes({ owner }: EmbeddedDatabase): Promise<void> {
    for (const [index, roles] of this.options.roles.entries()) {
      const node = new NodeProcess({
        name: `node-${index + 1}`,
        folder: this.folder,
        roles,
        ports: { http: await freePort(), dlms: await freePort() },
        databaseFolder: owner.socketDir,
        databaseUrl: (socketDir) => urlOf({ ...owner, socketDir }),
        masterKey: this.#masterKey.toString('hex'),
      });
      await Promise.all(node.links.map((link) => link.open()));
      this.nodes.push(node);
    }
  }

  async #startSimulator(headEndPort: number): Promise<CommissioningFile> {
    const controlPort = await freePort();
    const secret = randomBytes(32).toString('base64url');
    this.#control = { port: controlPort, secret };
    const child = spawn(process.execPath, [SIMULATOR], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        SIM_SCALE: `${this.options.dcus}x${this.options.meters}`,
        SIM_CHANNEL: 'fast',
        SIM_SEED: String(WORLD_SEED),
        SIM_DIRECT: String(DIRECT_METERS),
        SIM_DIRECT_DIALLED: String(DIRECT_METERS),
        SIM_HES_PORT: String(headEndPort),
        SIM_CONTROL_PORT: String(controlPort),
        SIM_CONTROL_SECRET: secret,
        SIM_WITNESS: this.oracleFile,
        ...this.#dialPace(),
      },
    });
    this.#simulator = child;
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('"ready":true')) break;
    return commissioningFile.parse(await this.askField('GET', '/world'));
  }

  #dialPace(): Record<string, string> {
    const { dcus } = this.options;
    if (dcus <= SMALL_FLEET) return {};
    return { SIM_START_SPREAD_S: String(Math.ceil(dcus / DIALS_PER_S)), SIM_LONGEST_WAIT_MS: String(LONGEST_WAIT_MS) };
  }

  /** Processes that simulate the fleet. */
  get simulatorPids(): number[] {
    return [this.#simulator?.pid ?? []].flat();
  }

  /** Calls the simulator's control API. */
  async askField(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const { port, secret } = this.#control;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}` },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  get #db(): Db {
    return openDb(this.pool, handleKeys(chainKeyOf(this.#secrets)));
  }

  /** An administrator for the calls of the proof. */
  async #makeOperator(): Promise<void> {
    const { userId, sessionId } = await insertOperator(this.#db, OPERATOR, '!');
    this.#operatorId = userId;
    this.#sessionId = sessionId;
  }

  /** Another session of the operator. */
  addSession(): Promise<string> {
    return insertSession(this.#db, this.#operatorId);
  }

  /** An access token of a session; default: that of the operator. */
  tokenOf(sessionId = this.#sessionId): Promise<string> {
    return createAccessTokens(this.#secrets, systemClock).issue(sessionId);
  }

  /** Calls the API of a node as the operator; undefined without an answer. */
  async call(
    node: NodeProcess,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
    sessionId?: string,
  ): Promise<{ status: number; body: unknown } | undefined> {
    const token = await this.tokenOf(sessionId);
    try {
      const answer = await fetch(`http://127.0.0.1:${node.ports.http}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(20_000),
      });
      return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
    } catch {
      return undefined;
    }
  }

  /** A limit for work whose amount grows with the fleet: `ms` for a thousand meters and less. */
  limitOf(ms: number): number {
    return ms * Math.max(1, (this.options.dcus * this.options.meters) / 1_000);
  }

  /** Waits until a condition holds, and returns the milliseconds; undefined when the limit has passed. */
  async until(limitMs: number, condition: () => Promise<boolean>): Promise<number | undefined> {
    const began = performance.now();
    while (performance.now() - began < limitMs) {
      if (await condition()) return Math.round(performance.now() - began);
      await wait(POLL_MS);
    }
    return undefined;
  }

  /** Number of devices that no running node holds. */
  async unheld(): Promise<number> {
    const [found] = await this.rows<{ count: number }>(
      `select count(*)::int as count from endpoint e left join node n on n.id = e.node_id and n.ended_at is null
       where n.id is null or n.name <> all($1) or e.online_status <> 'online'`,
      [this.nodes.filter((node) => node.isRunning).map(({ name }) => name)],
    );
    return found?.count ?? 0;
  }

  /** The first devices that no running node holds, each with what the database says about it. */
  async describeUnheld(): Promise<string[]> {
    const found = await this.rows<{ what: string }>(
      `select concat_ws(' ', e.sn, e.connection_type, e.online_status, coalesce('at ' || n.name, 'at no node'), 'heard ' || e.last_comm_at) as what
       from endpoint e left join node n on n.id = e.node_id and n.ended_at is null
       where n.id is null or n.name <> all($1) or e.online_status <> 'online' order by e.id limit 10`,
      [this.nodes.filter((node) => node.isRunning).map(({ name }) => name)],
    );
    return found.map(({ what }) => what);
  }

  /** Devices that each living node holds, by its name. Default: those that dial in and those that are dialled. */
  async heldBy(connectionType?: 'dial_in' | 'dial_out'): Promise<Record<string, number>> {
    const found = await this.rows<{ name: string; count: number }>(
      `select n.name, count(e.id)::int as count from node n left join endpoint e on e.node_id = n.id and e.online_status = 'online'
         and ($1::text is null or e.connection_type = $1)
       where n.ended_at is null group by n.name order by n.name`,
      [connectionType ?? null],
    );
    return Object.fromEntries(found.map(({ name, count }) => [name, count]));
  }

  /** Ends connections of DCUs that a node holds beyond its part: the balancer distributes those that connect again. */
  async spread(): Promise<void> {
    const held = await this.heldBy('dial_in');
    const fields = this.nodes.filter((node) => node.isRunning && node.has('field'));
    const mean = Object.values(held).reduce((sum, each) => sum + each, 0) / fields.length;
    for (const [name, count] of Object.entries(held)) {
      const found = await this.rows<{ sn: string }>(
        `select e.sn from endpoint e join dcu d on d.id = e.id join node n on n.id = e.node_id and n.ended_at is null
         where n.name = $1 and e.connection_type = 'dial_in' order by random() limit $2`,
        [name, Math.max(0, Math.floor(count - mean))],
      );
      for (const { sn } of found) await this.askField('POST', `/dcu/${sn}/disconnect`);
    }
  }

  /** Heals what a proof that broke off has left cut, and starts what it has left stopped. */
  async repair(): Promise<void> {
    for (const link of this.nodes.flatMap(({ links }) => links)) if (link.isCut) link.heal();
    await Promise.all(this.nodes.map((node) => (node.isRunning ? undefined : node.start())));
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end('SIGTERM')));
    if (this.#simulator !== undefined && this.#simulator.exitCode === null) {
      const ended = once(this.#simulator, 'exit');
      this.#simulator.stdin?.end();
      await ended;
    }
    await this.#balancer?.stop();
    await Promise.all(this.nodes.flatMap((node) => node.links.map((link) => link.close())));
    await this.#pool?.end();
    await this.#database?.stop();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
