import { failed } from '@hes/contract/core/outcome.ts';
import { orderOf, type DeviceTaskKind } from '@hes/contract/orders/every-order.ts';
import { z } from 'zod';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Finisher } from './finisher.ts';
import type { ClaimedItem, Operation, Operations, WorkItem, WorkReport } from './operation.ts';
import { failOffline } from './queries.ts';
import { LAST_OPERATOR_PRIORITY, retryAfter, retryRuleOf } from './retry.ts';
import { Supply, type Lane, type SupplyTools } from './supply.ts';

/** How patient the queue is; tests are in a hurry. */
export interface Pace {
  /** Between looks for work that was left behind. */
  sweepMs: number;
  /** A DCU that is just connecting again after a restart of ours is not offline yet. */
  offlineGraceS: number;
  /** A DCU that could not be reached is not asked again by the poll before this; new work and a new session ask at once. */
  unreachableMs: number;
  /** Waits between tries, as a share of the usual ones. */
  retryWait: number;
  /** Work with a meter that takes longer than this does not keep the next meter waiting. */
  fairMs: number;
}

/** Meters of one lane that take long at the same time, beside those that are worked through as usual. */
const MAX_LONG = 8;

export interface WorkerTools extends SupplyTools {
  operations: Partial<Operations>;
  finisher: Finisher;
  /** Called with items that failed, also with those that are retried. */
  onFailed(ids: readonly string[]): void;
  pace: Pace;
}

/** One lane of one DCU while it is worked through. */
export interface LaneWork {
  /** Fulfilled when nothing is left to take. Never rejected: a failing database is tried again later. */
  ended: Promise<void>;
  /** New work was queued. It must not wait for the end of a meter that takes long. */
  more(): void;
}

/** Works through one lane of one DCU, as many meters at a time as the DCU can. A meter that takes long only shares the channel, block by block. */
export function workLane(tools: WorkerTools, dcuId: string, lane: Lane): LaneWork {
  const supply = new Supply(tools, dcuId, lane);
  const workers = new Set<Promise<void>>();
  let places = 0;
  let long = 0;
  const failed = (error: unknown) => tools.log.error('A worker failed', { error, dcuId, lane });
  // One that begins later than the others is not waited for at once: nobody else would hear of its failure.
  const begin = () => {
    const worker: Promise<void> = one()
      .catch(failed)
      .finally(() => workers.delete(worker));
    workers.add(worker);
  };
  const fill = () => {
    while (workers.size - long < places) begin();
  };
  /** Works on one item; true when another worker took its place, because it took too long. */
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
  // The channel is free: the next item goes on while the readings of this one are being stored.
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
