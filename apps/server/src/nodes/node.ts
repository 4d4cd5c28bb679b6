import { randomUUID } from 'node:crypto';
import { NODE_ROLES, unfilledRoles, type NodeRole } from '@hes/contract/states/node.ts';
import { msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import { listMigrations, schemaOf } from '#db/migration.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { StartError } from '#platform/start-error.ts';
import { guardianOf } from './guardian.ts';
import type { Turn, Turns } from './turns.ts';
import {
  beginDrain,
  endDeadNode,
  endDrain,
  endNode,
  endUnnamedSessions,
  extendNode,
  findOpenNodes,
  insertNode,
  takeTurn,
  type OpenNode,
} from './queries.ts';

const BEAT_MS = 2_000;
/** Without a sign of life and without its lock, a node is dead after this time. */
const DEAD_MS = 10_000;
/** A lock outlives a machine that has lost its network or hangs, so after this time it does not count. */
const CERTAINLY_DEAD_MS = 20_000;
/** A node that could not look at the others for longer has seen none of their signs of life: it begins to wait for them again. */
const BLIND_MS = 5_000;
/** A former run of the same name without a lock is observed for this time, in which a living one gives a sign of life. */
const UNLOCKED_MS = 3_000;
/** Interval of the looks at a node of the same name that may still be alive. */
const LOOK_MS = 500;

export interface NodeOptions {
  /** Stays the same when the node starts again. */
  name: string;
  version: string;
  /** Default: all. */
  roles?: readonly NodeRole[] | undefined;
  /** Number of the newest migration that its program knows. Default: of this program. */
  schema?: number | undefined;
  /** Percentage of routine collection whose frames it keeps. Default: it holds no devices. */
  traceShare?: number | undefined;
}

/** What this node last saw of another one. */
interface Sight {
  node: OpenNode;
  /** When its sign of life last changed, by the clock of this process. */
  changed: MonotonicMs;
}

/**
 * This head-end among all that work on the database: says that it is alive, notices the birth and death of others, and knows which of them
 * looks after a device without a connection. Signs of life are compared with earlier ones and timed by the monotonic clock, so that a step
 * of the database's clock ends no node.
 */
export class Node implements Turns {
  /** Name of its leases, which outlives its row: a node that was declared dead by mistake continues under another id. */
  readonly owner = randomUUID();
  readonly #ctx: Pick<Context, 'pool' | 'log' | 'clock'>;
  readonly #options: NodeOptions;
  readonly #others = new Map<string, Sight>();
  /** Ids of nodes that were alive since this one began. */
  readonly #met = new Set<string>();
  readonly #deathListeners = new Set<() => void>();
  readonly #changeListeners = new Set<() => void>();
  readonly #lossListeners = new Set<() => void>();
  /** Turns that this node has; only the others take them, after they have declared it dead. */
  readonly #turns = new Set<Turn>();
  readonly #drainListeners = new Set<(isDraining: boolean) => void>();
  #isDraining = false;
  /** Its process is to stop: an order to resume comes too late. */
  #isEnding = false;
  #id = '';
  /** When it last looked at the others, and whether it was blind before. */
  #lastLook: MonotonicMs;
  #wasBlind = false;
  #lastDeath: MonotonicMs;
  #job: PeriodicJob | undefined;

  constructor(ctx: Pick<Context, 'pool' | 'log' | 'clock'>, options: NodeOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#lastDeath = ctx.clock.monotonic();
    this.#lastLook = this.#lastDeath;
  }

  get id(): string {
    return this.#id;
  }

  get name(): string {
    return this.#options.name;
  }

  get roles(): readonly string[] {
    return this.#options.roles ?? NODE_ROLES;
  }

  /** Whether this node communicates with devices. */
  get takesDevices(): boolean {
    return this.roles.includes('field');
  }

  /** Number of living nodes with a role, at least one. */
  countOf(role: NodeRole): number {
    return Math.max(1, this.#rolesOfLiving().filter((roles) => roles.includes(role)).length);
  }

  /** Roles that no living node has. */
  get unfilledRoles(): NodeRole[] {
    return unfilledRoles(this.#rolesOfLiving());
  }

  #rolesOfLiving(): (readonly string[])[] {
    return [this.roles, ...[...this.#others.values()].map(({ node }) => node.roles)];
  }

  /** Ids of the nodes that are believed to be alive, with this one. */
  get alive(): string[] {
    return [this.#id, ...this.others];
  }

  /** Ids of the other nodes that are believed to be alive. */
  get others(): string[] {
    return [...this.#others.keys()];
  }

  /** Whether a node was alive since this one began. It may have reserved higher counters than this one. */
  hasMet(id: string): boolean {
    return this.#met.has(id);
  }

  /** Whether another node was alive since this one began: it may have adopted devices of this one, and have died since. */
  get hasMetOthers(): boolean {
    return this.#met.size > 0;
  }

  /** Milliseconds since a node last died or handed over its devices, or since this one began to look. */
  get msSinceDeath(): number {
    return this.#msSince(this.#lastDeath);
  }

  /** This node takes no work, and hands over what it has. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** The other nodes that communicate with devices. */
  get #otherHolders(): OpenNode[] {
    return [...this.#others.values()].map(({ node }) => node).filter(takesDevices);
  }

  /** Whether another node is alive that answers callers. */
  get hasOtherWeb(): boolean {
    return [...this.#others.values()].some(({ node }) => node.roles.includes('web') && !node.isDraining);
  }

  /** Whether another node is alive that takes devices. */
  get hasSuccessor(): boolean {
    return this.#otherHolders.some(({ isDraining }) => !isDraining);
  }

  /**
   * Whether this node dials the device, and fails its waiting items as offline, while no node is connected to it. Nodes without the role `field`
   * guard none, nor do nodes that drain, unless all drain.
   */
  isGuardianOf(endpointId: string): boolean {
    if (!this.takesDevices) return false;
    const others = this.#otherHolders;
    if (others.length === 0) return true;
    const nodes = [{ name: this.name, isDraining: this.#isDraining }, ...others];
    const working = nodes.filter(({ isDraining }) => !isDraining);
    const names = (working.length === 0 ? nodes : working).map(({ name }) => name);
    return guardianOf(endpointId, names) === this.name;
  }

  /** Whether work for a device is this node's, given the id of the node that holds its connection. */
  mayServe(endpointId: string, holder: string | null): boolean {
    if (holder === this.#id) return true;
    return (holder === null || !this.#others.has(holder)) && this.isGuardianOf(endpointId);
  }

  async takeTurn(turn: Turn): Promise<boolean> {
    if (this.#isDraining) return false;
    if (this.#turns.has(turn)) return true;
    const id = this.#id;
    if (id === '' || !(await takeTurn(this.#ctx.pool, turn, id))) return false;
    if (id === this.#id) this.#turns.add(turn);
    return true;
  }

  #msSince(instant: MonotonicMs): number {
    return msBetween(instant, this.#ctx.clock.monotonic());
  }

  /** Calls the listener after another node has died, stopped, or handed over its devices. Returns a function that removes the listener. */
  onDeath(listener: () => void): () => void {
    this.#deathListeners.add(listener);
    return () => void this.#deathListeners.delete(listener);
  }

  /** Calls the listener after another node was born, died or stopped. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => void this.#changeListeners.delete(listener);
  }

  /** Calls the listener when this node is ordered to drain (true) or to resume (false). Returns a function that removes the listener. */
  onDrain(listener: (isDraining: boolean) => void): () => void {
    this.#drainListeners.add(listener);
    return () => void this.#drainListeners.delete(listener);
  }

  /** Begins to drain, as when its process is to stop. */
  async drain(): Promise<void> {
    this.#isEnding = true;
    await beginDrain(this.#ctx.pool, this.#id);
    this.#setDraining(true);
  }

  /** Tells the others that nothing is left to hand over; `devices` were. */
  noteDrained(devices: number): Promise<void> {
    return endDrain(this.#ctx.pool, this.#id, devices);
  }

  #setDraining(isDraining: boolean): void {
    if (isDraining === this.#isDraining) return;
    this.#isDraining = isDraining;
    // They were released with the order.
    if (isDraining) this.#turns.clear();
    for (const listener of this.#drainListeners) listener(isDraining);
  }

  /** Calls the listener when others have declared this node dead: its connections are theirs now. */
  onLoss(listener: () => void): () => void {
    this.#lossListeners.add(listener);
    return () => void this.#lossListeners.delete(listener);
  }

  async start(): Promise<void> {
    await this.#replaceFormer();
    await endUnnamedSessions(this.#ctx.pool);
    await this.#insert();
    await this.#look();
    this.#lastDeath = this.#ctx.clock.monotonic();
    this.#job = startPeriodicJob(
      BEAT_MS,
      () => this.beat(),
      (error) => this.#ctx.log.warn('The sign of life of this node could not be written', { error }),
    );
  }

  /** Writes a sign of life, looks at the others, and ends those that are dead. */
  async beat(): Promise<void> {
    const own = await extendNode(this.#ctx.pool, this.#id);
    if (own === undefined) await this.#continueAfterLoss();
    else if (!this.#isEnding) this.#setDraining(own.isDraining);
    await this.#look();
    let haveEnded = false;
    for (const { node, changed } of this.#others.values()) {
      if (this.#msSince(changed) < (node.isLocked ? CERTAINLY_DEAD_MS : DEAD_MS)) continue;
      if (!(await endDeadNode(this.#ctx.pool, node))) continue;
      haveEnded = true;
      this.#ctx.log.warn('A node of the head-end died', { name: node.name, id: node.id });
    }
    if (haveEnded) await this.#look();
  }

  async #look(): Promise<void> {
    const found = await findOpenNodes(this.#ctx.pool);
    const open = new Set(found.map(({ id }) => id));
    const hasNewSight = this.#endBlindness();
    let haveDied = false;
    const hasBirth = found.some(({ id }) => id !== this.#id && !this.#others.has(id));
    let haveFreed = false;
    for (const id of this.#others.keys())
      if (!open.has(id)) {
        this.#others.delete(id);
        haveDied = true;
      }
    for (const node of found) {
      if (node.id === this.#id) continue;
      const seen = this.#others.get(node.id);
      haveFreed ||= isFreed(seen?.node, node);
      const changed = seen?.node.aliveAt === node.aliveAt && !hasNewSight ? seen.changed : this.#ctx.clock.monotonic();
      this.#others.set(node.id, { node, changed });
      this.#met.add(node.id);
    }
    if (haveDied || hasBirth) for (const listener of this.#changeListeners) listener();
    if (!haveDied && !haveFreed) return;
    this.#lastDeath = this.#ctx.clock.monotonic();
    for (const listener of this.#deathListeners) listener();
  }

  /**
   * Whether this look is the first one after a time without the database. The others had none either, and those that reach it a moment later
   * are not dead. It holds for one look: a node that always looks too rarely still finds the dead.
   */
  #endBlindness(): boolean {
    const isBlind = this.#msSince(this.#lastLook) > BLIND_MS;
    const hasNewSight = isBlind && !this.#wasBlind;
    this.#wasBlind = isBlind;
    this.#lastLook = this.#ctx.clock.monotonic();
    return hasNewSight;
  }

  async #continueAfterLoss(): Promise<void> {
    this.#ctx.log.warn('Other nodes have declared this one dead: it closes its connections and continues', { id: this.#id });
    this.#turns.clear();
    for (const listener of this.#lossListeners) listener();
    await this.#insert().catch((error: unknown) => {
      // What it needs of the schema was removed while it counted as dead: it takes no work until it is replaced.
      if (error instanceof StartError) this.#setDraining(true);
      throw error;
    });
  }

  async #insert(): Promise<void> {
    const { name, version, schema = schemaOf(listMigrations()), traceShare = null } = this.#options;
    const { owner, roles, isDraining } = this;
    this.#id = await insertNode(this.#ctx.pool, { name, version, owner, roles, isDraining, schema, traceShare });
  }

  /** Ends the row of an earlier run of this node at once. Fails when a process of the same name is alive. */
  async #replaceFormer(): Promise<void> {
    const { pool } = this.#ctx;
    const findFormer = async () => (await findOpenNodes(pool)).filter(({ name }) => name === this.name);
    const began = this.#ctx.clock.monotonic();
    const former = await findFormer();
    const first = new Map(former.map((node) => [node.id, node]));
    for (let left = former; left.length > 0; left = await findFormer()) {
      for (const node of left) {
        if (node.aliveAt !== first.get(node.id)?.aliveAt)
          throw new StartError(`A head-end named "${this.name}" is already running on this database. Set HES_NODE_NAME to another name.`);
        if (this.#msSince(began) >= observedMs(node)) await endDeadNode(pool, node);
      }
      if (left.some((node) => observedMs(node) > 0)) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async stop(): Promise<void> {
    await this.#job?.stop();
    this.#turns.clear();
    await endNode(this.#ctx.pool, this.#id).catch((error: unknown) =>
      this.#ctx.log.warn('The end of this node could not be written', { error }),
    );
  }
}

const takesDevices = ({ roles }: Pick<OpenNode, 'roles'>): boolean => roles.includes('field');

/** How long a former run of the same name is observed. Only the queue of a node with the role `field` holds its lock. */
const observedMs = (node: OpenNode): number => (node.isLocked ? CERTAINLY_DEAD_MS : takesDevices(node) ? 0 : UNLOCKED_MS);

/** Whether devices of a node may have been without one since the last look: it began to drain, or has handed over all. */
const isFreed = (before: OpenNode | undefined, now: OpenNode): boolean =>
  before !== undefined && (before.isDraining !== now.isDraining || before.isDrained !== now.isDrained);
