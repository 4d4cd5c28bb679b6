-- why: collection plans are made by people, with targets, windows and retries of their own, and every run leaves a line; the dictionary of objects is kept by people too, with templates.

alter table collect_plan drop constraint collect_plan_type_check;
alter table collect_plan
  add constraint collect_plan_type_check check (type in (
    'daily', 'monthly', 'energy', 'lpa', 'lpb', 'events', 'registers', 'clock_check', 'archive_check', 'topology', 'modules')),
  -- What the builder shows when it is opened again; null: a schedule nobody built.
  add column schedule_settings jsonb,
  add column target_kind text not null default 'all' check (target_kind in ('all', 'level', 'transformer', 'dcu', 'meter_type', 'meter')),
  add column target_ids bigint[] not null default '{}',
  add column execution text not null default 'hes_pull' check (execution in ('hes_pull', 'dcu_task', 'cache_then_hes')),
  -- Null: as the queue retries by itself.
  add column retry_count int check (retry_count between 0 and 10),
  add column retry_interval_min int check (retry_interval_min between 1 and 240),
  -- Local times of the utility, from ≠ to; a window may cross midnight. Null: at any time.
  add column window_from text check (window_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  add column window_to text check (window_to ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  add column owner_id bigint references app_user (id),
  add column updated_at timestamptz not null default now(),
  add check ((window_from is null) = (window_to is null) and window_from <> window_to);
create index collect_plan_due on collect_plan (next_run_at) where enabled;

create table plan_run (
  id bigint generated always as identity primary key,
  plan_id bigint not null references collect_plan (id) on delete cascade,
  at timestamptz not null default now(),
  trigger text not null check (trigger in ('schedule', 'user')),
  state text not null check (state in ('started', 'skipped')),
  -- Of a skipped run: why.
  reason text check (reason in ('still_running', 'no_targets')),
  -- Plans that are due together share a task.
  task_id bigint references task (id) on delete set null,
  queued int not null default 0,
  -- Devices that still wait from the run before, and wait on there.
  still_waiting int not null default 0
);
create index plan_run_plan on plan_run (plan_id, at desc);
create index plan_run_at on plan_run (at);
create index plan_run_task on plan_run (task_id);

alter table obis_code drop constraint obis_code_category_check;
alter table obis_code
  add constraint obis_code_category_check check (category in (
    'energy', 'power', 'demand', 'voltage', 'current', 'quality', 'clock', 'identity', 'status', 'profile', 'event', 'parameter', 'control', 'dcu')),
  add column data_type text,
  -- As a meter usually has it; what counts is what the meter says.
  add column scaler int check (scaler between -10 and 10),
  add column access text[] not null default '{r}' check (access <@ '{r,w,x}'),
  add column decoder text not null default 'plain' check (decoder in ('plain', 'bit_map', 'enum', 'date_time', 'octet_ascii', 'octet_hex')),
  add column enum_map jsonb,
  add column is_builtin boolean not null default false,
  add column version int not null default 1,
  add column updated_at timestamptz not null default now();
-- Up to here every entry came with the head-end.
update obis_code set is_builtin = true;

create table collect_plan_item (
  plan_id bigint not null references collect_plan (id) on delete cascade,
  obis_id bigint not null references obis_code (id),
  sort int not null,
  primary key (plan_id, obis_id)
);
create index collect_plan_item_obis on collect_plan_item (obis_id);

-- A template is a profile of a meter model; the order in which its objects are shown and read. Empty: as the dictionary.
alter table southbound_profile add column object_order text[] not null default '{}';
