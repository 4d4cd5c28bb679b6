import { parseSchedule } from '@hes/contract/schedule/expression.ts';
import { secondsBetweenRuns } from '@hes/contract/schedule/period.ts';
import { nextRun } from '@hes/contract/schedule/runs.ts';
import type { PoolClient } from 'pg';
import { insertRun, type QueuedRun } from './plan-queries.ts';
import { mergedWork, workOf, type StoredPlan } from './plan-work.ts';
import { windowAt } from './plan-window.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export interface RunOrder {
  now: number;
  timeZone: string;
  trigger: 'schedule' | 'user';
  /** The user who ordered the run; null for the schedule. */
  userId: string | null;
}

/**
 * Milliseconds until the items are due and until they expire: the plan's window; without a window an hour after the last retry, because
 * the next run reads all gaps anyway. A manual run ignores the window. They are spans, because the clock of the database decides what is due.
 */
function waitsOf(plan: StoredPlan, order: RunOrder): { dueInMs: number; expiresInMs: number } {
  const { now, timeZone, trigger } = order;
  const triesMs = (plan.retryCount ?? 0) * (plan.retryIntervalMin ?? 0) * MINUTE_MS;
  if (trigger === 'user' || plan.windowFrom === null || plan.windowTo === null) return { dueInMs: 0, expiresInMs: HOUR_MS + triesMs };
  const window = windowAt(now, plan.windowFrom, plan.windowTo, timeZone);
  return { dueInMs: window.opensAt - now, expiresInMs: window.closesAt - now };
}

/** Time of the last run of the DCU tasks: later captures are not expected in their caches. */
function lastReadOf(plans: readonly StoredPlan[], { now, timeZone }: RunOrder): { readUntil?: number } {
  const moments = plans.flatMap(({ execution, schedule: text }) => {
    if (execution !== 'dcu_task') return [];
    const schedule = parseSchedule(text);
    const next = nextRun(schedule, now, timeZone);
    const periodSeconds = secondsBetweenRuns(schedule, now, timeZone);
    return next === undefined || periodSeconds === undefined ? [] : [next - periodSeconds * 1000];
  });
  return moments.length === 0 ? {} : { readUntil: Math.min(...moments) };
}

/**
 * Queues one item per device of the plans, which share their targets. A device with an open item of an earlier run gets none; a
 * manual run considers the runs of the same plan only. Each plan gets a line of history, even for a skipped run.
 */
export async function queueRun(client: PoolClient, plans: StoredPlan[], order: RunOrder): Promise<QueuedRun> {
  const [first] = plans;
  const work = mergedWork(plans.map(workOf));
  if (first === undefined || work === undefined) return { taskId: null, queued: 0, stillWaiting: 0 };
  return insertRun(client, {
    work,
    plans,
    first,
    params: { ...work.params, ...lastReadOf(plans, order) },
    ...waitsOf(first, order),
    at: new Date(order.now),
    trigger: order.trigger,
    userId: order.userId,
  });
}
