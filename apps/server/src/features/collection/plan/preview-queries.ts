import { TYPES_OF_DCUS, type PlanExecution, type PlanTarget, type PlanType } from '@hes/contract/states/plan.ts';
import { sql } from 'kysely';
import { visible } from '#db/scope.ts';
import type { Db, User } from '#db/context.ts';
import { kindOf } from '#features/collection/schedule/plan-work.ts';
import type { Effort } from './effort.ts';
import { aimedAt } from './queries.ts';

export interface Sketch {
  id?: string | undefined;
  type: PlanType;
  schedule: string;
  targetKind: PlanTarget;
  targetIds: string[];
  items: string[];
  lookBackDays: number;
  execution: PlanExecution;
}

export interface DcuLoad {
  dcuId: string;
  dcuSn: string;
  meters: number;
  parallelMeters: number;
}

export async function findLoads(
  db: Db,
  user: User,
  { targetKind, targetIds }: Pick<Sketch, 'targetKind' | 'targetIds'>,
): Promise<DcuLoad[]> {
  const { rows } = await sql<DcuLoad>`
    select d.id as dcu_id, d.sn as dcu_sn, n.meters, coalesce(t.parallel_meters, 1) as parallel_meters
    from (
      select meter.dcu_id, count(*)::int as meters from meter
      where meter.inventory_state <> 'in_warehouse' and meter.dcu_id is not null and ${aimedAt(targetKind, targetIds)} and ${visible('meter.transformerId', user)}
      group by meter.dcu_id
    ) n join endpoint d on d.id = n.dcu_id left join dcu_type t on t.id = d.dcu_type_id`.execute(db);
  return rows;
}

/** Measured effort per meter of the same work in the last days; undefined without a measurement. */
export async function findMeasured(db: Db, { type, lookBackDays, execution }: Sketch): Promise<(Effort & { sample: number }) | undefined> {
  // Work per DCU does not show the effort per meter.
  if (TYPES_OF_DCUS.includes(type) || execution === 'dcu_task') return undefined;
  const kind = kindOf(type);
  const isCollected = kind === 'collect';
  const { rows } = await sql<{ sample: number; seconds: number | null; bytes: number | null }>`
    with recent as (
      select id, case when ${isCollected} then jsonb_array_length(params->'profiles') else 1 end as share from task
      where created_at > now() - interval '3 days' and kind = ${kind}
        and case when ${isCollected} then params->'profiles' @> ${JSON.stringify([type])}::jsonb and (params->>'lookBackDays')::int >= ${lookBackDays} else source = 'plan' end
      order by created_at desc limit 20
    ), items as (
      select i.latency_ms / r.share as ms, i.trace_id, r.share from recent r join task_item_device i on i.task_id = r.id
      where i.phase = 'read_success' and i.trace_id is not null and i.latency_ms > 0 limit 300
    )
    select count(*)::int as sample, (avg(ms) / 1000)::float8 as seconds,
      (select avg(t.bytes / i.share)::float8 from items i join trace t on t.id = i.trace_id where t.meter_id is not null) as bytes
    from items`.execute(db);
  const [row] = rows;
  if (row === undefined || row.sample < 3 || row.seconds === null) return undefined;
  return { frames: 0, seconds: row.seconds, bytes: row.bytes ?? 0, sample: row.sample };
}

/** Enabled plans except the one with this id. */
export async function findOthers(db: Db, id: string | undefined): Promise<(Sketch & { id: string; name: string })[]> {
  const { rows } = await sql<Sketch & { id: string; name: string }>`
    select id, name, type, schedule, target_kind, target_ids::text[] as target_ids, look_back_days, execution from collect_plan
    where enabled and id is distinct from ${id ?? null} order by id limit 100`.execute(db);
  return rows;
}
