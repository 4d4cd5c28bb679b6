-- why: arrivals are counted in one row per DCU, profile and day instead of one per hour: a batch of readings touches a twentieth of the rows.

-- got[i]: captures whose hour begins i - 1 hours after `begins`. `begins` lies on a UTC day, shifted where a zone is not whole hours off.
create table arrival_day (
  dcu_id bigint not null,
  profile text not null check (profile in ('daily', 'energy', 'lpa', 'lpb')),
  begins timestamptz not null,
  got int[] not null check (cardinality(got) = 24),
  primary key (dcu_id, profile, begins)
);
create index arrival_day_begins on arrival_day (begins);

create function hour_of_day(at timestamptz) returns int language sql immutable parallel safe as $$
  select (floor(extract(epoch from at) / 3600)::bigint % 24)::int
$$;

create function add_counts(a int[], b int[]) returns int[] language sql immutable parallel safe as $$
  select array_agg(coalesce(x, 0) + coalesce(y, 0) order by i) from unnest(a, b) with ordinality as u (x, y, i)
$$;

insert into arrival_day (dcu_id, profile, begins, got)
select d.dcu_id, d.profile, d.begins, array_agg(coalesce(c.got, 0) order by i)
from (select distinct dcu_id, profile, hour - hour_of_day(hour) * interval '1 hour' as begins from completeness) as d
cross join generate_series(0, 23) as i
left join completeness as c on c.dcu_id = d.dcu_id and c.profile = d.profile and c.hour = d.begins + i * interval '1 hour'
group by d.dcu_id, d.profile, d.begins;

drop table completeness;

-- By the hour, as operators ask. Give a bound on `begins` too: it is what the index knows.
create view completeness as
  select dcu_id, profile, begins, begins + (i - 1) * interval '1 hour' as hour, h.got
  from arrival_day, unnest(arrival_day.got) with ordinality as h (got, i) where h.got > 0;
