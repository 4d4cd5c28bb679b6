-- why: assets, the queue, readings and users as the first way from a meter to a pixel needs them.

create extension if not exists pg_trgm;

-- ── Assets ──────────────────────────────────────────────────────────────────────────────────────

create table network_level (
  id bigint generated always as identity primary key,
  parent_id bigint references network_level (id),
  name text not null check (char_length(name) between 1 and 64),
  code text not null unique,
  type text not null check (type in ('company', 'region', 'district', 'substation', 'feeder', 'other')),
  sort int not null default 0,
  -- Ids from the root to this level, so that "everything under" is one containment test.
  path bigint[] not null,
  longitude numeric(9, 6) check (longitude between -180 and 180),
  latitude numeric(8, 6) check (latitude between -90 and 90),
  note text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version int not null default 1
);
create index network_level_parent on network_level (parent_id, sort);
create index network_level_path on network_level using gin (path);
create unique index network_level_name on network_level (coalesce(parent_id, 0), lower(name));

create table supplier (
  id bigint generated always as identity primary key,
  code text not null unique,
  name text not null,
  flag_id text check (flag_id ~ '^[A-Z]{3}$'),
  country text,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version int not null default 1
);

create table southbound_profile (
  id bigint generated always as identity primary key,
  key text not null unique,
  name text not null,
  device_kind text not null check (device_kind in ('dcu', 'meter')),
  -- Objects, capture lists, scripts and quirks of a device model; see docs/glossary.md "profile".
  body jsonb not null,
  is_builtin boolean not null default false
);

create table dcu_type (
  id bigint generated always as identity primary key,
  code text not null unique,
  name text not null,
  supplier_id bigint not null references supplier (id),
  protocol text not null default 'dlms_wrapper' check (protocol in ('dlms_wrapper', 'dlms_hdlc')),
  authentication_type text not null default 'hls_gmac'
    check (authentication_type in ('none', 'low', 'high', 'hls_md5', 'hls_sha1', 'hls_gmac', 'hls_sha256', 'hls_ecdsa')),
  max_meters int not null default 1024 check (max_meters between 1 and 4096),
  heartbeat_s int not null default 300 check (heartbeat_s between 30 and 3600),
  parallel_meters int not null default 1 check (parallel_meters between 1 and 32),
  apdu_size int not null default 4096 check (apdu_size between 128 and 65535),
  profile_id bigint not null references southbound_profile (id),
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version int not null default 1
);

create table meter_type (
  id bigint generated always as identity primary key,
  code text not null unique,
  name text not null,
  supplier_id bigint not null references supplier (id),
  phase text not null check (phase in ('1p2w', '3p3w', '3p4w')),
  accuracy text,
  voltage text,
  current text,
  has_relay boolean not null default true,
  client_sap int not null default 1 check (client_sap between 1 and 126),
  server_sap int not null default 1 check (server_sap between 1 and 16383),
  authentication_type text not null default 'hls_gmac',
  security_suite int not null default 0 check (security_suite between 0 and 2),
  lpa_period_s int not null default 900,
  lpb_period_s int not null default 900,
  profile_id bigint not null references southbound_profile (id),
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version int not null default 1
);

create table transformer (
  id bigint generated always as identity primary key,
  code text not null unique,
  name text not null,
  address text,
  longitude numeric(9, 6) check (longitude between -180 and 180),
  latitude numeric(8, 6) check (latitude between -90 and 90),
  level_id bigint not null references network_level (id),
  capacity_kva numeric(10, 2),
  ct_ratio numeric(10, 4) not null default 1 check (ct_ratio > 0),
  pt_ratio numeric(10, 4) not null default 1 check (pt_ratio > 0),
  master_meter_id bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version int not null default 1
);
create index transformer_level on transformer (level_id);
create unique index transformer_name on transformer (level_id, lower(name));

create table dcu (
  id bigint generated always as identity primary key,
  sn text not null unique check (sn ~ '^[A-Z0-9]{6,32}$'),
  name text not null,
  dcu_type_id bigint not null references dcu_type (id),
  transformer_id bigint references transformer (id),
  protocol text not null default 'dlms_wrapper' check (protocol in ('dlms_wrapper', 'dlms_hdlc')),
  communicate_type text not null default 'g4' check (communicate_type in ('g2', 'g3', 'g4', 'nb_iot', 'ethernet', 'fibre')),
  connection_type text not null default 'dial_in' check (connection_type in ('dial_in', 'dial_out')),
  host text,
  port int check (port between 1 and 65535),
  authentication_type text not null default 'hls_gmac',
  client_sap int not null default 1,
  server_sap int not null default 1,
  system_title bytea check (octet_length(system_title) = 8),
  ek_secret bytea,
  ak_secret bytea,
  -- The next invocation counter that may be used with this device's key; only ever raised (see field/counters.ts).
  invocation_counter bigint not null default 1 check (invocation_counter between 0 and 4294967296),
  data_channel text not null default 'plc' check (data_channel in ('plc', 'rf', 'plc_rf', 'rs485')),
  country text,
  longitude numeric(9, 6) check (longitude between -180 and 180),
  latitude numeric(8, 6) check (latitude between -90 and 90),
  firmware_version text,
  online_status text not null default 'never' check (online_status in ('online', 'offline', 'never')),
  -- "Communicate time": the last time anything understandable arrived from it.
  last_comm_at timestamptz,
  last_session_id bigint,
  clock_deviation_s int,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version int not null default 1,
  check (connection_type <> 'dial_out' or host is not null)
);
create index dcu_transformer on dcu (transformer_id);
create index dcu_online on dcu (online_status, sn);
create index dcu_sn_trgm on dcu using gin (sn gin_trgm_ops);

