-- why: one row per meter and run is most of the queue's disk and a fifth of the database's time; the meters of a DCU now share an item as long as
-- they are in the same state
-- phase: expand
alter table task_item
  -- Meters of a shared item, in the order of their turn; null: an item of one device.
  add column meter_ids bigint[],
  -- For each of `meter_ids` an object with `latencyMs`, `result`, `traceId` and `reasonText`; null: none of them has ended yet.
  add column details jsonb;

-- One row for each device of each item. Items of a shared task have the ids of their meters, which last when an item is parted.
create view task_item_device as
select coalesce(member.meter_id, i.id) as id, i.id as item_id, i.task_id, i.kind, i.priority, i.device_kind, i.dcu_id,
  coalesce(member.meter_id, i.meter_id) as meter_id, i.state, i.phase, i.reason_code, coalesce(detail.of_member->>'reasonText', i.reason_text) as reason_text,
  i.attempts, i.not_before, i.started_at, i.finished_at, coalesce((detail.of_member->>'latencyMs')::int, i.latency_ms) as latency_ms,
  coalesce(detail.of_member->'result', i.result) as result, coalesce((detail.of_member->>'traceId')::uuid, i.trace_id) as trace_id,
  coalesce(member.place, 1) as place
from task_item i left join lateral unnest(i.meter_ids) with ordinality as member (meter_id, place) on true
  cross join lateral (select i.details -> (member.place - 1)::int as of_member) as detail;
