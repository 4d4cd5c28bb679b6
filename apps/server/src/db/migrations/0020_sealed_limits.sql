-- why: a ceiling of relay control counts only where this server wrote it, and an alarm can be the head-end's own

-- Of the line, by a key the database does not hold. Older lines have none: the built-in ceiling stands until somebody says otherwise.
alter table relay_limit add column seal bytea;
-- What was in force from the beginning is built in now.
delete from relay_limit where changed_by is null;
create trigger relay_limit_append_only before update or delete or truncate on relay_limit for each statement execute function refuse_rewriting();

-- Commands to relays that wait: looked at every few seconds, whatever else waits.
create index task_item_relay on task_item (id) where state = 'waiting' and kind in ('relay_disconnect', 'relay_connect', 'relay_arm');

-- What the head-end itself has to say belongs to no device.
alter table event drop constraint event_device_kind_check, alter column dcu_id drop not null;
alter table event
  add constraint event_device_kind_check check (device_kind in ('dcu', 'meter', 'head_end')),
  add constraint event_head_end_check check ((device_kind = 'head_end') = (dcu_id is null));