create table meter (
  id bigint generated always as identity primary key,
  sn text not null unique check (sn ~ '^[A-Z0-9]{4,20}$'),
  meter_type_id bigint not null references meter_type (id),
  is_master boolean not null default false,
  communication_mode text not null check (communication_mode in ('plc', 'rf')),
  inventory_state text not null default 'in_warehouse' check (inventory_state in ('in_warehouse', 'installed', 'active')),
  transformer_id bigint references transformer (id),
  dcu_id bigint references dcu (id),
  -- What the DCU's gateway calls this meter (GB 10.10 physical device address); usually its serial in ASCII.
  gateway_address bytea,
  ct_ratio numeric(10, 4) not null default 1 check (ct_ratio > 0),
  pt_ratio numeric(10, 4) not null default 1 check (pt_ratio > 0),
  customer_no text,
  customer_name text,
  address text,
  longitude numeric(9, 6) check (longitude between -180 and 180),
  latitude numeric(8, 6) check (latitude between -90 and 90),
  is_generator boolean not null default false,
  system_title bytea check (octet_length(system_title) = 8),
  ek_secret bytea,
  ak_secret bytea,
  invocation_counter bigint not null default 1 check (invocation_counter between 0 and 4294967296),
  -- The highest counter accepted from the meter: anything not above it is a replay.
  peer_invocation_counter bigint not null default -1,
  firmware_version text,
  relay_state text not null default 'unknown' check (relay_state in ('connected', 'disconnected', 'ready', 'unknown')),
  recorded_phase text not null default 'unknown' check (recorded_phase in ('a', 'b', 'c', 'abc', 'unknown')),
  last_comm_at timestamptz,
  last_read_at timestamptz,
  installed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version int not null default 1,
  check (inventory_state = 'in_warehouse' or transformer_id is not null or dcu_id is not null)
)
-- Counters and times of last contact change with every exchange: room on the page keeps those updates off the indexes.
with (fillfactor = 80);
create index meter_dcu on meter (dcu_id, sn);
create index meter_transformer on meter (transformer_id, sn);
create index meter_inventory on meter (inventory_state, sn);
-- No index on last_comm_at and last_read_at: they change with every exchange, and without one that is an update in place.
create index meter_customer on meter (customer_no);
create index meter_sn_trgm on meter using gin (sn gin_trgm_ops);
alter table transformer add foreign key (master_meter_id) references meter (id);

-- What a device has told about itself and need not be asked again: capture objects, scalers, buffer depth.
create table device_memory (
  device_kind text not null check (device_kind in ('dcu', 'meter')),
  device_id bigint not null,
  key text not null,
  value jsonb not null,
  learnt_at timestamptz not null default now(),
  primary key (device_kind, device_id, key)
);

-- ── Connections ─────────────────────────────────────────────────────────────────────────────────

create table dcu_session (
  id bigint generated always as identity primary key,
  dcu_id bigint references dcu (id) on delete cascade,
  -- What it called itself, also when nobody knows that name.
  claimed_name text,
  direction text not null check (direction in ('dial_in', 'dial_out')),
  remote text not null,
  opened_at timestamptz not null default now(),
  identified_at timestamptz,
  closed_at timestamptz,
  close_reason text,
  close_detail text,
  bytes_in bigint not null default 0,
  bytes_out bigint not null default 0
);
create index dcu_session_dcu on dcu_session (dcu_id, opened_at desc);
create index dcu_session_opened on dcu_session (opened_at desc);

-- Callers whose name is in no archive: parked until somebody registers or ignores them.
create table dcu_unregistered (
  claimed_name text primary key,
  remote text not null,
  system_title bytea,
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  times_seen int not null default 1
);

-- ── Dictionary and plans ────────────────────────────────────────────────────────────────────────

