-- why: a day with two capture periods is kept on one grid that holds the captures of both, and a stored value that is replaced keeps the
-- value before it.

/**
 * Slots of one grid on a finer one. A grid is a capture period and the seconds by which its first slot lies behind the day's beginning;
 * every capture of the old grid must lie on the new one.
 */
create function regrid_slots(slots anyarray, period int, lead int, to_period int, to_lead int) returns anyarray
language sql immutable parallel safe as $$
  select case when slots is null then null else (
    select array_agg(case when at >= lead and (at - lead) % period = 0 then slots[(at - lead) / period + 1] end order by at)
    from generate_series(to_lead, 86399, to_period) as grid (at)
  ) end
$$;

-- Values that were replaced by other values: one row for each capture, or freeze, and column. Units are those of the column.
create table reading_correction (
  id bigint generated always as identity primary key,
  meter_id bigint not null,
  profile text not null check (profile in ('energy', 'lpa', 'lpb', 'daily')),
  -- The capture; of a freeze the midnight that begins its day in the utility's zone.
  ts timestamptz not null,
  channel text not null,
  former numeric not null,
  value numeric not null,
  former_read_at timestamptz not null,
  former_source text not null check (former_source in ('cache', 'meter', 'push', 'manual', 'estimated')),
  former_trace_id uuid,
  source text not null check (source in ('cache', 'meter', 'push', 'manual', 'estimated')),
  trace_id uuid,
  -- The task that brought the new value; null: the meter sent it without being asked.
  task_id bigint,
  replaced_at timestamptz not null default now()
);
create index reading_correction_of on reading_correction (meter_id, profile, ts);
create index reading_correction_ts on reading_correction (ts);
