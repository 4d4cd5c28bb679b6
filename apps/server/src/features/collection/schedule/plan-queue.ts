import { parseSchedule } from '@hes/contract/schedule/expression.ts';
import { secondsBetweenRuns } from '@hes/contract/schedule/period.ts';
import { nextRun } from '@hes/contract/schedule/runs.ts';
import type { PoolClient } from 'pg';
import { COLLECTABLE, dcuCondition, targetCondition } from './plan-targets.ts';
import { mergedWork, workOf, type PlanWork, type StoredPlan } from './plan-work.ts';
import { windowAt } from './plan-window.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export interface RunOrder {
  now: number;
  timeZone: string;
  trigger: 'schedule' | 'user';
  /** Who pressed the button. */
  userId: string | null;
}

export interface QueuedRun {
  taskId: string | null;
  queued: number;
  /** Devices that still wait from the run before: they wait on there. */
  stillWaiting: number;
}

/**
 * When items may begin, and when nobody begins them any more: within the plan's window; without one, an hour after the
 * last try, because the next run asks for all that is missing anyway. A person's order waits for no window.
 */
export function timesOf(plan: StoredPlan, order: RunOrder): { notBefore: number; expiresAt: number } {
  const { now, timeZone, trigger } = order;
  const triesMs = (plan.retryCount ?? 0) * (plan.retryIntervalMin ?? 0) * MINUTE_MS;
  if (trigger === 'user' || plan.windowFrom === null || plan.windowTo === null)
    return { notBefore: now, expiresAt: now + HOUR_MS + triesMs };
  const window = windowAt(now, plan.windowFrom, plan.windowTo, timeZone);
  return { notBefore: window.opensAt, expiresAt: window.closesAt };
}

/** When DCUs that read by themselves were last to do so: what was captured since is not expected of them. */
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

/** Meters, the longest unread first; or DCUs. `w` are those that still wait. */
const wantedOf = ({ deviceKind }: PlanWork, { targetKind }: StoredPlan): string =>
  deviceKind === 'dcu'
    ? `select null::bigint as id, d.id as dcu_id, w.dcu_id is not null as waits, row_number() over (order by d.id) as k
      from dcu d left join (select distinct dcu_id from waiting) w on w.dcu_id = d.id where ${dcuCondition(targetKind, 5)}`
    : `select m.id, m.dcu_id, w.meter_id is not null as waits, row_number() over (order by m.last_read_at nulls first, m.id) as k
      from meter m left join (select distinct meter_id from waiting) w on w.meter_id = m.id where ${COLLECTABLE} and ${targetCondition(targetKind, 5)}`;

/**
 * One item for every device the plans are aimed at. A device that still waits from the run before
 * waits on there, whichever plan had ordered it; an order of a person minds the runs of that plan only. The run is written
 * down for each plan, also when it was skipped. All plans have the same target.
 */
export async function queueRun(client: PoolClient, plans: StoredPlan[], order: RunOrder): Promise<QueuedRun> {
  const [first] = plans;
  const work = mergedWork(plans.map(workOf));
  if (first === undefined || work === undefined) return { taskId: null, queued: 0, stillWaiting: 0 };
  const { notBefore, expiresAt } = timesOf(first, order);
  const ids = plans.map((plan) => plan.id);
  const queued = await client.query<QueuedRun>(
    `with waiting as (
      select i.dcu_id, i.meter_id from task_item i join task t on t.id = i.task_id
      where i.kind = $1 and i.phase = 'open'
        and case when $12 = 'user' then t.id in (select r.task_id from plan_run r where r.plan_id = any($4::bigint[]))
          when $1 = 'collect' then (t.params->'profiles') @> ($3::jsonb->'profiles') else t.plan_id = any($4::bigint[]) end
    ), wanted as (
      ${wantedOf(work, first)}
    ), made as (
      insert into task (kind, source, plan_id, title, params, total, priority, created_by, expires_at)
      select $1, 'plan', $6, $2, $3::jsonb, count(*), $7, $8, $9 from wanted where not waits having count(*) > 0
      returning id, total
    ), items as (
      insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_id, not_before)
      select made.id, $1, $7, $13, w.dcu_id, w.id, $10 from made, wanted w where not w.waits order by w.k
    ), counted as (
      select (select id from made) as task_id, coalesce((select total from made), 0) as queued, (select count(*)::int from wanted where waits) as still
    ), noted as (
      insert into plan_run (plan_id, at, trigger, state, reason, task_id, queued, still_waiting)
      select p.id, $11, $12, case when c.queued > 0 then 'started' else 'skipped' end,
        case when c.queued > 0 then null when c.still > 0 then 'still_running' else 'no_targets' end, c.task_id, c.queued, c.still
      from unnest($4::bigint[]) as p (id), counted c
    )
    select task_id as "taskId", queued, still as "stillWaiting" from counted`,
    [
      work.kind,
      plans.map((plan) => plan.name).join(', '),
      JSON.stringify({ ...work.params, ...lastReadOf(plans, order) }),
      ids,
      first.targetIds,
      first.id,
      first.priority,
      order.userId,
      new Date(expiresAt),
      new Date(notBefore),
      new Date(order.now),
      order.trigger,
      work.deviceKind,
    ],
  );
  return queued.rows[0] ?? { taskId: null, queued: 0, stillWaiting: 0 };
}