create table obis_code (
  id bigint generated always as identity primary key,
  key text not null unique,
  obis text not null,
  class_id int not null,
  attribute int not null,
  kind text not null default 'attribute' check (kind in ('attribute', 'method')),
  name_en text not null,
  name_zh text not null,
  unit int not null default 255,
  precision int not null default 3,
  category text not null check (category in ('energy', 'power', 'voltage', 'current', 'quality', 'clock', 'identity', 'status', 'profile')),
  enabled boolean not null default true,
  sort int not null default 0,
  unique (obis, class_id, attribute, kind)
);

create table collect_plan (
  id bigint generated always as identity primary key,
  name text not null unique,
  type text not null check (type in ('daily', 'energy', 'lpa', 'lpb', 'registers')),
  -- Seven fields: second minute hour day month weekday year.
  schedule text not null,
  look_back_days int not null default 7 check (look_back_days between 1 and 60),
  priority int not null default 5 check (priority between 1 and 9),
  enabled boolean not null default true,
  is_builtin boolean not null default false,
  next_run_at timestamptz,
  last_run_at timestamptz,
  created_at timestamptz not null default now(),
  version int not null default 1
);

-- ── Work ────────────────────────────────────────────────────────────────────────────────────────

create table task (
  id bigint generated always as identity primary key,
  kind text not null,
  source text not null check (source in ('user', 'plan', 'system', 'api')),
  plan_id bigint references collect_plan (id) on delete set null,
  title text not null,
  params jsonb not null default '{}',
  reason text,
  state text not null default 'waiting'
    check (state in ('waiting_approval', 'waiting', 'running', 'finished', 'partly_failed', 'failed', 'cancelled', 'expired')),
  total int not null default 0,
  done int not null default 0,
  ok int not null default 0,
  failed int not null default 0,
  priority int not null default 5 check (priority between 1 and 9),
  created_by bigint,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  expires_at timestamptz not null default now() + interval '1 day'
);
create index task_recent on task (created_at desc);
create index task_owner on task (created_by, created_at desc);

create table task_item (
  id bigint generated always as identity primary key,
  task_id bigint not null references task (id) on delete cascade,
  -- Copied from the task, so that taking the next piece of work reads one index.
  kind text not null,
  priority int not null,
  device_kind text not null check (device_kind in ('dcu', 'meter')),
  dcu_id bigint not null,
  meter_id bigint,
  state text not null default 'waiting' check (state in ('waiting', 'reading', 'read_success', 'read_fail', 'cancelled', 'expired')),
  reason_code text,
  reason_text text,
  attempts int not null default 0,
  not_before timestamptz not null default now(),
  lease_owner text,
  lease_until timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  latency_ms int,
  result jsonb,
  trace_id uuid
);
create index task_item_task on task_item (task_id, state, id);
create index task_item_next on task_item (dcu_id, priority, not_before, id) where state = 'waiting';
create index task_item_leased on task_item (lease_until) where state = 'reading';
create index task_item_meter on task_item (meter_id, finished_at desc);

-- The exact bytes of a piece of work, both ways, with the plain text where we hold the key.
create table trace (
  id uuid not null,
  at timestamptz not null default now(),
  dcu_id bigint,
  meter_id bigint,
  session_id bigint,
  -- See storage/frames.ts.
  frames bytea not null,
  bytes int not null,
  duration_ms int not null,
  primary key (id, at)
) partition by range (at);
-- Ciphered bytes do not shrink: trying would double the cost of writing a trace.
alter table trace alter column frames set storage external;

-- ── Readings ────────────────────────────────────────────────────────────────────────────────────

-- Register values at the meter's daily freeze, in kWh.
create table reading_daily (
  meter_id bigint not null,
  freeze_date date not null,
  read_at timestamptz not null,
  source text not null check (source in ('cache', 'meter', 'push', 'manual', 'estimated')),
  quality text not null check (quality in ('read', 'refilled', 'estimated', 'manual', 'invalid')),
  e_plus numeric(14, 4),
  e_minus numeric(14, 4),
  e_plus_t1 numeric(14, 4),
  e_plus_t2 numeric(14, 4),
  e_plus_t3 numeric(14, 4),
  e_plus_t4 numeric(14, 4),
  e_minus_t1 numeric(14, 4),
  e_minus_t2 numeric(14, 4),
  e_minus_t3 numeric(14, 4),
  e_minus_t4 numeric(14, 4),
  status_word bigint,
  device_time text,
  trace_id uuid,
  primary key (meter_id, freeze_date)
) partition by range (freeze_date);

