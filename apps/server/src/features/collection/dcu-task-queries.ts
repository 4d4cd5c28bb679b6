import type { CachedType, PlanTarget } from '@hes/contract/states/plan.ts';
import type { Pool } from 'pg';
import { COLLECTABLE, targetCondition } from './schedule/target-queries.ts';

export interface OwnPlan {
  id: string;
  type: CachedType;
  schedule: string;
  lookBackDays: number;
  priority: number;
  /** Shortest capture periods of the meters that the plan reaches at this DCU, in seconds. */
  shortest: { lpa: number; lpb: number };
}

/** Plans with the execution `dcu_task` that reach a meter of the DCU. */
export async function findPlansOfDcu(pool: Pool, dcuId: string): Promise<OwnPlan[]> {
  const plans = await pool.query<Omit<OwnPlan, 'shortest'> & { targetKind: PlanTarget; targetIds: string[] }>(
    `select id::text as id, type, schedule, look_back_days as "lookBackDays", priority, target_kind as "targetKind", target_ids::text[] as "targetIds"
     from collect_plan where enabled and execution = 'dcu_task' order by id`,
  );
  const own: OwnPlan[] = [];
  for (const { targetKind, targetIds, ...plan } of plans.rows) {
    const found = await pool.query<{ lpa: number | null; lpb: number | null }>(
      `select min(t.lpa_period_s) as lpa, min(t.lpb_period_s) as lpb from meter m join meter_type t on t.id = m.meter_type_id
       where m.dcu_id = $1 and ${COLLECTABLE} and ${targetCondition(targetKind, 2)}`,
      [dcuId, targetIds],
    );
    const { lpa = null, lpb = null } = found.rows[0] ?? {};
    if (lpa !== null && lpb !== null) own.push({ ...plan, shortest: { lpa, lpb } });
  }
  return own;
}
