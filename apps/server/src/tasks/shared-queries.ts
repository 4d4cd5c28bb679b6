import type { Pool } from 'pg';
import { pgArrayLiteral } from '#db/pg-array-literal.ts';
import { countResults, type EndedItem } from './queries.ts';
import type { Part } from './shared-claim.ts';

/** An item that has become of a part. */
export interface PartedItem extends EndedItem {
  hasReason: boolean;
  /** Milliseconds until the item is due; null: it does not wait. */
  againInMs: number | null;
}

/**
 * Parts claimed items by the results of their members: the part that stays keeps the row, each other one becomes an item. Counts the results
 * into their tasks, and ignores items whose lease the owner has lost. The parts of an item must have all of its members: a repeated statement
 * whose first execution was committed finds fewer, and one after a crash that undid an earlier part finds more. Both write nothing.
 */
export async function partItems(pool: Pool, owner: string, parts: readonly Part[]): Promise<PartedItem[]> {
  const ended = await pool.query<PartedItem>({
    name: 'part_items',
    text: `
      with n as materialized (
        select *, 'reading' as held, $1::text as owner from unnest($2::bigint[], $3::int[], $4::text[], $5::text[], $6::int[], $7::boolean[], $8::boolean[], $9::text[], $10::text[])
          as n (id, attempts, state, reason_code, again_in_ms, was_started, stays, meter_ids, details)
      ), claimed as materialized (
        select i.* from n join task_item i on i.id = n.id where n.stays and i.state = n.held and i.lease_owner = n.owner and i.attempts = n.attempts
          and cardinality(i.meter_ids) = (select sum(cardinality(all_n.meter_ids::bigint[])) from n as all_n where all_n.id = i.id and all_n.attempts = i.attempts)
        order by i.id for update of i
      ), parted as (
        insert into task_item as i (task_id, kind, priority, device_kind, dcu_id, meter_ids, details, state, reason_code, attempts, not_before, started_at, finished_at)
        select c.task_id, c.kind, c.priority, c.device_kind, c.dcu_id, n.meter_ids::bigint[], n.details::jsonb, n.state, ${REASON}, ${ATTEMPTS}, ${DUE}, c.started_at, ${FINISHED}
        from n join claimed c on c.id = n.id and c.attempts = n.attempts where not n.stays
        returning ${COLUMNS}
      ), stayed as (
        update task_item i set meter_ids = n.meter_ids::bigint[], details = n.details::jsonb, state = n.state,
          reason_code = ${REASON}, attempts = ${ATTEMPTS}, not_before = ${DUE}, finished_at = ${FINISHED},
          lease_owner = case when n.state = 'reading' then i.lease_owner end, lease_until = case when n.state = 'reading' then i.lease_until end
        from n join claimed c on c.id = n.id and c.attempts = n.attempts where n.stays and i.id = c.id
        returning ${COLUMNS}
      ), ended as (
        select * from stayed union all select * from parted
      ), ${countResults(', again_in_ms as "againInMs", has_reason as "hasReason"')}`,
    values: [
      owner,
      pgArrayLiteral(parts.map((part) => part.id)),
      pgArrayLiteral(parts.map((part) => part.attempts)),
      parts.map((part) => part.state),
      parts.map((part) => part.reasonCode),
      pgArrayLiteral(parts.map((part) => part.againInMs)),
      parts.map((part) => part.wasStarted),
      parts.map((part) => part.stays),
      parts.map((part) => pgArrayLiteral(part.meterIds)),
      parts.map((part) => (part.details === null ? null : JSON.stringify(part.details))),
    ],
  });
  return ended.rows;
}

const ATTEMPTS = 'case when n.was_started then c.attempts else greatest(c.attempts - 1, 0) end';
/** Members that were not started keep the reason of their last attempt. */
const REASON = "case when n.state = 'reading' or not n.was_started then c.reason_code else n.reason_code end";
const DUE = `case when n.state <> 'waiting' then c.not_before when n.was_started then now() + make_interval(secs => n.again_in_ms / 1000.0)
  else least(c.not_before, now()) end`;
const FINISHED = "case when n.state in ('waiting', 'reading') then null else now() end";
const COLUMNS = `i.id, i.task_id, i.state, cardinality(i.meter_ids) as devices, i.reason_code is not null and i.state <> 'reading' as has_reason,
  case when i.state = 'waiting' then greatest(0, extract(epoch from i.not_before - now()) * 1000)::int end as again_in_ms`;
