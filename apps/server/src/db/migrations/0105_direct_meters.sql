-- why: a meter with its own modem is reached as a DCU is; sessions, orders and readings refer to what is connected, whichever of the two it is
alter table dcu rename to endpoint;
alter table endpoint
  -- 'meter': a direct meter, whose row has the serial number, keys and type; this one has its connection.
  add column kind text not null default 'dcu' check (kind in ('dcu', 'meter')),
  alter column dcu_type_id drop not null,
  drop constraint dcu_sn_check,
  add constraint endpoint_sn_check check (sn ~ '^[A-Z0-9]{4,32}$'),
  add constraint endpoint_type_check check (kind = 'meter' or dcu_type_id is not null);

-- DCUs only: lists, counts and orders of DCUs concern no direct meter.
create view dcu as
select id, sn, name, dcu_type_id, transformer_id, protocol, communicate_type, connection_type, host, port, authentication_type, client_sap, server_sap,
  system_title, ek_secret, ak_secret, invocation_counter, data_channel, country, longitude, latitude, firmware_version, online_status, last_comm_at,
  last_session_id, clock_deviation_s, created_at, updated_at, version, password_secret, master_key_secret, sim_iccid, apn, msisdn, note, proved_counter,
  counter_jumped_at
from endpoint where kind = 'dcu';

alter table meter
  drop constraint meter_communication_mode_check,
  add constraint meter_communication_mode_check check (communication_mode in ('plc', 'rf', 'direct'));
alter table meter_type
  drop constraint meter_type_communication_modes_check,
  add constraint meter_type_communication_modes_check check (communication_modes <@ '{plc,rf,direct}' and cardinality(communication_modes) > 0),
  -- Of direct meters: what a DCU type says for DCUs.
  add column heartbeat_s int not null default 3600 check (heartbeat_s between 30 and 172800),
  add column apdu_size int not null default 1024 check (apdu_size between 128 and 65535),
  add column allowed_addresses text[] not null default '{}';

-- A direct meter is in no archive of a DCU.
create function is_direct(endpoint_id bigint) returns boolean stable language sql as $$
  select exists (select from endpoint where id = endpoint_id and kind = 'meter')
$$;
create or replace function archive_follows_meter() returns trigger language plpgsql as $$
declare
  free int;
begin
  -- It leaves: what its DCU still has is to be taken out there.
  update archive_record r set bind_state = 'not_bound', idx = null, updated_at = now(),
    dispatch_state = case when had then 'distributed' else 'not_distributed' end,
    distribution_state = case when had then 'distributed' else null end,
    delete_status = case when had then 'pending_delete' else 'none' end,
    diff_kind = case when had then case when new.dcu_id is null or is_direct(new.dcu_id) then 'dcu_only' else 'other_dcu' end end, diff_fields = '{}'
  from (select id, dcu_entry is not null or (dispatch_state = 'distributed' and last_verify_at is null) as had from archive_record where meter_id = new.id) h
  where h.id = r.id and r.meter_id = new.id and r.bind_state = 'bound' and r.dcu_id is distinct from new.dcu_id;
  if new.dcu_id is null or is_direct(new.dcu_id) or exists (select from archive_record where meter_id = new.id and bind_state = 'bound') then
    return null;
  end if;
  -- It comes: the lowest measurement point that is free, one meter at a time.
  perform pg_advisory_xact_lock(4059005, new.dcu_id::int);
  select min(i) into free from generate_series(1, (select count(*) + 1 from archive_record where dcu_id = new.dcu_id and bind_state = 'bound')) as i
  where not exists (select from archive_record where dcu_id = new.dcu_id and bind_state = 'bound' and idx = i);
  insert into archive_record as r (dcu_id, meter_id, sn, idx, bind_state, dispatch_state, distribution_state, diff_kind)
  values (new.dcu_id, new.id, new.sn, free, 'bound', 'not_distributed', 'pending_distribution', 'hes_only')
  on conflict (dcu_id, sn) do update set meter_id = excluded.meter_id, idx = excluded.idx, bind_state = 'bound', dispatch_state = 'not_distributed',
    distribution_state = 'pending_distribution', delete_status = 'none', diff_kind = case when r.dcu_entry is null then 'hes_only' else 'idx_conflict' end,
    diff_fields = '{}', updated_at = now();
  return null;
end $$;

-- The area of a user contains a direct meter's endpoint where it contains the meter.
create function endpoint_follows_meter() returns trigger language plpgsql as $$
begin
  update endpoint set transformer_id = new.transformer_id where id = new.dcu_id and kind = 'meter';
  return null;
end $$;
create trigger meter_endpoint_follows after update of transformer_id, dcu_id on meter
for each row when (new.communication_mode = 'direct') execute function endpoint_follows_meter();
