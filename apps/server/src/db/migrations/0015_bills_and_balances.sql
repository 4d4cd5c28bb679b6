-- why: what was used between two freezes is counted in one place, for bills, balances and anomalies alike; what was published does not change any more.

-- New arrivals are found by when they were read, without an entry for every row.
create index reading_daily_read_at on reading_daily using brin (read_at);

/** The registers of a freeze in one order: import, export, import by tariff, export by tariff. kWh at the meter. */
create function registers(r reading_daily) returns numeric[] language sql immutable parallel safe as $$
  select array[r.e_plus, r.e_minus, r.e_plus_t1, r.e_plus_t2, r.e_plus_t3, r.e_plus_t4, r.e_minus_t1, r.e_minus_t2, r.e_minus_t3, r.e_minus_t4]
$$;

/** Where a register that shows this value starts over: widths are powers of ten, and nobody builds one of less than five digits. */
create function register_width(value numeric) returns numeric language sql immutable parallel safe as $$
  select 10::numeric ^ greatest(5, char_length(trunc(value)::text))
$$;

/** Started over: from the last tenth of the register into its first. Anything else that falls has counted backwards. */
create function is_rollover(opening numeric, closing numeric) returns boolean language sql immutable parallel safe as $$
  select closing < opening and opening >= 0.9 * register_width(opening) and closing <= 0.1 * register_width(opening)
$$;

/** What a register counted between two readings; null where it fell and did not start over. */
create function register_step(opening numeric, closing numeric) returns numeric language sql immutable parallel safe as $$
  select case when closing >= opening then closing - opening
    when is_rollover(opening, closing) then register_width(opening) - opening + closing end
$$;

create function register_steps(opening numeric[], closing numeric[]) returns numeric[] language sql immutable parallel safe as $$
  select array_agg(register_step(a, b) order by k) from unnest(opening, closing) with ordinality as u (a, b, k)
$$;

/** Between two readings in a straight line; `share` of the way. */
create function registers_between(a numeric[], b numeric[], share numeric) returns numeric[] language sql immutable parallel safe as $$
  select array_agg(case when y >= x then round(x + (y - x) * share, 4) else round(x + register_step(x, y) * share, 4) % register_width(x) end order by k)
  from unnest(a, b) with ordinality as u (x, y, k)
$$;

create function scale_registers(a numeric[], ratio numeric) returns numeric[] language sql immutable parallel safe as $$
  select case when ratio = 1 then a else array(select x * ratio from unnest(a) with ordinality as u (x, k) order by k) end
$$;

create function add_registers(a numeric[], b numeric[]) returns numeric[] language sql immutable strict parallel safe as $$
  select array(select x + y from unnest(a, b) with ordinality as u (x, y, k) order by k)
$$;
create aggregate sum_registers (numeric[]) (sfunc = add_registers, stype = numeric[], parallel = safe);

/**
 * What every meter of some transformers used from the beginning of a day to the end of another, in days of a zone. Where
 * meters were exchanged in between, the parts of all of them, on the line of the one that hung there at the end. A freeze
 * that is missing at a boundary is put between its neighbours, up to 31 days away, and said to be estimated.
 */
