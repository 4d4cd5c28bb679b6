-- why: of a DCU under suspicion often one direction is looked at, and a frame leads back to the work it was part of

-- Null: both.
alter table dcu_capture add column direction text check (direction in ('down', 'up'));
-- Null: nobody's order, such as a push or a heartbeat.
alter table dcu_frame_log add column task_id bigint;
