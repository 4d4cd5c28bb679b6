-- why: a supply is switched by a command that is sent once at most, under ceilings and with a second person's word; parameters of a DCU stand beside what they should be.

alter table meter
  add column protected_supply boolean not null default false,
  -- Lifting a protection does not open the way to who lifts it: for a day the supply still takes two people.
  add column protection_lifted_at timestamptz,
  -- As the meter says; its type's until it was asked.
  add column relay_mode int check (relay_mode between 0 and 6),
  add column relay_output boolean,
  add column relay_read_at timestamptz,
  add column relay_switched_at timestamptz,
  add column relay_switched_by bigint;
create index meter_relay on meter (relay_state, sn);
create index meter_protected on meter (sn) where protected_supply;

-- What somebody ordered. The request id makes a repeated call the same order.
create table relay_order (
  task_id bigint primary key references task (id) on delete cascade,
  request_id uuid not null,
  operation text not null check (operation in ('disconnect', 'connect', 'arm')),
  requested_by bigint not null,
  reason text not null check (char_length(reason) between 1 and 256),
  work_order text not null check (char_length(work_order) between 1 and 64),
  needs_approval boolean not null,
  meters int not null,
  power_w bigint not null,
  created_at timestamptz not null default now(),
  unique (requested_by, request_id)
);

create table approval (
  id bigint generated always as identity primary key,
  task_id bigint not null unique references task (id) on delete cascade,
  requested_by bigint not null,
  approver_id bigint,
  state text not null default 'pending' check (state in ('pending', 'approved', 'rejected')),
  comment text check (char_length(comment) <= 256),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_at timestamptz,
  -- Of the decision, by a key the database does not hold.
  seal bytea,
  check (requested_by <> approver_id),
  check ((state = 'pending') = (approver_id is null))
);
create index approval_pending on approval (expires_at) where state = 'pending';

create table relay_command (
  id bigint generated always as identity primary key,
  task_id bigint not null references task (id) on delete cascade,
  meter_id bigint not null,
  operation text not null check (operation in ('disconnect', 'connect', 'arm')),
  requested_by bigint not null,
  needs_approval boolean not null,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'done', 'refused', 'failed', 'unknown')),
  reason_code text,
  power_before_w int,
  power_after_w int,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  trace_id uuid,
  -- Of the order, by a key the database does not hold: a row that somebody put here is none.
  seal bytea not null,
  unique (task_id, meter_id)
);
create index relay_command_meter on relay_command (meter_id, id desc);
create index relay_command_recent on relay_command (created_at desc, id desc);
create index relay_command_requested on relay_command (requested_by, created_at) where not needs_approval;

-- Written before the octets go out, and never again: one line per command is why it cannot be sent twice.
create table relay_sent (
  command_id bigint primary key,
  meter_id bigint not null,
  operation text not null,
  power_w int not null,
  at timestamptz not null default now()
);
create index relay_sent_at on relay_sent (at);
create trigger relay_sent_append_only before update or delete or truncate on relay_sent for each statement execute function refuse_rewriting();

-- The newest line that is in force counts. What loosens comes into force a day later.
create table relay_limit (
  id bigint generated always as identity primary key,
  max_meters_per_hour int not null check (max_meters_per_hour between 0 and 10000),
  max_kw_per_hour int not null check (max_kw_per_hour between 0 and 300000),
  alone_up_to int not null check (alone_up_to between 0 and 10),
  spread_s int not null check (spread_s between 0 and 3600),
  effective_at timestamptz not null default now(),
  changed_by bigint,
  created_at timestamptz not null default now()
);
insert into relay_limit (max_meters_per_hour, max_kw_per_hour, alone_up_to, spread_s) values (50, 1000, 10, 0);

-- While one of these is open, no supply is switched.
create table relay_stop (
  id bigint generated always as identity primary key,
  reason text not null check (char_length(reason) between 1 and 256),
  stopped_by bigint not null,
  stopped_at timestamptz not null default now(),
  released_by bigint,
  released_at timestamptz
);
create unique index relay_stop_open on relay_stop ((true)) where released_at is null;

create table dcu_parameter (
  dcu_id bigint not null references dcu (id) on delete cascade,
  key text not null,
  -- As text, in the form the catalogue says.
  desired text,
  actual text,
  state text not null default 'unknown' check (state in ('unknown', 'in_sync', 'differs', 'writing', 'written', 'failed')),
  reason_code text,
  read_at timestamptz,
  written_at timestamptz,
  written_by bigint,
  primary key (dcu_id, key)
);
create index dcu_parameter_differs on dcu_parameter (dcu_id) where state in ('differs', 'failed');

create table dcu_param_template (
  id bigint generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 64),
  parameters jsonb not null,
  created_by bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version int not null default 1
);
create unique index dcu_param_template_name on dcu_param_template (lower(name));
