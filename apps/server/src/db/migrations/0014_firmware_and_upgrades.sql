-- why: firmware is kept with who uploaded, signed and approved it, and an upgrade remembers of each device how far it is, so that nothing that dies on the way costs more than a block

-- The files themselves, in pieces: outside of anything that is served, backed up with the rest, and the same for every node.
create table firmware_file (
  id bigint generated always as identity primary key,
  name text not null,
  size int not null,
  sha256 text not null,
  format text not null,
  uploaded_by bigint,
  uploaded_at timestamptz not null default now()
);

create table firmware_chunk (
  file_id bigint not null references firmware_file (id) on delete cascade,
  n int not null,
  octets bytea not null,
  primary key (file_id, n)
);
alter table firmware_chunk alter column octets set storage external;

-- Manufacturers that sign: PEM of Ed25519 or ECDSA.
create table firmware_key (
  supplier_id bigint primary key references supplier (id) on delete cascade,
  public_key text not null,
  updated_by bigint,
  updated_at timestamptz not null default now()
);

create table firmware (
  id bigint generated always as identity primary key,
  name text not null,
  version text not null,
  upgrade_protocol text not null check (upgrade_protocol in ('dlms_image', 'dlms_image_via_dcu', 'vendor_file_pull')),
  supplier_id bigint not null references supplier (id),
  target_kind text not null check (target_kind in ('dcu', 'rt', 'sta', 'meter')),
  -- Of meter_type for meters, of dcu_type for the others.
  type_ids bigint[] not null,
  image_identifier text not null,
  block_size int not null check (block_size between 16 and 2048),
  upgrade_reason text not null,
  file_provider text not null,
  from_versions text[] not null default '{}',
  file_id bigint not null references firmware_file (id),
  signature text,
  signature_state text not null default 'none' check (signature_state in ('none', 'valid', 'no_key')),
  state text not null default 'draft' check (state in ('draft', 'approved', 'retired')),
  created_by bigint not null,
  -- Everybody whose hand it went through: none of them approves it.
  touched_by bigint[] not null,
  approved_by bigint,
  approved_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  revision int not null default 1,
  check (approved_by is null or approved_by <> all (touched_by))
);
create unique index firmware_name on firmware (target_kind, lower(name), version);

create table upgrade_job (
  id bigint generated always as identity primary key,
  name text not null,
  reason text not null,
  firmware_id bigint not null references firmware (id),
  target_kind text not null,
  state text not null default 'running' check (state in ('running', 'waiting_ring', 'paused', 'halted', 'finished', 'stopped')),
  halt_cause text check (halt_cause in ('failures', 'silence', 'read_success')),
  halt_detail jsonb,
  -- Failures somebody has seen and gone on after.
  forgiven_failures int not null default 0,
  forgiven_silent int not null default 0,
  read_drop_forgiven boolean not null default false,
  ring int not null default 1,
  rings int not null,
  ring_done_at timestamptz,
  continue_by text not null check (continue_by in ('itself', 'hand')),
  watch_minutes int not null,
  window_from text,
  window_to text,
  concurrency int not null,
  halt_rule jsonb not null,
  activate_at timestamptz,
  task_id bigint,
  created_by bigint not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);
create index upgrade_job_open on upgrade_job (id) where state not in ('finished', 'stopped');
create index upgrade_job_firmware on upgrade_job (firmware_id);

create table upgrade_record (
  id bigint generated always as identity primary key,
  job_id bigint not null references upgrade_job (id),
  target_kind text not null,
  device_kind text not null check (device_kind in ('dcu', 'meter')),
  device_id bigint not null,
  dcu_id bigint not null,
  ring int not null,
  status text not null default 'idle' check (status in ('idle', 'check_version', 'download_file', 'enable_translate', 'set_block_size',
    'translate_init', 'start_translate', 'translating', 'check_fail_block', 'check_image', 'activate_image', 'no_need_complete', 'send_upgrade_rt',
    'send_upgrade_sta', 'wait_update', 'updating', 'update_success', 'update_fail', 'complete', 'error')),
  failed_in text,
  old_version text,
  new_version text not null,
  check_result text check (check_result in ('pass', 'fail', 'skipped')),
  check_text text,
  process real not null default 0,
  block_size int,
  blocks_total int,
  blocks_done int not null default 0,
  -- One digit for each block.
  block_map text not null default '',
  octets_sent bigint not null default 0,
  rate int,
  attempts int not null default 0,
  -- Failed turns since the last one that got on.
  stumbles int not null default 0,
  -- Sending what was missing, so many times.
  repairs int not null default 0,
  is_anew boolean not null default false,
  is_stopping boolean not null default false,
  -- Null: waits for its ring and for a place.
  released_at timestamptz,
  -- When it was taken into use: from then on silence is counted.
  activated_at timestamptz,
  item_id bigint,
  trace_id uuid,
  relay_before text,
  post_checks jsonb not null default '[]',
  reason_code text,
  reason_text text,
  changed_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
)
-- Progress is written every few seconds.
with (fillfactor = 70);
create index upgrade_record_job on upgrade_record (job_id, status);
create index upgrade_record_device on upgrade_record (device_kind, device_id);
create index upgrade_record_item on upgrade_record (item_id);
create index upgrade_record_recent on upgrade_record (changed_at desc);
create unique index upgrade_record_once on upgrade_record (target_kind, device_kind, device_id)
  where status not in ('no_need_complete', 'complete', 'update_fail', 'error');

create table upgrade_log (
  id bigint generated always as identity primary key,
  record_id bigint not null references upgrade_record (id) on delete cascade,
  at timestamptz not null default now(),
  from_status text,
  to_status text not null,
  text text,
  reason_code text,
  user_id bigint
);
create index upgrade_log_record on upgrade_log (record_id, id);
