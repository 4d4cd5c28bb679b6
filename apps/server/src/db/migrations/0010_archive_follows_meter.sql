-- why: which DCU a meter belongs to is said in one place, the meter; its archive records follow, whoever binds, moves or replaces it.

create function archive_follows_meter() returns trigger language plpgsql as $$
declare
  free int;
begin
  -- It leaves: what its DCU still has is to be taken out there.
  update archive_record r set bind_state = 'not_bound', idx = null, updated_at = now(),
    dispatch_state = case when had then 'distributed' else 'not_distributed' end,
    distribution_state = case when had then 'distributed' else null end,
    delete_status = case when had then 'pending_delete' else 'none' end,
    diff_kind = case when had then case when new.dcu_id is null then 'dcu_only' else 'other_dcu' end end, diff_fields = '{}'
  from (select id, dcu_entry is not null or (dispatch_state = 'distributed' and last_verify_at is null) as had from archive_record where meter_id = new.id) h
  where h.id = r.id and r.meter_id = new.id and r.bind_state = 'bound' and r.dcu_id is distinct from new.dcu_id;
  if new.dcu_id is null or exists (select from archive_record where meter_id = new.id and bind_state = 'bound') then
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
create trigger meter_archive_follows after update of dcu_id on meter
for each row when (old.dcu_id is distinct from new.dcu_id) execute function archive_follows_meter();
