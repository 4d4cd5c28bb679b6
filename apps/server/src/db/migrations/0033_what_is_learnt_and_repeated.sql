-- why: what a type of meter does not have is learnt from the answers of its meters, and what was ordered can be ordered once more from the history

-- Who of a type has said of an object that it has none: one line a meter, its newest answer.
create table undefined_answer (
  meter_type_id bigint not null references meter_type (id) on delete cascade,
  class_id int not null,
  obis text not null,
  attribute int not null,
  meter_id bigint not null references meter (id) on delete cascade,
  answered_at timestamptz not null default now(),
  -- Of the exchange that proves it; traces are kept for a shorter time.
  trace_id uuid,
  primary key (meter_type_id, class_id, obis, attribute, meter_id)
);
create index undefined_answer_meter on undefined_answer (meter_id);

-- Three meters are a type; of a smaller one all. An answer counts for thirty days, because firmware changes.
create view unsupported_object as
  select meter_type_id, class_id, obis, attribute, count(*)::int as meters, max(answered_at) as last_at,
    count(*) >= least(3, (select count(*) from (select from meter m where m.meter_type_id = a.meter_type_id and m.inventory_state = 'active' limit 3) as few)) as is_learnt
  from undefined_answer a where answered_at > now() - interval '30 days'
  group by meter_type_id, class_id, obis, attribute;

-- A task that was ordered once more from the history names the one it repeats.
alter table task add column origin_id bigint references task (id) on delete set null;
create index task_origin on task (origin_id) where origin_id is not null;

-- How far a plan has come into the DCUs that run it themselves.
create index task_dcu_tasks on task (plan_id, id) where kind = 'dcu_tasks';
