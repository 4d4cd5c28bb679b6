-- why: through whom a meter talks explains why it is silent, and only what was kept can be compared with what is.

create table topology_setting (
  dcu_id bigint primary key references dcu (id) on delete cascade,
  capture boolean not null default true,
  poll_min int not null default 60 check (poll_min between 5 and 1440),
  -- Days that every poll is kept; one a day is kept for longer.
  depth_days int not null default 7 check (depth_days between 1 and 31),
  updated_at timestamptz not null default now(),
  updated_by bigint references app_user (id) on delete set null
);

-- The network as it was last read; who is not in it any more stays, offline.
create table topology_node (
  dcu_id bigint not null references dcu (id) on delete cascade,
  mac text not null,
  node_id int not null,
  sn text not null,
  parent_mac text,
  level int not null,
  role text not null check (role in ('cco', 'pco', 'sta')),
  phase text not null check (phase in ('a', 'b', 'c', 'abc', 'unknown')),
  link text not null check (link in ('plc', 'rf')),
  signal_value int,
  up_pct int,
  down_pct int,
  online_since timestamptz,
  last_seen_at timestamptz not null,
  is_online boolean not null,
  primary key (dcu_id, mac)
);
create index topology_node_sn on topology_node (sn);

create table topology_snapshot (
  id bigint generated always as identity primary key,
  dcu_id bigint not null references dcu (id) on delete cascade,
  taken_at timestamptz not null,
  node_count int not null,
  avg_level real not null,
  max_level int not null,
  success_pct real,
  changes int not null,
  task_id bigint,
  -- The stations, as JSON and packed.
  nodes bytea not null
);
create unique index topology_snapshot_dcu on topology_snapshot (dcu_id, taken_at desc);

create table topology_delta (
  id bigint generated always as identity primary key,
  dcu_id bigint not null references dcu (id) on delete cascade,
  at timestamptz not null,
  mac text not null,
  sn text not null,
  change text not null check (change in ('joined', 'left', 'parent', 'level', 'signal')),
  before text,
  after text
);
create index topology_delta_dcu on topology_delta (dcu_id, at);
create index topology_delta_node on topology_delta (dcu_id, mac, at);

create table plc_module (
  mac text primary key,
  dcu_id bigint not null references dcu (id) on delete cascade,
  role text not null check (role in ('cco', 'pco', 'sta')),
  chip_id text not null,
  vendor text not null,
  hw_version text not null,
  sw_version text not null,
  boots bigint not null,
  uptime_s bigint not null,
  read_at timestamptz not null,
  replaced_at timestamptz,
  replaced_by bigint references app_user (id) on delete set null,
  raw jsonb not null
);
create index plc_module_dcu on plc_module (dcu_id);

-- One switch of a network; a DCU is switched once at a time.
create table topology_switch (
  id bigint generated always as identity primary key,
  dcu_id bigint not null references dcu (id) on delete cascade,
  task_id bigint not null,
  operation text not null check (operation in ('report_on', 'report_off', 'rebuild', 'restart_route_module')),
  state text not null default 'sent' check (state in ('sent', 'rebuilding', 'settled', 'failed')),
  reason text not null,
  reason_code text,
  before jsonb,
  after jsonb,
  started_at timestamptz not null,
  ended_at timestamptz,
  started_by bigint references app_user (id) on delete set null
);
create unique index topology_switch_live on topology_switch (dcu_id) where state in ('sent', 'rebuilding');
create index topology_switch_at on topology_switch (started_at desc);
create index topology_switch_task on topology_switch (task_id);

create table station_ping (
  task_id bigint not null,
  mac text not null,
  number int not null,
  at timestamptz not null,
  ms int,
  reason_code text,
  primary key (task_id, mac, number)
);
