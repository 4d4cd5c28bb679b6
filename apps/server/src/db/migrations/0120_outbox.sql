-- why: other systems receive readings, events, outcomes of orders and master data. A row names what a transaction wrote; values are read when they leave.
create table outbox (
  id bigint generated always as identity primary key,
  -- Ids are given before commits, so readers compare transactions with their snapshot.
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now(),
  kind text not null check (kind in ('readings', 'events', 'commands', 'assets')),
  -- Of readings the profile, of master data the kind of object.
  subject text,
  -- Meters, events, items of tasks, or objects.
  ids bigint[] not null,
  -- Of readings, per meter: day since 1970-01-01; first and last slot in seconds after its midnight.
  days int[],
  firsts int[],
  lasts int[]
);
create index outbox_by_kind on outbox (kind, id);
create index outbox_by_transaction on outbox (kind, xid);

-- One row a kind. A cursor of another epoch is refused: nothing was written for a while before the present one.
create table outbox_kind (
  kind text primary key,
  epoch int not null default 0,
  began_at timestamptz not null default now(),
  -- Rows from before this instant may have been deleted.
  cleared_before timestamptz not null default '-infinity'
);
insert into outbox_kind (kind) values ('readings'), ('events'), ('commands'), ('assets');

-- Programs that follow a feed, and senders. Nothing is written for a kind without a reader.
create table outbox_reader (
  kind text not null references outbox_kind (kind),
  reader text not null,
  asked_at timestamptz not null default now(),
  primary key (kind, reader)
);

-- The lock is held until the commit: a new reader waits for the transactions that did not see it.
create function announce(of_kind text, of_subject text, of_ids bigint[], of_days int[] default null, of_firsts int[] default null, of_lasts int[] default null)
returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(4059029, hashtext(of_kind));
  if exists (select from outbox_reader r where r.kind = of_kind) and cardinality(of_ids) > 0 then
    insert into outbox (kind, subject, ids, days, firsts, lasts) values (of_kind, of_subject, of_ids, of_days, of_firsts, of_lasts);
  end if;
end $$;

create function announce_row() returns trigger language plpgsql as $$
begin
  perform announce(tg_argv[0], tg_argv[1], array[new.id]);
  return null;
end $$;

create function announce_rows() returns trigger language plpgsql as $$
begin
  perform announce(tg_argv[0], tg_argv[1], (select coalesce(array_agg(id order by id), '{}') from changed));
  return null;
end $$;

-- Outcomes of orders of users and programs, and those that were unknown again when they are known. The result of plans and of the head-end's own
-- work is what they read.
create function announce_outcome() returns trigger language plpgsql as $$
begin
  if exists (select from task t where t.id = new.task_id and t.source in ('user', 'api')) then
    perform announce('commands', null, array[new.id]);
  end if;
  return null;
end $$;
create trigger outbox_item after update of state on task_item for each row
  when (new.phase <> 'open' and (old.phase, old.state, old.reason_code) is distinct from (new.phase, new.state, new.reason_code))
  execute function announce_outcome();

-- Master data. Collection updates other columns of these tables, for which the triggers do not fire.
create trigger outbox_meter after update of sn, meter_type_id, is_master, communication_mode, inventory_state, transformer_id, dcu_id, ct_ratio, pt_ratio,
  customer_no, customer_name, address, longitude, latitude, is_generator on meter for each row
  when ((old.sn, old.meter_type_id, old.is_master, old.communication_mode, old.inventory_state, old.transformer_id, old.dcu_id, old.ct_ratio, old.pt_ratio,
      old.customer_no, old.customer_name, old.address, old.longitude, old.latitude, old.is_generator)
    is distinct from (new.sn, new.meter_type_id, new.is_master, new.communication_mode, new.inventory_state, new.transformer_id, new.dcu_id, new.ct_ratio, new.pt_ratio,
      new.customer_no, new.customer_name, new.address, new.longitude, new.latitude, new.is_generator))
  execute function announce_row('assets', 'meter');
create trigger outbox_meter_added after insert on meter referencing new table as changed for each statement execute function announce_rows('assets', 'meter');
create trigger outbox_meter_removed after delete on meter referencing old table as changed for each statement execute function announce_rows('assets', 'meter');

-- The endpoint of a direct meter is no DCU: the meter is announced.
create function announce_dcus() returns trigger language plpgsql as $$
begin
  perform announce('assets', 'dcu', (select coalesce(array_agg(id order by id), '{}') from changed where kind = 'dcu'));
  return null;
end $$;
create trigger outbox_dcu after update of sn, name, dcu_type_id, transformer_id on endpoint for each row
  when (new.kind = 'dcu' and (old.sn, old.name, old.dcu_type_id, old.transformer_id) is distinct from (new.sn, new.name, new.dcu_type_id, new.transformer_id))
  execute function announce_row('assets', 'dcu');
create trigger outbox_dcu_added after insert on endpoint referencing new table as changed for each statement execute function announce_dcus();
create trigger outbox_dcu_removed after delete on endpoint referencing old table as changed for each statement execute function announce_dcus();

create trigger outbox_transformer after update of code, name, address, level_id, longitude, latitude, capacity_kva, ct_ratio, pt_ratio on transformer for each row
  when ((old.code, old.name, old.address, old.level_id, old.longitude, old.latitude, old.capacity_kva, old.ct_ratio, old.pt_ratio)
    is distinct from (new.code, new.name, new.address, new.level_id, new.longitude, new.latitude, new.capacity_kva, new.ct_ratio, new.pt_ratio))
  execute function announce_row('assets', 'transformer');
create trigger outbox_transformer_added after insert on transformer referencing new table as changed for each statement execute function announce_rows('assets', 'transformer');
create trigger outbox_transformer_removed after delete on transformer referencing old table as changed for each statement execute function announce_rows('assets', 'transformer');

create trigger outbox_level after update of code, name, parent_id on network_level for each row
  when ((old.code, old.name, old.parent_id) is distinct from (new.code, new.name, new.parent_id))
  execute function announce_row('assets', 'level');
create trigger outbox_level_added after insert on network_level referencing new table as changed for each statement execute function announce_rows('assets', 'level');
create trigger outbox_level_removed after delete on network_level referencing old table as changed for each statement execute function announce_rows('assets', 'level');

-- The setting has a new field, and stored values need it.
update setting set value = value || '{"outboxDays": 7}' where key = 'retention';
