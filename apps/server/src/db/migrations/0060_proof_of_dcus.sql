-- DCU types without keys are admitted by address; a device's unauthenticated counter error is believed once a day, measured from proof.
alter table dcu_type add allowed_addresses text[] not null default '{}';

alter table dcu
  add proved_counter bigint not null default 0 check (proved_counter between 0 and 4294967296),
  add counter_jumped_at timestamptz;
alter table meter
  add proved_counter bigint not null default 0 check (proved_counter between 0 and 4294967296),
  add counter_jumped_at timestamptz;

-- Devices that are ahead of the common mark have proved their counters before this column existed.
update dcu set proved_counter = invocation_counter where invocation_counter > (select through from counter_mark);
update meter set proved_counter = invocation_counter where invocation_counter > (select through from counter_mark);
