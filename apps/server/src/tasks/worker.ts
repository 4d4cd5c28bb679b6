import { failed } from '@hes/contract/core/outcome.ts';
import { orderOf, type DeviceTaskKind } from '@hes/contract/orders/every-order.ts';
import { paramsSchema } from '@hes/contract/orders/order-params.ts';
import { z } from 'zod';
import { isStorageUnavailable } from '#platform/storage-unavailable.ts';
import { inSpan } from '#platform/spans.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { ResultWriter } from './result-writer.ts';
import type { ClaimedItem, Operation, Operations, WorkItem, WorkReport } from './operation.ts';
import type { FinishedItem } from './finished-item.ts';
import { failOffline } from './queries.ts';
import { LAST_OPERATOR_PRIORITY, retryAfter, retryRuleOf } from './retry.ts';
import { ClaimBuffer, type Lane, type ClaimBufferTools } from './claim-buffer.ts';

/** Intervals and time limits of the queue; tests use shorter ones. */
export interface Pace {
  /** Interval of the periodic job for leases and expired items. */
  maintenanceMs: number;
  /** Items of an offline DCU fail only when their task is older: DCUs need time to reconnect after a restart of the server. */
  offlineGraceS: number;
  /** The periodic scan skips an unreachable DCU for this long; new work and a new connection end the wait. */
  unreachableMs: number;
  /** Factor for the waits between retries. */
  retryWait: number;
  /** After this long an item frees its slot for the next meter, unless its order is declared `takesLong`. */
  fairMs: number;
}

/** Maximum number of long-running items per lane in addition to the regular slots. */
const MAX_LONG_RUNNING = 8;

export interface WorkerTools extends ClaimBufferTools {
  operations: Partial<Operations>;
  resultWriter: ResultWriter;
  /** Called with items that failed, also with those that are retried. */
  onFailed(ids: readonly string[]): void;
  pace: Pace;
}

/** One lane of one DCU in execution. */
export interface LaneRun {
  /** Resolves when no item is left to claim. Never rejects: the dispatcher retries after a database failure. */
  ended: Promise<void>;
  /** Call when new work was queued: free slots start on it without waiting for long-running items. */
  notifyNewWork(): void;
}

/** Executes the items of one lane of one DCU, as many in parallel as the DCU supports. Long-running items share the channel block by block. */
export function runLane(tools: WorkerTools, dcuId: string, lane: Lane): LaneRun {
  const buffer = new ClaimBuffer(tools, dcuId, lane);
  const workers = new Set<Promise<void>>();
  /** Meters of the items in execution; null for those of the DCU itself, of which several may run at once. */
  const busyMeters = new Set<string | null>();
  const isBusy = ({ meterId }: ClaimedItem): boolean => meterId !== null && busyMeters.has(meterId);
  const markBusy = ({ meterId }: ClaimedItem): void => void busyMeters.add(meterId);
  let slots = 0;
  let longRunning = 0;
  const logFailure = (error: unknown) => tools.log.error('A worker failed', { error, dcuId, lane });
  // Each worker handles its own rejection: `executeLane` may not yet await one that starts later.
  const startWorker = () => {
    const worker: Promise<void> = executeItems()
      .catch(logFailure)
      .finally(() => workers.delete(worker));
    workers.add(worker);
  };
  const fillSlots = () => {
    while (workers.size - longRunning < slots) startWorker();
  };
  /** Executes an item. When it takes so long that another worker replaces this one, it counts as long-running until it ends. */
  const runItem = async (item: ClaimedItem): Promise<void> => {
    let replaced = false;
    const timer = setTimeout(() => {
      if (longRunning >= MAX_LONG_RUNNING || orderOf(item.kind)?.takesLong === true) return;
      replaced = true;
      longRunning++;
      fillSlots();
    }, tools.pace.fairMs);
    await processItem(tools, item);
    busyMeters.delete(item.meterId);
    clearTimeout(timer);
    if (replaced) longRunning--;
  };
  const executeItems = async () => {
    const next = () => buffer.next(isBusy, markBusy);
    for (let item = await next(); item !== undefined; item = await next()) {
      await runItem(item);
      // A replaced worker that has ended is one too many, unless its place is free.
      if (workers.size - longRunning > slots) return;
    }
  };
  const executeLane = async () => {
    if (!(await tools.reach.connect(dcuId))) return failUnreachable(tools, dcuId);
    slots = tools.reach.parallelMeters(dcuId);
    fillSlots();
    try {
      while (workers.size > 0) await Promise.race(workers);
    } finally {
      slots = 0;
      await buffer.close();
    }
  };
  const ended = executeLane().catch(logFailure);
  const notifyNewWork = () => {
    buffer.allowClaim();
    fillSlots();
  };
  return { ended, notifyNewWork };
}

