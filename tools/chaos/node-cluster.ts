import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { handleKeys } from '../../apps/server/src/db/handle-keys.ts';
import { migrate } from '../../apps/server/src/db/migrate.ts';
import { createPartitions } from '../../apps/server/src/db/partitions.ts';
import { openDb, openPool, urlOf } from '../../apps/server/src/db/pool.ts';
import { sealEverything } from '../../apps/server/src/db/right-seals.ts';
import { commissioningFile } from '../../apps/server/src/db/seed/commissioning.ts';
import { seed } from '../../apps/server/src/db/seed/seed.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { chainKeyOf, createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { Balancer } from '../nodes/balancer.ts';
import { Link } from '../nodes/link.ts';
import { NodeProcess } from '../nodes/node-process.ts';
import { previousRevision, unpackRelease } from '../nodes/previous-release.ts';
import { commissionFleet } from './commission.ts';
import { Deadline } from './deadline.ts';
import { CLOCK_OF_DATABASE } from './fast-forward.ts';
import { SimulatedField, type FieldTally } from './field.ts';
import { Operators, type Answer } from './operators.ts';
import { freePort } from './processes.ts';
import { LONGEST_RESPONSE_MS, SHORTEST_RESPONSE_MS } from './product.ts';
import { ReplicatedDatabase } from './replicated-database.ts';
import type { Subject, SubjectOptions } from './subject.ts';

const SERVER_CLOCK = resolve(import.meta.dirname, 'server-clock.mjs');
const PASSWORD = 'Chaos-Meadow-7';
const HEALTH_EVERY_MS = 1_000;
const ASK_WITHIN_MS = 90_000;
const ASK_EVERY_MS = 200;

export interface NodeClusterOptions extends SubjectOptions {
  /** Number of head-ends, at least 2. */
  nodes: number;
  /** Whether a head-end of the previous release takes part. */
  hasPrevious: boolean;
}