create function consumption(first_day date, last_day date, zone text, transformers bigint[])
returns table (
  meter_id bigint, transformer_id bigint, is_master boolean, is_generator boolean, ratio numeric, opening numeric, closing numeric, used numeric[],
  is_estimated boolean, is_exchanged boolean, has_rollover boolean, is_backwards boolean, opening_trace uuid, closing_trace uuid, parts jsonb
)
language sql stable as $$
  with recursive bounds as materialized (
    select first_day::timestamp at time zone zone as begins, (last_day + 1)::timestamp at time zone zone as ends
  ), span as (
    -- A meter that came from the warehouse begins when it was put up, whatever it showed at another place before.
    select m.id as place, m.id as meter_id, m.transformer_id, m.is_master, m.is_generator, m.ct_ratio * m.pt_ratio as ratio,
      x.at as since, x.initial_kwh, x.old_meter_id, x.final_kwh as before_kwh, null::timestamptz as until, null::numeric as final_kwh, 1 as depth
    from meter m cross join bounds b
    left join lateral (
      select e.at, e.initial_kwh, e.old_meter_id, e.final_kwh from meter_exchange e where e.new_meter_id = m.id and (m.installed_at is null or e.at >= m.installed_at - interval '1 second')
      union all
      select m.installed_at, null, null, null from meter_exchange e where e.old_meter_id = m.id and m.installed_at > e.at
      order by 1 desc limit 1
    ) x on true
    where m.transformer_id = any(transformers) and m.inventory_state <> 'in_warehouse'
    union all
    select s.place, o.id, s.transformer_id, s.is_master, s.is_generator, o.ct_ratio * o.pt_ratio,
      x.at, x.initial_kwh, x.old_meter_id, x.final_kwh, s.since, s.before_kwh, s.depth + 1
    from span s cross join bounds b join meter o on o.id = s.old_meter_id
    left join lateral (
      select e.at, e.initial_kwh, e.old_meter_id, e.final_kwh from meter_exchange e where e.new_meter_id = o.id and e.at < s.since order by e.at desc limit 1
    ) x on true
    where s.since > b.begins and s.depth < 8
  ), part as (
    select s.*, coalesce(s.since > b.begins, false) as comes, coalesce(s.until < b.ends, false) as goes
    from span s cross join bounds b
    where coalesce(s.since < b.ends, true) and coalesce(s.until > b.begins, true)
  ), found as (
    select p.*,
      case when p.comes then case when p.initial_kwh = 0 then array_fill(0::numeric, array[10]) else array[p.initial_kwh] || array_fill(null::numeric, array[9]) end
        when o.meter_id is not null then registers(o)
        when oa.meter_id is not null then registers_between(registers(ob), registers(oa), (first_day - ob.freeze_date)::numeric / (oa.freeze_date - ob.freeze_date)) end as opening,
      case when p.goes then array[p.final_kwh] || array_fill(null::numeric, array[9])
        when c.meter_id is not null then registers(c)
        when ca.meter_id is not null then registers_between(registers(cb), registers(ca), (last_day + 1 - cb.freeze_date)::numeric / (ca.freeze_date - cb.freeze_date)) end as closing,
      not p.comes and (o.meter_id is null or o.quality = 'estimated') or not p.goes and (c.meter_id is null or c.quality = 'estimated') as is_estimated,
      o.trace_id as opening_trace, c.trace_id as closing_trace
    from part p
    left join reading_daily o on not p.comes and o.meter_id = p.meter_id and o.freeze_date = first_day and o.quality <> 'invalid' and o.e_plus is not null
    left join reading_daily c on not p.goes and c.meter_id = p.meter_id and c.freeze_date = last_day + 1 and c.quality <> 'invalid' and c.e_plus is not null
    left join lateral (
      select r.* from reading_daily r where o.meter_id is null and not p.comes and r.meter_id = p.meter_id and r.freeze_date between first_day - 31 and first_day - 1
        and r.quality <> 'invalid' and r.e_plus is not null order by r.freeze_date desc limit 1
    ) ob on true
    left join lateral (
      select r.* from reading_daily r where ob.meter_id is not null and r.meter_id = p.meter_id and r.freeze_date between first_day + 1 and first_day + 31
        and r.quality <> 'invalid' and r.e_plus is not null order by r.freeze_date limit 1
    ) oa on true
    left join lateral (
      select r.* from reading_daily r where c.meter_id is null and not p.goes and r.meter_id = p.meter_id and r.freeze_date between last_day - 30 and last_day
        and r.quality <> 'invalid' and r.e_plus is not null order by r.freeze_date desc limit 1
    ) cb on true
    left join lateral (
      select r.* from reading_daily r where cb.meter_id is not null and r.meter_id = p.meter_id and r.freeze_date between last_day + 2 and last_day + 32
        and r.quality <> 'invalid' and r.e_plus is not null order by r.freeze_date limit 1
    ) ca on true
  ), counted as (
    select f.*, register_steps(f.opening, f.closing) as step from found f
  )
  select (array_agg(c.meter_id order by c.depth))[1], c.transformer_id, c.is_master, c.is_generator, (array_agg(c.ratio order by c.depth))[1],
    (array_agg(c.opening[1] order by c.depth desc))[1], (array_agg(c.closing[1] order by c.depth))[1],
    case when bool_and(c.step[1] is not null) then sum_registers(scale_registers(c.step, c.ratio) order by c.depth) end,
    bool_and(c.step[1] is not null) and bool_or(c.is_estimated), count(*) > 1,
    bool_or(is_rollover(c.opening[1], c.closing[1])), bool_or(c.closing[1] < c.opening[1] and not is_rollover(c.opening[1], c.closing[1])),
    (array_agg(c.opening_trace order by c.depth desc))[1], (array_agg(c.closing_trace order by c.depth))[1],
    case when count(*) > 1 then jsonb_agg(jsonb_build_object('meterId', c.meter_id::text, 'from', c.since, 'until', c.until, 'opening', c.opening[1],
      'closing', c.closing[1], 'kwh', c.step[1] * c.ratio) order by c.depth desc) end
  from counted c
  group by c.place, c.transformer_id, c.is_master, c.is_generator