async function failUnreachable({ pool, pace, onChanged, onFailed }: WorkerTools, dcuId: string): Promise<void> {
  const failed = await failOffline(pool, dcuId, pace.offlineGraceS);
  onChanged(failed);
  onFailed(failed.map(({ id }) => id));
}

const deviceOf = ({ dcuId, meterId }: ClaimedItem) => ({ 'hes.dcu.id': dcuId, ...(meterId === null ? {} : { 'hes.meter.id': meterId }) });

async function processItem(tools: WorkerTools, item: ClaimedItem): Promise<void> {
  const begun = monotonicNow();
  const span = () => ({
    kind: 'consumer' as const,
    attributes: { 'hes.task.id': item.taskId, 'hes.item.id': item.id, 'hes.attempt': item.attempts, ...deviceOf(item) },
    parent: item.traceparent ?? null,
    judge: ({ outcome }: WorkReport) => (outcome.ok ? {} : { error: outcome.reason }),
  });
  const report = await inSpan(`item ${item.kind}`, span, () => executeItem(tools, item));
  // Not awaited: the channel is free for the next item while the readings of this one are stored.
  void reportResult(tools, item, report, begun);
}

async function executeItem(tools: WorkerTools, item: ClaimedItem): Promise<WorkReport> {
  // as: the kind selects the operation and the schema of its params alike.
  const operation = tools.operations[item.kind as DeviceTaskKind] as Operation | undefined;
  const order = orderOf(item.kind);
  const params = order && paramsSchema(order).safeParse(item.params);
  if (operation === undefined || params === undefined)
    return { outcome: failed('INTERNAL', `No operation is called ${item.kind}`), traceId: undefined };
  if (!params.success) return { outcome: failed('INTERNAL', z.prettifyError(params.error)), traceId: undefined };
  try {
    return await operation({ ...item, kind: item.kind as DeviceTaskKind, params: params.data as WorkItem['params'] });
  } catch (error) {
    tools.log.error('An operation failed', { error, taskId: item.taskId, itemId: item.id, kind: item.kind });
    return {
      outcome: failed(isStorageUnavailable(error) && mayBeginAgain(item.kind) ? 'STORAGE_UNAVAILABLE' : 'INTERNAL'),
      traceId: undefined,
    };
  }
}

/** Reads, and commands that read the device back before they are sent again. */
function mayBeginAgain(kind: string): boolean {
  const order = orderOf(kind);
  return order !== undefined && (!order.changesDevice || order.needsReadBack);
}

async function reportResult(tools: WorkerTools, item: ClaimedItem, report: WorkReport, begun: MonotonicMs): Promise<void> {
  const latencyMs = Math.round(msSince(begun));
  let { outcome } = report;
  try {
    await report.stored;
  } catch (error) {
    // A head-end that stops ends the writer, and the item is read again by the next one.
    tools.log[tools.stopping() ? 'info' : 'error']('Readings of an item were not stored', { error, taskId: item.taskId, itemId: item.id });
    outcome = failed(isStorageUnavailable(error) ? 'STORAGE_UNAVAILABLE' : 'INTERNAL', 'The readings could not be stored');
  }
  const base = { id: item.id, attempts: item.attempts, latencyMs, traceId: report.traceId ?? null };
  const add = (result: Omit<FinishedItem, keyof typeof base>): void => {
    if (item.shared === undefined || item.meterId === null)
      tools.resultWriter.add({ ...base, ...result }, item.priority <= LAST_OPERATOR_PRIORITY);
    else tools.resultWriter.addMember(item.shared, item.meterId, { ...base, ...result });
  };
  if (outcome.ok) {
    const ended = { state: 'read_success', reasonCode: null, reasonText: null, result: outcome.value, againInMs: 0 } as const;
    return add(report.againInMs === undefined ? ended : { ...ended, state: 'waiting', againInMs: report.againInMs });
  }
  const wait = retryAfter(outcome.reason, item.attempts, item.priority, retryRuleOf(item.params));
  const againInMs = wait === undefined ? undefined : Math.round(wait * tools.pace.retryWait);
  const state = againInMs === undefined ? 'read_fail' : 'waiting';
  add({ state, reasonCode: outcome.reason, reasonText: outcome.detail ?? null, result: null, againInMs: againInMs ?? 0 });
}
