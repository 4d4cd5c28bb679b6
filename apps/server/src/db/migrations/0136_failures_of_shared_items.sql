-- why: the last failed attempt of a meter is searched among the shared items of its DCU
-- phase: backfill
create index concurrently if not exists task_item_shared_failure on task_item (dcu_id, finished_at desc) where meter_ids is not null and reason_code is not null;
