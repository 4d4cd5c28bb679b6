-- why: what happened at devices is kept once, paired and grouped by cause; how far their clocks are off is known; what was ordered from them stands in a chain that shows tampering.

create table event_code (
  log text not null check (log in ('standard', 'fraud', 'disconnector', 'mbus', 'comms', 'quality', 'dcu')),
  code int not null check (code between 0 and 65535),
  name_en text not null check (char_length(name_en) between 1 and 64),
  name_zh text not null check (char_length(name_zh) between 1 and 64),
  abnormal_level text check (abnormal_level in ('serious', 'warning')),
  direction text not null default 'occur' check (direction in ('occur', 'recover')),
  -- Of an occurrence: the code of the same log that ends it.
  pair_code int,
  enabled boolean not null default true,
  updated_at timestamptz not null default now(),
  version int not null default 1,
  primary key (log, code)
);

create table incident (
  id bigint generated always as identity primary key,
  dcu_id bigint not null,
  log text not null,
  code int not null,
  opened_at timestamptz not null,
  -- The last member so far; one that follows within ten minutes belongs to it too.
  last_at timestamptz not null
);
create index incident_cause on incident (dcu_id, log, code, last_at desc);

create table event (
  id bigint generated always as identity primary key,
  device_kind text not null check (device_kind in ('dcu', 'meter')),
  meter_id bigint,
  dcu_id bigint not null,
  log text not null,
  code int not null,
  occur_at timestamptz not null,
  received_at timestamptz not null default now(),
  direction text not null check (direction in ('occur', 'recover')),
  -- The columns of the row beside its time, as the device named them.
  message text not null default '',
  raw bytea not null,
  note text check (char_length(note) <= 256),
  abnormal_level text check (abnormal_level in ('serious', 'warning')),
  source text not null check (source in ('push', 'pull')),
  is_muted boolean not null default false,
  ack_at timestamptz,
  ack_by bigint,
  incident_id bigint,
  recovered_at timestamptz,
  -- Of device, log, code, moment and place among equals: a row that is read again is the same row.
  dedup_hash bytea not null unique,
  trace_id uuid,
  version int not null default 1,
  check ((device_kind = 'meter') = (meter_id is not null))
);
create index event_recent on event (occur_at desc, id desc);
create index event_meter on event (meter_id, occur_at desc) where meter_id is not null;
create index event_dcu on event (dcu_id, occur_at desc);
create index event_code_recent on event (log, code, occur_at desc);
create index event_open on event (occur_at desc) where ack_at is null and abnormal_level is not null;
create index event_incident on event (incident_id);

create table event_mute (
  id bigint generated always as identity primary key,
  device_kind text not null check (device_kind in ('dcu', 'meter')),
  device_id bigint not null,
  log text not null,
  code int not null,
  until timestamptz not null,
  reason text not null check (char_length(reason) between 1 and 256),
  muted_by bigint not null,
  created_at timestamptz not null default now(),
  unique (device_kind, device_id, log, code)
);

-- Notifications that were taken: one that is sent again because our answer was lost does nothing twice.
create table push_receipt (
  dedup_hash bytea primary key,
  dcu_id bigint not null,
  meter_id bigint,
  received_at timestamptz not null default now()
);
create index push_receipt_age on push_receipt (received_at);

create table device_clock (
  device_kind text not null check (device_kind in ('dcu', 'meter')),
  device_id bigint not null,
  -- As the device wrote it, deviation included.
  device_time text not null,
  read_at timestamptz not null,
  -- Ahead of ours is positive; null when what it said is no time.
  deviation_ms bigint,
  round_trip_ms int not null,
  zone_minutes int,
  status int,
  clock_base text,
  has_daylight_saving boolean,
  last_sync_at timestamptz,
  last_sync_method text check (last_sync_method in ('shift', 'set', 'broadcast')),
  trace_id uuid,
  primary key (device_kind, device_id)
);

create table reading_instant (
  meter_id bigint not null,
  at timestamptz not null,
  values jsonb not null,
  task_item_id bigint,
  primary key (meter_id, at)
);

-- Append only, hash-chained like audit_log: one row when something is ordered from a device, one for what came of it.
create table command_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  user_id bigint,
  kind text not null,
  device_kind text not null check (device_kind in ('dcu', 'meter')),
  device_id bigint not null,
  reason text,
  work_order text,
  request jsonb not null default '{}',
  -- Null: ordered. Else `ok`, or the reason it failed.
  result text,
  task_id bigint,
  task_item_id bigint,
  trace_id uuid,
  prev_hash bytea not null,
  hash bytea not null
);
create index command_log_device on command_log (device_kind, device_id, id desc);
create index command_log_task on command_log (task_id);
create trigger command_log_append_only before update or delete or truncate on command_log for each statement execute function refuse_rewriting();