-- One row per meter, profile and UTC day. Slot k of an array (1-based) is the capture at day + (k-1) × period_s.
-- Integers in the unit of the column's name; null where nothing was captured. status: the row's status word, null = no row.
create table reading_profile (
  meter_id bigint not null,
  profile text not null check (profile in ('energy', 'lpa', 'lpb')),
  day date not null,
  period_s int not null,
  -- Slots that hold a captured row, kept by the merge so that completeness never unnests.
  present int not null,
  status int[] not null,
  e_plus_wh bigint[],
  e_minus_wh bigint[],
  p_avg_plus_w int[],
  p_avg_minus_w int[],
  s_avg_plus_va int[],
  s_avg_minus_va int[],
  u1_mv int[],
  u2_mv int[],
  u3_mv int[],
  i1_ma int[],
  i2_ma int[],
  i3_ma int[],
  i0_ma int[],
  pf_milli int[],
  read_at timestamptz not null,
  source text not null check (source in ('cache', 'meter', 'push', 'manual', 'estimated')),
  trace_id uuid,
  primary key (meter_id, profile, day)
) partition by range (day);

-- The newest of everything, for lists and maps. values: item key → {"value", "unit", "at"}.
create table meter_latest (
  meter_id bigint primary key,
  freeze_date date,
  e_plus numeric(14, 4),
  e_minus numeric(14, 4),
  lpa_at timestamptz,
  p_avg_plus_w int,
  u1_mv int,
  values jsonb not null default '{}',
  updated_at timestamptz not null default now()
);

-- What arrived, per DCU, profile and hour of capture, kept by the writer of readings. `hour` is the instant at which
-- an hour of the utility's zone begins (a daily freeze: its day), so days and hours of the operator are plain sums.
create table completeness (
  dcu_id bigint not null,
  profile text not null check (profile in ('daily', 'energy', 'lpa', 'lpb')),
  hour timestamptz not null,
  got int not null default 0,
  primary key (dcu_id, profile, hour)
);
create index completeness_hour on completeness (profile, hour);

/** Slots of b over slots of a: late data fills gaps, a re-delivery changes nothing. */
create function merge_slots(a anyarray, b anyarray) returns anyarray
language sql immutable parallel safe as $$
  select case
    when a is null then b
    when b is null then a
    else (select array_agg(coalesce(y, x) order by k) from unnest(a, b) with ordinality as t (x, y, k))
  end
$$;

-- ── People and rights ───────────────────────────────────────────────────────────────────────────

create table app_user (
  id bigint generated always as identity primary key,
  username text not null check (char_length(username) between 2 and 32),
  name text not null,
  phone text,
  email text,
  password_hash text not null,
  lock boolean not null default false,
  lock_reason text,
  must_change_password boolean not null default false,
  failed_count int not null default 0,
  failed_since timestamptz,
  last_login_at timestamptz,
  locale text not null default 'en-US' check (locale in ('en-US', 'zh-CN')),
  theme text not null default 'light' check (theme in ('light', 'dark')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version int not null default 1
);
create unique index app_user_username on app_user (lower(username));

create table role (
  id bigint generated always as identity primary key,
  code text not null unique,
  name text not null,
  description text,
  is_builtin boolean not null default false,
  version int not null default 1
);

create table module (
  id bigint generated by default as identity primary key,
  parent_id bigint references module (id),
  name_en text not null,
  name_zh text not null,
  path text not null unique,
  icon text not null,
  type text not null check (type in ('group', 'page')),
  sort int not null default 0,
  visible boolean not null default true
);

create table role_module (
  role_id bigint not null references role (id) on delete cascade,
  module_id bigint not null references module (id) on delete cascade,
  primary key (role_id, module_id)
);

create table role_action (
  role_id bigint not null references role (id) on delete cascade,
  module_id bigint not null references module (id) on delete cascade,
  action text not null check (action in ('view', 'add', 'edit', 'delete', 'import', 'export', 'execute', 'approve', 'configure')),
  primary key (role_id, module_id, action)
);

-- No row for a role: the whole network.
create table role_scope (
  role_id bigint not null references role (id) on delete cascade,
  level_id bigint not null references network_level (id) on delete cascade,
  primary key (role_id, level_id)
);

create table user_role (
  user_id bigint not null references app_user (id) on delete cascade,
  role_id bigint not null references role (id) on delete cascade,
  primary key (user_id, role_id)
);

create table user_session (
  id uuid primary key,
  user_id bigint not null references app_user (id) on delete cascade,
  -- SHA-256 of the current refresh token; the previous one is kept to recognise theft.
  refresh_hash bytea not null,
  previous_hash bytea,
  -- Two tabs may refresh at once: for a moment the previous token is no theft.
  rotated_at timestamptz not null default now(),
  issued_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ip text,
  agent text,
  revoked_at timestamptz
);
create index user_session_user on user_session (user_id, issued_at desc);

-- Append only, hash-chained: hash = sha256(prev_hash ‖ the row's own content).
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  user_id bigint,
  action text not null,
  entity text not null,
  entity_id text,
  detail jsonb not null default '{}',
  ip text,
  prev_hash bytea not null,
  hash bytea not null
);
create index audit_log_at on audit_log (at desc);

create table setting (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);
