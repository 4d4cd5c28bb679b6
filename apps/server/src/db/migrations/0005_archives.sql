-- why: archives of DCUs are compared with ours and made equal to them, and what a DCU hears is kept to be decided about.

-- One row per meter and DCU that either side has, or had.
create table archive_record (
  id bigint generated always as identity primary key,
  dcu_id bigint not null references dcu (id) on delete cascade,
  -- Null: the DCU has a serial number that we do not know.
  meter_id bigint references meter (id) on delete set null,
  sn text not null,
  -- Measurement point: given by us, stable while the meter is bound.
  idx int check (idx between 1 and 65535),
  bind_state text not null default 'not_bound' check (bind_state in ('bound', 'not_bound')),
  dispatch_state text not null default 'not_distributed' check (dispatch_state in ('distributed', 'not_distributed')),
  distribution_state text check (distribution_state in ('pending_distribution', 'distributed', 'deleted')),
  delete_status text not null default 'none' check (delete_status in ('none', 'pending_delete', 'deleted', 'delete_failed')),
  diff_kind text check (diff_kind in ('same', 'hes_only', 'dcu_only', 'param_diff', 'idx_conflict', 'other_dcu')),
  diff_fields text[] not null default '{}',
  -- The DCU's entry as it was read last; null: it has none.
  dcu_entry jsonb,
  last_dispatch_at timestamptz,
  last_dispatch_by bigint references app_user (id) on delete set null,
  last_verify_at timestamptz,
  last_result text check (last_result in ('ok', 'refused', 'unknown')),
  last_reason_code text,
  updated_at timestamptz not null default now(),
  unique (dcu_id, sn),
  check (bind_state = 'not_bound' or (meter_id is not null and idx is not null))
);
create unique index archive_record_one_bound on archive_record (meter_id) where bind_state = 'bound';
create unique index archive_record_point on archive_record (dcu_id, idx) where bind_state = 'bound';
create index archive_record_meter on archive_record (meter_id);
create index archive_record_state on archive_record (dcu_id, bind_state, dispatch_state);

-- Meters that were bound before archives were kept: as nothing was read back, nothing is known to be distributed.
insert into archive_record (dcu_id, meter_id, sn, idx, bind_state, dispatch_state, distribution_state)
select m.dcu_id, m.id, m.sn, row_number() over (partition by m.dcu_id order by m.id), 'bound', 'not_distributed', 'pending_distribution'
from meter m where m.dcu_id is not null;

-- A meter whose entry would read differently now is to be dispatched again, whoever changed it and however.
create function archive_becomes_dirty() returns trigger language plpgsql as $$
begin
  update archive_record set dispatch_state = 'not_distributed', distribution_state = 'pending_distribution', diff_kind = 'param_diff', updated_at = now()
  where meter_id = new.id and bind_state = 'bound' and dispatch_state = 'distributed';
  return null;
end $$;
create trigger meter_archive_dirty after update of recorded_phase, communication_mode, meter_type_id, is_master, gateway_address on meter
for each row when (
  (old.recorded_phase, old.communication_mode, old.meter_type_id, old.is_master, old.gateway_address)
  is distinct from (new.recorded_phase, new.communication_mode, new.meter_type_id, new.is_master, new.gateway_address))
execute function archive_becomes_dirty();

-- What a DCU's archive was at a moment: the proof behind the states.
create table archive_snapshot (
  id bigint generated always as identity primary key,
  dcu_id bigint not null references dcu (id) on delete cascade,
  task_id bigint,
  taken_at timestamptz not null,
  entries jsonb not null,
  count int not null,
  frames int not null,
  duration_ms int not null
);
create index archive_snapshot_dcu on archive_snapshot (dcu_id, taken_at desc);

create table archive_plan (
  id bigint generated always as identity primary key,
  dcu_id bigint not null references dcu (id) on delete cascade,
  snapshot_id bigint not null references archive_snapshot (id) on delete cascade,
  steps jsonb not null,
  frames int not null,
  seconds numeric(10, 1) not null,
  created_by bigint references app_user (id) on delete set null,
  created_at timestamptz not null default now(),
  applied_at timestamptz,
  task_id bigint
);
create index archive_plan_dcu on archive_plan (dcu_id, created_at desc);

create table discovery_run (
  id bigint generated always as identity primary key,
  dcu_id bigint not null references dcu (id) on delete cascade,
  task_id bigint not null,
  mode text not null check (mode in ('plc', 'rf', 'both')),
  state text not null default 'starting' check (state in ('idle', 'starting', 'searching', 'stopping', 'finished', 'failed')),
  poll_seconds int not null default 10,
  started_at timestamptz not null default now(),
  ends_at timestamptz not null,
  ended_at timestamptz,
  found int not null default 0,
  last_poll_at timestamptz,
  reason_code text,
  started_by bigint references app_user (id) on delete set null
);
-- A DCU searches once at a time.
create unique index discovery_run_live on discovery_run (dcu_id) where state in ('starting', 'searching', 'stopping');
create index discovery_run_dcu on discovery_run (dcu_id, started_at desc);
create index discovery_run_task on discovery_run (task_id);

create table discovered_meter (
  id bigint generated always as identity primary key,
  run_id bigint not null references discovery_run (id) on delete cascade,
  dcu_id bigint not null references dcu (id) on delete cascade,
  sn text not null,
  address text not null,
  protocol text not null check (protocol in ('dlms', 'other')),
  comm_mode text not null check (comm_mode in ('plc', 'rf', 'rs485')),
  phase text not null check (phase in ('a', 'b', 'c', 'abc', 'unknown')),
  hops int not null,
  signal_value int,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  times_seen int not null default 1,
  nameplate jsonb,
  ignored_until timestamptz,
  ignore_reason text,
  unique (dcu_id, sn)
);
create index discovered_meter_sn on discovered_meter (sn);