$$;

create table bill_period (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('day', 'month', 'custom')),
  first_day date not null,
  last_day date not null,
  state text not null default 'open' check (state in ('open', 'calculated', 'published')),
  task_id bigint,
  calculated_at timestamptz,
  calculated_by bigint,
  published_at timestamptz,
  published_by bigint,
  version int not null default 1,
  unique (first_day, last_day),
  check (last_day between first_day and first_day + 30)
);

create table bill_line (
  period_id bigint not null references bill_period (id) on delete cascade,
  meter_id bigint not null,
  transformer_id bigint not null,
  ratio numeric(20, 8) not null,
  -- The register at both ends, kWh at the meter; what was used is already times the ratio.
  opening numeric,
  closing numeric,
  used numeric[],
  status text not null check (status in ('complete', 'estimated', 'missing', 'exchanged', 'rollover')),
  -- All that is remarkable, also what the status does not say.
  flags text[] not null default '{}',
  opening_trace uuid,
  closing_trace uuid,
  parts jsonb,
  currency text,
  amount numeric(16, 2),
  calculated_at timestamptz not null,
  primary key (period_id, meter_id)
);
create index bill_line_transformer on bill_line (period_id, transformer_id);

create table tariff_price (
  valid_from date not null,
  direction text not null check (direction in ('plus', 'minus')),
  tariff int not null check (tariff between 1 and 4),
  name text not null check (char_length(name) between 1 and 64),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  price numeric(12, 6) not null check (price >= 0),
  primary key (valid_from, direction, tariff)
);

create table energy_balance (
  transformer_id bigint not null references transformer (id) on delete cascade,
  day date not null,
  -- Null: the master meter told nothing of that day, so there is nothing to compare with.
  supply_kwh numeric(16, 4),
  sold_kwh numeric(16, 4) not null,
  plus_kwh numeric(16, 4) not null,
  minus_kwh numeric(16, 4) not null,
  -- What the meters without data are likely to have used.
  missing_kwh numeric(16, 4) not null,
  meters_expected int not null,
  meters_data int not null,
  computed_at timestamptz not null default now(),
  primary key (transformer_id, day)
);
create index energy_balance_day on energy_balance (day);

create table anomaly (
  meter_id bigint not null references meter (id) on delete cascade,
  day date not null,
  type text not null check (type in ('upper_limit', 'lower_limit', 'sudden_increase', 'sudden_decrease', 'reverse_electricity')),
  value_kwh numeric(16, 4) not null,
  -- What it was measured against.
  reference_kwh numeric(16, 4) not null,
  state text not null default 'found' check (state in ('found', 'confirmed', 'dismissed')),
  reason text check (char_length(reason) <= 256),
  decided_by bigint,
  decided_at timestamptz,
  found_at timestamptz not null default now(),
  version int not null default 1,
  primary key (meter_id, day)
);
create index anomaly_day on anomaly (day desc, type);

-- Up to when arrivals have been looked at.
create table analysis_mark (
  id boolean primary key default true check (id),
  read_until timestamptz not null
);
