import type { Pool, PoolClient } from 'pg';
import { hasSharedItems, newItems } from '#tasks/shared-item.ts';
import { TASK_CHANNEL } from '#tasks/store.ts';
import { COLLECTABLE, dcuCondition, targetCondition } from './target-queries.ts';
import type { PlanWork, StoredPlan } from './plan-work.ts';

const PLAN_COLUMNS = `p.id, p.name, p.type, p.schedule, p.look_back_days as "lookBackDays", p.priority, p.target_kind as "targetKind",
  p.target_ids::text[] as "targetIds", p.retry_count as "retryCount", p.retry_interval_min as "retryIntervalMin",
  p.execution, p.window_from as "windowFrom", p.window_to as "windowTo",
  array(select o.key from collect_plan_item i join obis_code o on o.id = i.obis_id where i.plan_id = p.id order by i.sort) as items`;

/** Plans that are due, in the order of their priority. They stay locked until the transaction ends; plans locked by another server are skipped. */
export async function lockDuePlans(client: PoolClient, now: Date): Promise<StoredPlan[]> {
  const due = await client.query<StoredPlan>(
    `select ${PLAN_COLUMNS} from collect_plan p
     where enabled and (next_run_at is null or next_run_at <= $1) order by priority, id for update skip locked`,
    [now],
  );
  return due.rows;
}

/** Plans that ran later than now: the clock was ahead at that time, so their next run is too late. They stay locked as due plans do. */
export async function lockPlansOfFuture(client: PoolClient, now: Date): Promise<StoredPlan[]> {
  const found = await client.query<StoredPlan>(
    `select ${PLAN_COLUMNS} from collect_plan p
     where enabled and last_run_at > $1::timestamptz + interval '10 seconds' and next_run_at > $1 order by priority, id for update skip locked`,
    [now],
  );
  return found.rows;
}

export async function findEnabledPlans(pool: Pool): Promise<StoredPlan[]> {
  const found = await pool.query<StoredPlan>(`select ${PLAN_COLUMNS} from collect_plan p where enabled order by id`);
  return found.rows;
}

/** Stores when a plan ran and when it runs next. A plan without a next run is disabled. */
export async function storePlanRun(
  client: PoolClient,
  planId: string,
  { ranAt, nextRunAt }: { ranAt: Date; nextRunAt: Date | null },
): Promise<void> {
  await client.query(
    `update collect_plan set last_run_at = $2, next_run_at = $3::timestamptz, enabled = enabled and $3::timestamptz is not null where id = $1`,
    [planId, ranAt, nextRunAt],
  );
}

/** Notifies every server of new work when the transaction commits. */
export async function notifyTasks(client: PoolClient): Promise<void> {
  await client.query('select pg_notify($1, $2)', [TASK_CHANNEL, '']);
}

/** Targets of a run: meters by their last reading, the oldest first, or DCUs. `waits` marks those with an open item. */
const wantedOf = ({ deviceKind }: PlanWork, { targetKind }: StoredPlan): string =>
  deviceKind === 'dcu'
    ? `select null::bigint as id, d.id as dcu_id, w.dcu_id is not null as waits, row_number() over (order by d.id) as k
      from dcu d left join (select distinct dcu_id from waiting) w on w.dcu_id = d.id where ${dcuCondition(targetKind, 5)}`
    : `select m.id, m.dcu_id, w.meter_id is not null as waits, row_number() over (order by m.last_read_at nulls first, m.id) as k
      from meter m left join (select distinct meter_id from waiting) w on w.meter_id = m.id where ${COLLECTABLE} and ${targetCondition(targetKind, 5)}`;

export interface QueuedRun {
  taskId: string | null;
  queued: number;
  /** Devices whose item of an earlier run is still open; they get no second item. */
  stillWaiting: number;
}

interface NewRun {
  work: PlanWork;
  plans: readonly StoredPlan[];
  /** Gives the task its targets and its priority. */
  first: StoredPlan;
  params: Record<string, unknown>;
  dueInMs: number;
  expiresInMs: number;
  at: Date;
  trigger: 'schedule' | 'user';
  userId: string | null;
}

/** Creates the task with its items and one line of history for each plan. */
export async function insertRun(client: PoolClient, run: NewRun): Promise<QueuedRun> {
  const { work, plans, first } = run;
  const hasShared = hasSharedItems({ kind: work.kind, source: 'plan', priority: first.priority }, [work.deviceKind]);
  const queued = await client.query<QueuedRun>(
    `with waiting as (
      select i.dcu_id, i.meter_id from task_item_device i join task t on t.id = i.task_id
      where i.kind = $1 and i.phase = 'open'
        and case when $12 = 'user' then t.id in (select r.task_id from plan_run r where r.plan_id = any($4::bigint[]))
          when $1 = 'collect' then (t.params->'profiles') @> ($3::jsonb->'profiles') else t.plan_id = any($4::bigint[]) end
    ), wanted as (
      ${wantedOf(work, first)}
    ), devices as (
      select $13::text as device_kind, dcu_id, id as meter_id, k from wanted where not waits
    ), made as (
      insert into task (kind, source, plan_id, title, params, total, priority, created_by, expires_at)
      select $1, 'plan', $6, $2, $3::jsonb, count(*), $7, $8, now() + make_interval(secs => $9 / 1000.0) from wanted where not waits having count(*) > 0
      returning id, total
    ), items as (
      insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_id, meter_ids, not_before)
      select made.id, $1, $7, i.device_kind, i.dcu_id, i.meter_id, i.meter_ids, now() + make_interval(secs => $10 / 1000.0)
      from made, (${newItems('devices', hasShared)}) as i order by i.k
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
      JSON.stringify(run.params),
      plans.map((plan) => plan.id),
      first.targetIds,
      first.id,
      first.priority,
      run.userId,
      run.expiresInMs,
      run.dueInMs,
      run.at,
      run.trigger,
      work.deviceKind,
    ],
  );
  return queued.rows[0] ?? { taskId: null, queued: 0, stillWaiting: 0 };
}
