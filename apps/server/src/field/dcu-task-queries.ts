import type { PlanTarget } from '@hes/contract/states/plan.ts';
import type { Pool } from 'pg';
import { COLLECTABLE, targetCondition } from '#tasks/plan-targets.ts';

export interface OwnPlan {
  id: string;
  schedule: string;
  lookBackDays: number;
  priority: number;
}

/** Plans that a DCU is to run by itself: those that reach a meter of it. */
export async function findPlansOfDcu(pool: Pool, dcuId: string): Promise<OwnPlan[]> {
  const plans = await pool.query<OwnPlan & { targetKind: PlanTarget; targetIds: string[] }>(
    `select id::text as id, schedule, look_back_days as "lookBackDays", priority, target_kind as "targetKind", target_ids::text[] as "targetIds"
     from collect_plan where enabled and execution = 'dcu_task' order by id`,
  );
  const own: OwnPlan[] = [];
  for (const { targetKind, targetIds, ...plan } of plans.rows) {
    const found = await pool.query(
      `select from meter m where m.dcu_id = $1 and ${COLLECTABLE} and ${targetCondition(targetKind, 2)} limit 1`,
      [dcuId, targetIds],
    );
    if (found.rowCount === 1) own.push(plan);
  }
  return own;
}
