-- why: DCUs and meters are registered, keyed, exchanged and removed by people: every field of their forms, who changed which key, and what stood on the register when a meter was taken away.

alter table dcu
  add column password_secret bytea,
  add column master_key_secret bytea,
  add column sim_iccid text,
  add column apn text,
  add column msisdn text,
  add column note text;

-- What differs from the meter's type; null: as the type.
alter table meter
  add column accuracy text,
  add column voltage text,
  add column current text,
  add column phase text check (phase in ('1p2w', '3p3w', '3p4w')),
  add column password_secret bytea,
  add column master_key_secret bytea,
  add column note text,
  add column removed_at timestamptz;

-- Never the key: only that it was changed, by whom and how.
create table device_key_log (
  id bigint generated always as identity primary key,
  device_kind text not null check (device_kind in ('dcu', 'meter')),
  device_id bigint not null,
  key_type text not null check (key_type in ('password', 'master_key', 'ek', 'ak')),
  method text not null check (method in ('typed', 'imported', 'transferred', 'cleared')),
  user_id bigint,
  changed_at timestamptz not null default now()
);
create index device_key_log_device on device_key_log (device_kind, device_id, changed_at desc);

-- A meter that left its place, and the one that took it: bills end with one register and begin with the other.
create table meter_exchange (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  old_meter_id bigint not null references meter (id) on delete cascade,
  new_meter_id bigint references meter (id) on delete cascade,
  final_kwh numeric(14, 4),
  initial_kwh numeric(14, 4),
  transformer_id bigint references transformer (id) on delete set null,
  dcu_id bigint references dcu (id) on delete set null,
  customer_no text,
  note text,
  user_id bigint,
  created_at timestamptz not null default now()
);
create index meter_exchange_old on meter_exchange (old_meter_id, at desc);
create index meter_exchange_new on meter_exchange (new_meter_id, at desc);
