-- why: suppliers, types, levels and transformers are kept by people: they get every field of their forms, and rules the database itself holds.

alter table supplier
  add column contact text,
  add column address text,
  add column phone text,
  add column email text,
  add column note text;
create unique index supplier_flag on supplier (flag_id) where flag_id is not null;

alter table southbound_profile
  add column created_at timestamptz not null default now(),
  add column created_by bigint;

alter table dcu_type
  add column hardware_version text,
  add column downlink_modes text[] not null default '{plc}' check (downlink_modes <@ '{plc,rf,rs485}' and cardinality(downlink_modes) > 0),
  add column features text[] not null default '{gateway}';
create unique index dcu_type_name on dcu_type (lower(name));
create index dcu_type_supplier on dcu_type (supplier_id);
create index dcu_dcu_type on dcu (dcu_type_id);

alter table meter_type
  add column ct_metering boolean not null default false,
  add column communication_modes text[] not null default '{plc}' check (communication_modes <@ '{plc,rf}' and cardinality(communication_modes) > 0),
  add column relay_mode int not null default 4 check (relay_mode between 0 and 6),
  add column addressing text not null default 'logical' check (addressing in ('logical', 'short')),
  -- Null: the meter says it.
  add column image_block_size int check (image_block_size between 64 and 2048),
  add column quirks text[] not null default '{}';
create unique index meter_type_name on meter_type (lower(name));
create index meter_type_supplier on meter_type (supplier_id);
create index meter_meter_type on meter (meter_type_id);

alter table transformer
  add column public_private text not null default 'public' check (public_private in ('public', 'private')),
  add column note text;
create index transformer_position on transformer (longitude, latitude) where longitude is not null;
create index transformer_master on transformer (master_meter_id) where master_meter_id is not null;
