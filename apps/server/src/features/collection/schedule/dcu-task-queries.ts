import type { PlanTarget } from '@hes/contract/states/plan.ts';
import type { PoolClient } from 'pg';
import { TASK_CHANNEL } from '#tasks/store.ts';
import { COLLECTABLE, targetCondition } from './target-queries.ts';

/** Time to live for an item whose DCU is offline; a later change of the plan queues a new one. */
const WAITS_DAYS = 3;

interface Aim {
  targetKind: PlanTarget;
  targetIds: readonly string[];
}

export interface DcuTasksOrder {
  /** Null after the plan was deleted. */
  planId: string | null;
  name: string;
  priority: number;
  /** Targets of the new version and of the old one. */
  aims: readonly [Aim, ...Aim[]];
  userId: string | null;
}

const FIRST_AIM = 7;

/**
 * SQL and values of a statement that queues the update of tasks in every DCU that a plan reaches and returns the task id. The
 * caller executes it in its own transaction.
 */
export function dcuTasksStatement({ planId, name, priority, aims, userId }: DcuTasksOrder): { text: string; values: unknown[] } {
  const reached = aims.map(({ targetKind }, n) => targetCondition(targetKind, FIRST_AIM + n)).join(' or ');
  return {
    text: `with wanted as (
      select distinct m.dcu_id from meter m where ${COLLECTABLE} and (${reached})
    ), made as (
      insert into task (kind, source, plan_id, title, total, priority, created_by, expires_at)
      select 'dcu_tasks', case when $4::bigint is null then 'system' else 'user' end, $1::bigint, $2::text, count(*), $3::int, $4::bigint, now() + make_interval(days => $5::int) from wanted having count(*) > 0 returning id
    ), items as (
      insert into task_item (task_id, kind, priority, device_kind, dcu_id) select made.id, 'dcu_tasks', $3::int, 'dcu', w.dcu_id from made, wanted w
    )
    select id::text as id, pg_notify($6, '') from made`,
    values: [planId, name, priority, userId, WAITS_DAYS, TASK_CHANNEL, ...aims.map(({ targetIds }) => [...targetIds])],
  };
}

export async function insertDcuTasks(client: PoolClient, order: DcuTasksOrder): Promise<void> {
  const { text, values } = dcuTasksStatement(order);
  await client.query(text, values);
}
