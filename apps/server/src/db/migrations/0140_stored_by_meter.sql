-- why: statements that join readings with meters work on Citus too, where a function hides a table of its workers from the planner
-- phase: expand
-- PostgreSQL replaces a call of these functions by its query, so a plan is the same as with the table. `db/citus.ts` replaces them where the
-- tables are distributed.
create function day_of(of_meter bigint, of_profile text, of_day date) returns setof reading_profile language sql stable parallel safe rows 1 as $$
  select * from reading_profile r where r.meter_id = of_meter and r.profile = of_profile and r.day = of_day
$$;
create function days_of(of_meter bigint, of_profile text, first_day date, last_day date) returns setof reading_profile
language sql stable parallel safe rows 31 as $$
  select * from reading_profile r where r.meter_id = of_meter and r.profile = of_profile and r.day between first_day and last_day
$$;
-- Days since 1970-01-01. One by one over the index: a plan made while a month was empty would read all of it.
create function days_at(meters bigint[], profiles text[], of_days int[]) returns setof reading_profile language sql stable parallel safe rows 1000 as $$
  select t.* from unnest(meters, profiles, of_days) as n (meter_id, profile, day)
  cross join lateral (select * from reading_profile r where r.meter_id = n.meter_id and r.profile = n.profile and r.day = date '1970-01-01' + n.day limit 1) as t
$$;
create function freeze_of(of_meter bigint, of_day date) returns setof reading_daily language sql stable parallel safe rows 1 as $$
  select * from reading_daily r where r.meter_id = of_meter and r.freeze_date = of_day
$$;
create function freezes_of(of_meter bigint, first_day date, last_day date) returns setof reading_daily language sql stable parallel safe rows 31 as $$
  select * from reading_daily r where r.meter_id = of_meter and r.freeze_date between first_day and last_day
$$;
create function freezes_of_meters(meters bigint[], first_day date, last_day date) returns setof reading_daily
language sql stable parallel safe rows 1000 as $$
  select * from reading_daily r where r.meter_id = any(meters) and r.freeze_date between first_day and last_day
$$;
create function freezes_read_since(since timestamptz, first_day date, last_day date) returns setof reading_daily
language sql stable parallel safe rows 1000 as $$
  select * from reading_daily r where r.read_at >= since and r.freeze_date between first_day and last_day
$$;
create function latest_of(of_meter bigint) returns setof meter_latest language sql stable parallel safe rows 1 as $$
  select * from meter_latest l where l.meter_id = of_meter
$$;
create function instants_of(of_meter bigint) returns setof reading_instant language sql stable parallel safe rows 10 as $$
  select * from reading_instant i where i.meter_id = of_meter
$$;
