import type { PlanTarget } from '@hes/contract/states/plan.ts';
import { COLLECTABLE, targetCondition } from './plan-targets.ts';
import { TASK_CHANNEL } from '#tasks/store.ts';

/** For so long an order waits for a DCU that is away; the next run of the plan orders it anew. */
const WAITS_MS = 3 * 86_400_000;

export interface Aim {
  targetKind: PlanTarget;
  targetIds: readonly string[];
}

export interface DcuTasksOrder {
  /** Null: the plan is gone. */
  planId: string | null;
  name: string;
  priority: number;
  /** What the plan is aimed at, and what it was. */
  aims: readonly [Aim, ...Aim[]];
  userId: string | null;
  now: number;
}

const FIRST_AIM = 7;

/**
 * Queues that every DCU in reach of a plan compares its own tasks with what plans want of it. Text and values of a statement that
 * answers with the task's id, for whichever transaction the change of the plan is in.
 */
export function queueDcuTasks({ planId, name, priority, aims, userId, now }: DcuTasksOrder): { text: string; values: unknown[] } {
  const reached = aims.map(({ targetKind }, n) => targetCondition(targetKind, FIRST_AIM + n)).join(' or ');
  return {
    text: `with wanted as (
      select distinct m.dcu_id from meter m where ${COLLECTABLE} and (${reached})
    ), made as (
      insert into task (kind, source, plan_id, title, total, priority, created_by, expires_at)
      select 'dcu_tasks', case when $4::bigint is null then 'system' else 'user' end, $1::bigint, $2::text, count(*), $3::int, $4::bigint, $5::timestamptz from wanted having count(*) > 0 returning id
    ), items as (
      insert into task_item (task_id, kind, priority, device_kind, dcu_id) select made.id, 'dcu_tasks', $3::int, 'dcu', w.dcu_id from made, wanted w
    )
    select id::text as id, pg_notify($6, '') from made`,
    values: [planId, name, priority, userId, new Date(now + WAITS_MS), TASK_CHANNEL, ...aims.map(({ targetIds }) => [...targetIds])],
  };
}
