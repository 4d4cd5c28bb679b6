import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import { LOADED_TRACE } from '@hes/contract/states/loaded.ts';
import { sql } from 'kysely';
import type { Tx } from '#db/context.ts';
import { pgArrayLiteral } from '#db/pg-array-literal.ts';

/** Meters of a DCU with the same outcome. */
export interface LoadedItem {
  dcuId: string;
  meterIds: readonly string[];
  /** Null: the meters were read. */
  reason: ReasonCode | null;
}

/** A collection of daily freezes in the past. */
export interface LoadedRun {
  at: Date;
  items: readonly LoadedItem[];
}

const metersIn = (items: readonly LoadedItem[]): number => items.reduce((sum, { meterIds }) => sum + meterIds.length, 0);

/** Stores an ended run of the built-in plan of daily freezes, marked as loaded. No item was ever queued, so neither feed nor audit log tells of it. */
export async function insertLoadedRun(tx: Tx, { at, items }: LoadedRun): Promise<void> {
  const failed = metersIn(items.filter(({ reason }) => reason !== null));
  const total = metersIn(items);
  const state = failed === 0 ? 'finished' : failed === total ? 'failed' : 'partly_failed';
  await sql`
    with plan as (
      select id, name, priority from collect_plan where type = 'daily' and is_builtin order by id limit 1
    ), made as (
      insert into task (kind, source, plan_id, title, params, state, total, done, ok, failed, priority, created_at, started_at, finished_at, expires_at, is_loaded)
      select 'collect', 'plan', id, name, '{"profiles": ["daily"]}', ${state}, ${total}, ${total}, ${total - failed}, ${failed}, priority, ${at}, ${at}, ${at}, ${at}, true from plan
      returning id, plan_id, priority
    ), items as (
      insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_ids, state, reason_code, attempts, not_before, started_at, finished_at, trace_id)
      select made.id, 'collect', made.priority, 'meter', n.dcu_id, n.meter_ids::bigint[], case when n.reason is null then 'read_success' else 'read_fail' end, n.reason, 1, ${at}, ${at}, ${at}, ${LOADED_TRACE}
      from made, unnest(${items.map(({ dcuId }) => dcuId)}::bigint[], ${items.map(({ meterIds }) => pgArrayLiteral([...meterIds]))}::text[], ${items.map(({ reason }) => reason)}::text[]) as n (dcu_id, meter_ids, reason)
    )
    insert into plan_run (plan_id, at, trigger, state, task_id, queued, still_waiting)
    select plan_id, ${at}, 'schedule', 'started', id, ${total}, 0 from made`.execute(tx);
}

export async function deleteLoadedRuns(tx: Tx): Promise<void> {
  await sql`delete from plan_run r using task t where t.id = r.task_id and t.is_loaded`.execute(tx);
  await sql`delete from task where is_loaded`.execute(tx);
}
