import { failed } from '@hes/contract/core/outcome.ts';
import type { Pool } from 'pg';
import type { Log } from '#platform/log.ts';
import type { Finisher } from './finisher.ts';
import type { Held } from './held.ts';
import type { Operation, Reach, WorkItem, WorkReport } from './operation.ts';
import { claimNext, failOffline, releaseItems, type EndedItem } from './queries.ts';
import { LAST_OPERATOR_PRIORITY, retryAfter, retryRuleOf } from './retry.ts';

/** Somebody waits, or collection: each lane has a worker of its own, so that no lane waits for the other's items. */
export type Lane = 'operator' | 'bulk';

const PRIORITIES = { operator: { from: 1, to: LAST_OPERATOR_PRIORITY }, bulk: { from: LAST_OPERATOR_PRIORITY + 1, to: 9 } } as const;
const CLAIM = { operator: 4, bulk: 64 } as const;

/** The lanes that take items between two priorities, both included. */
export const lanesBetween = (first: number, last: number): Lane[] =>
  (['operator', 'bulk'] as const).filter((lane) => first <= PRIORITIES[lane].to && last >= PRIORITIES[lane].from);

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
}

export interface WorkerTools {
  pool: Pool;
  log: Log;
  owner: string;
  reach: Reach;
  operations: Record<string, Operation>;
  held: Held;
  finisher: Finisher;
  pace: Pace;
  onChanged(items: Iterable<EndedItem>): void;
  stopping(): boolean;
  /** Its task was paused or stopped since it was taken. */
  isHeld(item: WorkItem): boolean;
}

/** Works through one lane of one DCU until nothing is left to take. Never throws: a failing database is tried again later. */
export async function workLane(tools: WorkerTools, dcuId: string, lane: Lane): Promise<void> {
  const { pool, reach, log } = tools;
  try {
    if (!(await reach.connect(dcuId))) {
      tools.onChanged(await failOffline(pool, dcuId, tools.pace.offlineGraceS));
      return;
    }
    while (!tools.stopping() && reach.isOnline(dcuId)) {
      const claimed = await claimNext(pool, { dcuId, ...PRIORITIES[lane], count: CLAIM[lane], owner: tools.owner });
      if (claimed.length === 0) return;
      tools.held.take(claimed.map(({ id }) => id));
      // Who ordered something watches it being read; of collection only the ends are told.
      if (lane === 'operator') tools.onChanged(claimed);
      await prepare(tools, claimed);
      await workThrough(tools, dcuId, claimed);
      // Fewer than it would take: that was all. What came in the meantime wakes the dispatcher.
      if (claimed.length < CLAIM[lane]) return;
    }
  } catch (error) {
    log.error('A worker failed', { error, dcuId, lane });
  }
}

/** What cannot be prepared is not begun: it is free again when its lease has run out. */
async function prepare({ reach, held }: WorkerTools, claimed: readonly WorkItem[]): Promise<void> {
  try {
    await reach.prepare(claimed);
  } catch (error) {
    held.drop(claimed.map(({ id }) => id));
    throw error;
  }
}

/** Does claimed items, as many at a time as the DCU can; gives back what the DCU left undone by going away, and what was paused or stopped meanwhile. */
async function workThrough(tools: WorkerTools, dcuId: string, items: WorkItem[]): Promise<void> {
  let next = 0;
  const held: WorkItem[] = [];
  const one = async () => {
    while (next < items.length && !tools.stopping() && tools.reach.isOnline(dcuId)) {
      const item = items[next++];
      if (item === undefined) return;
      if (tools.isHeld(item)) held.push(item);
      else await work(tools, item);
    }
  };
  await Promise.all(Array.from({ length: tools.reach.parallelMeters(dcuId) }, one));
  const left = [...held, ...items.slice(next)];
  if (left.length === 0) return;
  const ids = left.map((item) => item.id);
  tools.held.drop(ids);
  await releaseItems(tools.pool, tools.owner, ids);
  tools.onChanged(held);
}

async function work(tools: WorkerTools, item: WorkItem): Promise<void> {
  const begun = performance.now();
  const report = await perform(tools, item);
  // The channel is free: the next item goes on while the readings of this one are being stored.
  void finish(tools, item, report, begun);
}

async function perform(tools: WorkerTools, item: WorkItem): Promise<WorkReport> {
  const operation = tools.operations[item.kind];
  if (operation === undefined) return { outcome: failed('INTERNAL', `No operation is called ${item.kind}`), traceId: undefined };
  try {
    return await operation(item);
  } catch (error) {
    tools.log.error('An operation failed', { error, taskId: item.taskId, itemId: item.id, kind: item.kind });
    return { outcome: failed('INTERNAL'), traceId: undefined };
  }
}

async function finish(tools: WorkerTools, item: WorkItem, report: WorkReport, begun: number): Promise<void> {
  const latencyMs = Math.round(performance.now() - begun);
  let { outcome } = report;
  try {
    await report.stored;
  } catch (error) {
    tools.log.error('Readings of an item were not stored', { error, taskId: item.taskId, itemId: item.id });
    outcome = failed('INTERNAL', 'The readings could not be stored');
  }
  const base = { id: item.id, latencyMs, traceId: report.traceId ?? null };
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
