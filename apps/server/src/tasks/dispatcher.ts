import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { LONG_AGO, msFromNow, msUntil, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import { inTurn } from '#nodes/turns.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { within } from '#platform/within.ts';
import { recordFailureReasons } from '#storage/gaps.ts';
import { ProgressPublisher } from './progress-publisher.ts';
import { ClockSteps } from './clock-steps.ts';
import { OverdueRetries } from './overdue-retries.ts';
import { isPossiblyExecuted } from './possibly-executed.ts';
import { ResultWriter } from './result-writer.ts';
import { InFlight } from './in-flight.ts';
import type { Operations, Ownership, Reach, ClaimedItem } from './operation.ts';
import {
  bringForward,
  endStopped,
  expireItems,
  findBusyDcus,
  findSuspendedTasks,
  deleteEmptyClaims,
  releaseDeadLeases,
  findUnknownLeases,
  releaseLost,
  releaseOrphans,
  releaseAllItems,
  renewLeases,
  correctFutureTasks,
  shiftDueTimes,
  holdLivenessLock,
  type EndedItem,
  type SuspendedTask,
} from './queries.ts';
import { TASK_CHANNEL } from './store.ts';
import { lanesBetween, type Lane } from './claim-buffer.ts';
import { runLane, type LaneRun, type Pace, type WorkerTools } from './worker.ts';

const SCAN_INTERVAL_MS = 1_000;
const PACE: Pace = { maintenanceMs: 10_000, offlineGraceS: 5, unreachableMs: 5_000, retryWait: 1, fairMs: 15_000 };
const CLOCK_INTERVAL_MS = 5_000;
const LISTEN_RETRY_MS = 2_000;
const STOP_TIMEOUT_MS = 2_000;

/** A head-end that shares its database with no other. */
const alone = (): Ownership => ({
  owner: randomUUID(),
  others: [],
  mayServe: () => true,
  onDeath: () => () => undefined,
  takeTurn: () => Promise.resolve(true),
});

export type DispatcherContext = Pick<Context, 'pool' | 'direct' | 'bus' | 'clock' | 'log'>;

/**
 * Dispatches waiting items to reachable DCUs: one run per DCU and lane, which executes items in parallel as the DCU allows, and none for a
 * DCU without work. NOTIFY and a DCU that comes online wake it; a periodic scan covers lost notifications.
 */
export class Dispatcher {
  readonly owner: string;
  readonly #ctx: DispatcherContext;
  readonly #tools: WorkerTools;
  readonly #progress: ProgressPublisher;
  readonly #running = new Map<string, LaneRun>();
  readonly #rescan = new Set<string>();
  readonly #clockSteps: ClockSteps;
  readonly #retries: OverdueRetries;
  readonly #unreachableUntil = new Map<string, MonotonicMs>();
  #suspendedTasks: ReadonlyMap<string, SuspendedTask> = new Map();
  #scanJob: PeriodicJob | undefined;
  #maintenanceJob: PeriodicJob | undefined;
  #clockJob: PeriodicJob | undefined;
  readonly #node: Ownership;
  /** Changes to the queue that concern no single node. */
  readonly #cleanUpInTurn: () => Promise<void>;
  readonly #unsubscribe: (() => void)[];
  #listener: PoolClient | undefined;
  #listenTimer: NodeJS.Timeout | undefined;
  #scanning: Promise<void> | undefined;
  #scanAgain = false;
  #stopping = false;
  /** Ids of leased items that were not in flight at the last look. */
  #unknownLeases: ReadonlySet<string> = new Set();
  /** Nothing is claimed, and claimed items that were not started return to the queue. */
  #draining = false;
  #recording: Promise<void> = Promise.resolve();

  constructor(
    ctx: DispatcherContext,
    { node = alone(), ...options }: { operations: Partial<Operations>; reach: Reach; node?: Ownership },
    pace: Partial<Pace> = {},
  ) {
    const log = ctx.log.child({ part: 'dispatcher' });
    this.#ctx = { ...ctx, log };
    this.#clockSteps = new ClockSteps(ctx.clock);
    this.#retries = new OverdueRetries(ctx.clock);
    this.#progress = new ProgressPublisher(this.#ctx);
    const onChanged: WorkerTools['onChanged'] = (items) => this.#progress.changed(items);
    this.#node = node;
    this.#cleanUpInTurn = inTurn(node, 'queue', () => this.#cleanUp());
    this.owner = node.owner;
    const { owner } = this;
    const inFlight = new InFlight();
    const onFailed = (ids: readonly string[]) => this.#recordFailureReasons(ids);
    const onEnded = (items: EndedItem[], failedIds: string[]) => {
      onChanged(items);
      onFailed(failedIds);
    };
    const onPostponed = ({ id, againInMs }: { id: string; againInMs: number }) => this.#retries.add(id, againInMs);
    const resultWriter = new ResultWriter({ pool: ctx.pool, owner, log, inFlight, onEnded, onPostponed });
    this.#tools = {
      pool: ctx.pool,
      log,
      owner,
      pace: { ...PACE, ...pace },
      ...options,
      inFlight,
      resultWriter,
      onChanged,
      onFailed,
      stopping: () => this.#stopping || this.#draining,
      isSuspended: (item) => this.#isSuspended(item),
    };
    const onReachable = (dcuId: string) => {
      this.#unreachableUntil.delete(dcuId);
      this.wake();
    };
    // The leases of a dead node return to the queue at once.
    this.#unsubscribe = [options.reach.onReachable(onReachable), node.onDeath(() => void this.runMaintenance())];
  }

  async start(): Promise<void> {
    await this.#listen();
    this.#scanJob = startPeriodicJob(
      SCAN_INTERVAL_MS,
      () => this.#scanAndWait(),
      (error) => this.#logScanFailure(error),
    );
    this.#maintenanceJob = startPeriodicJob(
      this.#tools.pace.maintenanceMs,
      () => this.#maintain(),
      (error) => this.#ctx.log.warn('Leases and expired items could not be checked', { error }),
    );
    // A job of its own, because a step must be noticed while other maintenance waits for locks.
    this.#clockJob = startPeriodicJob(
      CLOCK_INTERVAL_MS,
      () => this.#correctDueTimes(),
      (error) => this.#ctx.log.warn('The clock of the database could not be compared', { error }),
    );
    await this.runMaintenance();
    this.wake();
  }

  /** Scans for work now; calls during a scan cause one more scan after it. */
  wake(): void {
    if (this.#stopping) return;
    if (this.#scanning !== undefined) {
      this.#scanAgain = true;
      return;
    }
    this.#scanning = this.#scan().finally(() => {
      this.#scanning = undefined;
      if (!this.#scanAgain) return;
      this.#scanAgain = false;
      this.wake();
    });
  }

  #logScanFailure(error: unknown): void {
    this.#ctx.log.warn('The queue could not be read', { error });
  }

  async #scanAndWait(): Promise<void> {
    this.wake();
    await this.#scanning;
  }

  async #scan(): Promise<void> {
    try {
      const suspended = await findSuspendedTasks(this.#ctx.pool);
      this.#suspendedTasks = new Map(suspended.map((task) => [task.id, task]));
      if (suspended.some(({ isStopped }) => isStopped)) this.#progress.changed(await endStopped(this.#ctx.pool));
      for (const { dcuId, first, last, nodeId } of await findBusyDcus(this.#ctx.pool, this.#node.others)) {
        if (!this.#node.mayServe(dcuId, nodeId)) continue;
        if (msUntil(this.#unreachableUntil.get(dcuId) ?? LONG_AGO) > 0) continue;
        for (const lane of lanesBetween(first, last)) this.#startLane(dcuId, lane);
      }
    } catch (error) {
      this.#logScanFailure(error);
    }
  }

  /** A claimed item is not started after its task was paused or stopped, except a possibly executed command: it still needs its read-back. */
  #isSuspended(item: ClaimedItem): boolean {
    const task = this.#suspendedTasks.get(item.taskId);
    return task !== undefined && !(task.isStopped && isPossiblyExecuted(item));
  }

  #startLane(dcuId: string, lane: Lane): void {
    const key = `${dcuId}/${lane}`;
    if (this.#stopping || this.#draining) return;
    const running = this.#running.get(key);
    if (running !== undefined) {
      running.notifyNewWork();
      // The lane may be about to end without another claim, so the queue is scanned again after it.
      this.#rescan.add(key);
      return;
    }
    const work = runLane(this.#tools, dcuId, lane);
    this.#running.set(key, work);
    void work.ended.finally(() => {
      this.#running.delete(key);
      if (this.#rescan.delete(key)) this.wake();
      if (!this.#tools.reach.isOnline(dcuId)) this.#unreachableUntil.set(dcuId, msFromNow(this.#tools.pace.unreachableMs));
      else this.#unreachableUntil.delete(dcuId);
    });
  }

  async #listen(): Promise<void> {
    try {
      const client = await (this.#ctx.direct ?? this.#ctx.pool).connect();
      this.#listener = client;
      client.on('notification', () => {
        this.#unreachableUntil.clear();
        this.wake();
      });
      client.once('error', () => {
        // `stop` has released this client already, and the database closed the connection first.
        if (this.#listener !== client) return;
        client.release(true);
        this.#listener = undefined;
        this.#scheduleListen();
      });
      await holdLivenessLock(client, this.owner);
      await client.query(`listen ${TASK_CHANNEL}`);
      // A crash of the database also closes this connection, and loses results that were acknowledged before they were on disk.
      if ((await releaseOrphans(this.#ctx.pool, this.owner, this.#tools.inFlight.ids)) > 0) this.wake();
      this.#tools.reach.onDatabaseBack();
    } catch (error) {
      this.#ctx.log.warn('Listening for new work failed: only the periodic scan finds it until the next attempt', { error });
      this.#scheduleListen();
    }
  }

  /** A database needs longer to restart than one attempt to connect takes, so attempts repeat until one succeeds. */
  #scheduleListen(): void {
    clearTimeout(this.#listenTimer);
    if (!this.#stopping) this.#listenTimer = setTimeout(() => void this.#listen(), LISTEN_RETRY_MS);
  }

  /** Runs the periodic job for leases and expired items now. */
  async runMaintenance(): Promise<void> {
    await this.#maintenanceJob?.runNow();
  }

  /** A failure only delays the reasons: the next gap scan finds the same attempts. */
  #recordFailureReasons(itemIds: readonly string[]): void {
    this.#recording = this.#recording
      .then(() => recordFailureReasons(this.#ctx.pool, itemIds))
      .catch((error: unknown) => this.#ctx.log.warn('Reasons of gaps could not be written', { error }));
  }

  async #correctDueTimes(): Promise<void> {
    const { pool, log } = this.#ctx;
    const { setBackMs: backMs, corrected: postponed } = await this.#clockSteps.correct(pool, (ms) => shiftDueTimes(pool, ms));
    const late = await this.#retries.correct((ids) => bringForward(pool, ids));
    const items = postponed + late + (await correctFutureTasks(pool));
    if (backMs === 0 && items === 0) return;
    const seconds = backMs === 0 ? undefined : Math.round(backMs / 1000);
    log.warn('The clock of the database was set back, and due times were corrected', { seconds, items });
    if (items > 0) this.wake();
  }

  async #maintain(): Promise<void> {
    await renewLeases(this.#ctx.pool, this.owner, this.#tools.inFlight.ids);
    if ((await releaseDeadLeases(this.#ctx.pool, this.owner, this.#tools.inFlight.ids)) > 0) this.wake();
    await this.#releaseLost();
    await this.#cleanUpInTurn();
  }

  async #cleanUp(): Promise<void> {
    await deleteEmptyClaims(this.#ctx.pool);
    const expired = await expireItems(this.#ctx.pool);
    this.#progress.changed(expired);
    this.#recordFailureReasons(expired.map(({ id }) => id));
  }

  /** Releases leases that this process does not know at two looks in a row: at the first one, the response to their claim may be on its way. */
  async #releaseLost(): Promise<void> {
    const { pool, log } = this.#ctx;
    const unknown = await findUnknownLeases(pool, this.owner, this.#tools.inFlight.ids);
    const inFlight = new Set(this.#tools.inFlight.ids);
    const lost = unknown.filter((id) => this.#unknownLeases.has(id) && !inFlight.has(id));
    this.#unknownLeases = new Set(unknown);
    if (lost.length === 0) return;
    const items = await releaseLost(pool, this.owner, lost);
    log.warn('Claimed items that were not executed return to the queue', { items });
    this.wake();
  }

  /** Claims nothing more until `resume`; items in execution continue. */
  drain(): void {
    this.#draining = true;
  }

  resume(): void {
    this.#draining = false;
    this.wake();
  }

  /** Whether items of this DCU are in execution. */
  isBusy(dcuId: string): boolean {
    return (['operator', 'bulk'] as const).some((lane) => this.#running.has(`${dcuId}/${lane}`));
  }

  /** Number of claimed items whose result is not written yet. */
  get inFlight(): number {
    return this.#tools.inFlight.size;
  }

  /** Returns all items of this node to the queue. Results that arrive later have no effect: another node executes these items. */
  releaseLeases(): Promise<void> {
    return releaseAllItems(this.#ctx.pool, this.owner);
  }

  /** Waits at most `STOP_TIMEOUT_MS` for running items, releases the others, and closes all timers and connections. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all([this.#scanJob?.stop(), this.#maintenanceJob?.stop(), this.#clockJob?.stop()]);
    clearTimeout(this.#listenTimer);
    await within(Promise.all([...this.#running.values()].map(({ ended }) => ended)), STOP_TIMEOUT_MS, undefined);
    await this.#scanning;
    await this.#tools.resultWriter.close();
    await releaseAllItems(this.#ctx.pool, this.owner).catch((error: unknown) =>
      this.#ctx.log.warn('Leases could not be released', { error }),
    );
    await Promise.all([this.#progress.stop(), this.#recording]);
    this.#listener?.release(true);
    this.#listener = undefined;
  }
}
