import { failed } from '@hes/contract/core/outcome.ts';
import { orderOf, type DeviceTaskKind } from '@hes/contract/orders/every-order.ts';
import { z } from 'zod';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Finisher } from './finisher.ts';
import type { ClaimedItem, Operation, Operations, WorkItem, WorkReport } from './operation.ts';
import { failOffline } from './queries.ts';
import { LAST_OPERATOR_PRIORITY, retryAfter, retryRuleOf } from './retry.ts';
import { Supply, type Lane, type SupplyTools } from './supply.ts';

/** Intervals and time limits of the queue; tests use shorter ones. */
export interface Pace {
  /** Interval of the periodic job for leases and expired items. */
  sweepMs: number;
  /** Items of an offline DCU fail only when their task is older: DCUs need time to reconnect after a restart of the server. */
  offlineGraceS: number;
  /** The poll skips an unreachable DCU for this long; new work and a new connection end the wait. */
  unreachableMs: number;
  /** Factor for the waits between retries. */
  retryWait: number;
  /** After this long an item frees its slot, and the next meter is served in parallel. */
  fairMs: number;
}

/** Maximum number of long-running items per lane in addition to the regular slots. */
const MAX_LONG = 8;

export interface WorkerTools extends SupplyTools {
  operations: Partial<Operations>;
  finisher: Finisher;
  /** Called with items that failed, also with those that are retried. */
  onFailed(ids: readonly string[]): void;
  pace: Pace;
}

/** One lane of one DCU in execution. */
export interface LaneWork {
  /** Resolves when no item is left to claim. Never rejects: the dispatcher retries after a database failure. */
  ended: Promise<void>;
  /** Call when new work was queued: free slots start on it without waiting for long-running items. */
  more(): void;
}

/** Executes the items of one lane of one DCU, as many in parallel as the DCU supports. Long-running items share the channel block by block. */
export function workLane(tools: WorkerTools, dcuId: string, lane: Lane): LaneWork {
  const supply = new Supply(tools, dcuId, lane);
  const workers = new Set<Promise<void>>();
  let places = 0;
  let long = 0;
  const failed = (error: unknown) => tools.log.error('A worker failed', { error, dcuId, lane });
  // Each worker handles its own rejection: `run` may not yet await one that starts later.
  const begin = () => {
    const worker: Promise<void> = one()
      .catch(failed)
      .finally(() => workers.delete(worker));
    workers.add(worker);
  };
  const fill = () => {
    while (workers.size - long < places) begin();
  };
  /** Executes an item; true when it took so long that another worker has replaced this one. */
  const isReplaced = async (item: ClaimedItem): Promise<boolean> => {
    let replaced = false;
    const timer = setTimeout(() => {
      if (long >= MAX_LONG || orderOf(item.kind)?.takesLong === true) return;
      replaced = true;
      long++;
      fill();
    }, tools.pace.fairMs);
    await work(tools, item);
    clearTimeout(timer);
    if (replaced) long--;
    return replaced;
  };
  const one = async () => {
    for (let item = await supply.next(); item !== undefined; item = await supply.next()) if (await isReplaced(item)) return;
  };
  const run = async () => {
    if (!(await tools.reach.connect(dcuId))) return failUnreachable(tools, dcuId);
    places = tools.reach.parallelMeters(dcuId);
    fill();
    try {
      while (workers.size > 0) await Promise.race(workers);
    } finally {
      places = 0;
      await supply.close();
    }
  };
  const ended = run().catch(failed);
  const more = () => {
    supply.lookAgain();
    fill();
  };
  return { ended, more };
}

async function failUnreachable({ pool, pace, onChanged, onFailed }: WorkerTools, dcuId: string): Promise<void> {
  const failed = await failOffline(pool, dcuId, pace.offlineGraceS);
  onChanged(failed);
  onFailed(failed.map(({ id }) => id));
}

async function work(tools: WorkerTools, item: ClaimedItem): Promise<void> {
  const begun = monotonicNow();
  const report = await perform(tools, item);
  // Not awaited: the channel is free for the next item while the readings of this one are stored.
  void finish(tools, item, report, begun);
}

async function perform(tools: WorkerTools, item: ClaimedItem): Promise<WorkReport> {
  // as: the kind selects the operation and the schema of its params alike.
  const operation = tools.operations[item.kind as DeviceTaskKind] as Operation | undefined;
  const params = orderOf(item.kind)?.params.safeParse(item.params);
  if (operation === undefined || params === undefined)
    return { outcome: failed('INTERNAL', `No operation is called ${item.kind}`), traceId: undefined };
  if (!params.success) return { outcome: failed('INTERNAL', z.prettifyError(params.error)), traceId: undefined };
  try {
    return await operation({ ...item, kind: item.kind as DeviceTaskKind, params: params.data as WorkItem['params'] });
  } catch (error) {
    tools.log.error('An operation failed', { error, taskId: item.taskId, itemId: item.id, kind: item.kind });
    return { outcome: failed('INTERNAL'), traceId: undefined };
  }
}

async function finish(tools: WorkerTools, item: ClaimedItem, report: WorkReport, begun: MonotonicMs): Promise<void> {
  const latencyMs = Math.round(msSince(begun));
  let { outcome } = report;
  try {
    await report.stored;
  } catch (error) {
    tools.log.error('Readings of an item were not stored', { error, taskId: item.taskId, itemId: item.id });
    outcome = failed('INTERNAL', 'The readings could not be stored');
  }
  const base = { id: item.id, attempts: item.attempts, latencyMs, traceId: report.traceId ?? null };
  const urgent = item.priority <= LAST_OPERATOR_PRIORITY;
  if (outcome.ok && report.againInMs !== undefined) {
    const turn = { state: 'waiting', reasonCode: null, reasonText: null, result: outcome.value, againInMs: report.againInMs } as const;
    tools.finisher.add({ ...base, ...turn }, urgent);
    return;
  }
  if (outcome.ok) {
    tools.finisher.add({ ...base, state: 'read_success', reasonCode: null, reasonText: null, result: outcome.value, againInMs: 0 }, urgent);
    return;
  }
  const wait = retryAfter(outcome.reason, item.attempts, item.priority, retryRuleOf(item.params));
  const againInMs = wait === undefined ? undefined : Math.round(wait * tools.pace.retryWait);
  const state = againInMs === undefined ? 'read_fail' : 'waiting';
  const reason = { reasonCode: outcome.reason, reasonText: outcome.detail ?? null };
  tools.finisher.add({ ...base, state, ...reason, result: null, againInMs: againInMs ?? 0 }, urgent);
}
