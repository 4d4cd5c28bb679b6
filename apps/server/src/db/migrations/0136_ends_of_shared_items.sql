-- why: readings and failed attempts of a meter are searched among the shared items of its DCU
-- phase: backfill
create index concurrently if not exists task_item_shared on task_item (dcu_id, finished_at desc) where meter_ids is not null;