/** Several head-ends on one PostgreSQL, with a balancer before their DLMS ports and a field that writes the oracle log. */
export class NodeCluster implements Subject {
  readonly folder = mkdtempSync(join(tmpdir(), 'hes-chaos-'));
  readonly oracleFile = join(this.folder, 'oracle.jsonl');
  readonly logFile = join(this.folder, 'product.log');
  readonly options: NodeClusterOptions;
  readonly nodes: NodeProcess[] = [];
  readonly #masterKey = randomBytes(32);
  readonly #field: SimulatedField;
  readonly #operators: Operators;
  readonly #database = new ReplicatedDatabase(join(this.folder, 'db'));
  /** Entry of the server of the previous release. */
  previousProgram = '';
  #link: Link | undefined;
  #pool: Pool | undefined;
  #balancer: Balancer | undefined;
  #dlmsPort = 0;
  #calls = 0;
  #aheadMs = 0;
  readonly #stopping = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  constructor(options: NodeClusterOptions) {
    this.options = options;
    // The database runs as another user.
    chmodSync(this.folder, 0o755);
    const { seed: ofWorld, scale, direct } = options;
    this.#field = new SimulatedField({ seed: ofWorld, scale, direct, oracleFile: this.oracleFile, logFile: this.logFile });
    this.#operators = new Operators({
      pool: () => this.pool,
      masterKey: () => this.#masterKey,
      now: () => this.now(),
      httpPort: () => this.#nextConsole(),
    });
  }

  get pool(): Pool {
    if (this.#pool === undefined) throw new Error('The cluster is not running');
    return this.#pool;
  }

  get dlmsPort(): number {
    return this.#dlmsPort;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  get #clockFile(): string {
    return join(this.folder, 'clock-ahead');
  }

  /** Consoles take turns; a caller whose head-end does not answer calls the next one. */
  #nextConsole(): number {
    const running = this.nodes.filter((node) => node.isRunning);
    return running[this.#calls++ % Math.max(1, running.length)]?.ports.http ?? 0;
  }

  async start(foreign?: { sn: string; port: number }): Promise<void> {
    writeFileSync(this.#clockFile, '0');
    await this.#startDatabase();
    if (this.options.hasPrevious) this.previousProgram = unpackRelease(previousRevision(), join(this.folder, 'previous'));
    await this.#makeNodes();
    const balancer = new Balancer(this.nodes.map(({ ports }) => ports.dlms));
    this.#balancer = balancer;
    this.#dlmsPort = await balancer.start();
    await this.#field.start(this.#dlmsPort);
    if (foreign !== undefined) await this.field('POST', `/foreign/${foreign.sn}`, { port: foreign.port });
    const file = commissioningFile.parse(await this.field('GET', '/world'));
    this.options.commission?.(file);
    const secrets = createSecrets(this.#masterKey);
    await commissionFleet(this.pool, secrets, file);
    await openDb(this.pool, handleKeys(chainKeyOf(secrets)))
      .transaction()
      .execute((tx) => sealEverything(tx));
    await Promise.all(this.nodes.map((node) => node.start()));
    this.#watching = this.#watchHealth(balancer);
  }

  /** The clock of the database must exist before the columns that use it as default. */
  async #startDatabase(): Promise<void> {
    const log = createLog('silent');
    await this.#database.start();
    const { owner } = this.#database;
    this.#link = new Link(join(this.folder, 'judge-db'), owner.socketDir);
    await this.#link.open();
    const pool = openPool({ connection: { ...owner, socketDir: this.#link.folder }, max: 6 }, log);
    this.#pool = pool;
    const setup = openPool({ connection: owner, max: 1 }, log);
    await setup.query(CLOCK_OF_DATABASE);
    await setup.end();
    await migrate(pool);
    await createPartitions(pool, Date.now());
    await seed(openDb(pool, handleKeys(chainKeyOf(createSecrets(this.#masterKey)))), { adminPassword: PASSWORD });
  }

  async #makeNodes(): Promise<void> {
    const { owner } = this.#database;
    for (let number = 1; number <= this.options.nodes; number++) {
      const node = new NodeProcess({
        name: `node-${number}`,
        folder: this.folder,
        roles: '',
        ports: { http: await freePort(), dlms: await freePort() },
        databaseFolder: owner.socketDir,
        databaseUrl: (socketDir) => urlOf({ ...owner, socketDir }),
        masterKey: this.#masterKey.toString('hex'),
        env: {
          HES_SHORTEST_RESPONSE_MS: String(SHORTEST_RESPONSE_MS),
          HES_LONGEST_RESPONSE_MS: String(LONGEST_RESPONSE_MS),
          HES_CLOCK_AHEAD_FILE: this.#clockFile,
          NODE_OPTIONS: `--import=${SERVER_CLOCK}`,
        },
      });
      for (const link of node.links) await link.open();
      this.nodes.push(node);
    }
  }

  get #links(): Link[] {
    return [...this.nodes.flatMap(({ links }) => links), ...(this.#link === undefined ? [] : [this.#link])];
  }

  /** Kills the primary, promotes its standby, and moves the address of the database there, for head-ends and judge. */
  async failOver(): Promise<void> {
    await this.#database.failOver();
    for (const link of this.#links) link.leadTo(this.#database.owner.socketDir);
  }

  /** Makes the cluster whole again for the next seed. */
  addStandby(): Promise<void> {
    return this.#database.addStandby();
  }

  /** Takes head-ends that do not answer out of the balancer, as its checks of health do. */
  async #watchHealth(balancer: Balancer): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await Promise.all(this.nodes.map(async (node) => balancer.setHealthy(node.ports.dlms, node.isRunning && (await node.isReady()))));
      await wait(HEALTH_EVERY_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  async rows<Row extends object>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    for (const until = performance.now() + ASK_WITHIN_MS; ; await wait(ASK_EVERY_MS)) {
      try {
        return (await this.pool.query<Row>(statement, [...values])).rows;
      } catch (error) {
        if (performance.now() > until) throw error;
      }
    }
  }

  async pass(ms: number): Promise<void> {
    this.#aheadMs += ms;
    await this.field('POST', '/clock', { aheadMs: this.#aheadMs });
    writeFileSync(this.#clockFile, String(this.#aheadMs));
    await this.rows('update public.clock_ahead set seconds = $1', [this.#aheadMs / 1000]);
  }

  deadline(limitMs: number): Deadline {
    return new Deadline(
      limitMs,
      [...this.nodes.map(({ pid }) => pid), this.#field.pid].flatMap((pid) => pid ?? []),
    );
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
    this.#stopping.abort();
    await this.#watching;
    await this.#pool?.end();
    await Promise.all(this.nodes.map((node) => node.end('SIGTERM')));
    await this.#field.stop();
    await this.#balancer?.stop();
    for (const link of this.#links) await link.close();
    await this.#database.stop();
  }

  remove(): void {
    if (!this.options.keep) rmSync(this.folder, { recursive: true, force: true });
  }
}
