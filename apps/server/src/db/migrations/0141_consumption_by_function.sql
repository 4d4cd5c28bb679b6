-- why: the consumption of meters is computed on Citus too; the query is the one before, with readings by function
-- phase: expand
create or replace function consumption(first_day date, last_day date, zone text, transformers bigint[])
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
      x.at as since, x.initial_registers, x.old_meter_id, x.final_registers as before_registers, null::timestamptz as until, null::numeric[] as final_registers, 1 as depth
    from meter m cross join bounds b
    left join lateral (
      select e.at, e.initial_registers, e.old_meter_id, e.final_registers from meter_exchange e where e.new_meter_id = m.id and (m.installed_at is null or e.at >= m.installed_at - interval '1 second')
      union all
      select m.installed_at, null, null, null from meter_exchange e where e.old_meter_id = m.id and m.installed_at > e.at
      order by 1 desc limit 1
    ) x on true
    where m.transformer_id = any(transformers) and m.inventory_state <> 'in_warehouse'
    union all
    select s.place, o.id, s.transformer_id, s.is_master, s.is_generator, o.ct_ratio * o.pt_ratio,
      x.at, x.initial_registers, x.old_meter_id, x.final_registers, s.since, s.before_registers, s.depth + 1
    from span s cross join bounds b join meter o on o.id = s.old_meter_id
    left join lateral (
      select e.at, e.initial_registers, e.old_meter_id, e.final_registers from meter_exchange e where e.new_meter_id = o.id and e.at < s.since order by e.at desc limit 1
    ) x on true
    where s.since > b.begins and s.depth < 8
  ), part as (
    select s.*, coalesce(s.since > b.begins, false) as comes, coalesce(s.until < b.ends, false) as goes
    from span s cross join bounds b
    where coalesce(s.since < b.ends, true) and coalesce(s.until > b.begins, true)
  ), found as materialized (
    select p.*,
      case when p.comes then p.initial_registers
        when o.meter_id is not null then o.registers
        when oa.meter_id is not null then registers_between(ob.registers, oa.registers, (first_day - ob.freeze_date)::numeric / (oa.freeze_date - ob.freeze_date)) end as opening,
      case when p.goes then p.final_registers
        when c.meter_id is not null then c.registers
        when ca.meter_id is not null then registers_between(cb.registers, ca.registers, (last_day + 1 - cb.freeze_date)::numeric / (ca.freeze_date - cb.freeze_date)) end as closing,
      not p.comes and (o.meter_id is null or o.quality = 'estimated') or not p.goes and (c.meter_id is null or c.quality = 'estimated') as is_estimated,
      o.trace_id as opening_trace, c.trace_id as closing_trace
    from part p
    -- One by one over the index, however many meters there are: nobody reads a month for its ends.
    left join lateral (
      select r.meter_id, r.quality, r.trace_id, registers(r) as registers from freeze_of(p.meter_id, first_day) r
      where not p.comes and r.quality <> 'invalid' and r.e_plus is not null limit 1
    ) o on true
    left join lateral (
      select r.meter_id, r.quality, r.trace_id, registers(r) as registers from freeze_of(p.meter_id, last_day + 1) r
      where not p.goes and r.quality <> 'invalid' and r.e_plus is not null limit 1
    ) c on true
    left join lateral (
      select r.freeze_date, registers(r) as registers from freezes_of(p.meter_id, first_day - 31, first_day - 1) r
      where o.meter_id is null and not p.comes and r.quality <> 'invalid' and r.e_plus is not null order by r.freeze_date desc limit 1
    ) ob on true
    left join lateral (
      select r.meter_id, r.freeze_date, registers(r) as registers from freezes_of(p.meter_id, first_day + 1, first_day + 31) r
      where ob.freeze_date is not null and r.quality <> 'invalid' and r.e_plus is not null order by r.freeze_date limit 1
    ) oa on true
    left join lateral (
      select r.freeze_date, registers(r) as registers from freezes_of(p.meter_id, last_day - 30, last_day) r
      where c.meter_id is null and not p.goes and r.quality <> 'invalid' and r.e_plus is not null order by r.freeze_date desc limit 1
    ) cb on true
    left join lateral (
      select r.meter_id, r.freeze_date, registers(r) as registers from freezes_of(p.meter_id, last_day + 2, last_day + 32) r
      where cb.freeze_date is not null and r.quality <> 'invalid' and r.e_plus is not null order by r.freeze_date limit 1
    ) ca on true
  ), counted as materialized (
    select f.*, register_steps(f.opening, f.closing) as step, count(*) over (partition by f.place) as parts from found f
  )
  -- Nearly every meter hung there all the time.
  select c.meter_id, c.transformer_id, c.is_master, c.is_generator, c.ratio, c.opening[1], c.closing[1], case when c.step[1] is not null then scale_registers(c.step, c.ratio) end,
    c.step[1] is not null and c.is_estimated, false, is_rollover(c.opening[1], c.closing[1]),
    c.closing[1] < c.opening[1] and not is_rollover(c.opening[1], c.closing[1]), c.opening_trace, c.closing_trace, null::jsonb
  from counted c where c.parts = 1
  union all
  select (array_agg(c.meter_id order by c.depth))[1], c.transformer_id, c.is_master, c.is_generator, (array_agg(c.ratio order by c.depth))[1],
    (array_agg(c.opening[1] order by c.depth desc))[1], (array_agg(c.closing[1] order by c.depth))[1],
    case when bool_and(c.step[1] is not null) then sum_registers(scale_registers(c.step, c.ratio) order by c.depth) end,
    bool_and(c.step[1] is not null) and bool_or(c.is_estimated), true,
    bool_or(is_rollover(c.opening[1], c.closing[1])), bool_or(c.closing[1] < c.opening[1] and not is_rollover(c.opening[1], c.closing[1])),
    (array_agg(c.opening_trace order by c.depth desc))[1], (array_agg(c.closing_trace order by c.depth))[1],
    jsonb_agg(jsonb_build_object('meterId', c.meter_id::text, 'from', c.since, 'until', c.until, 'opening', c.opening[1],
      'closing', c.closing[1], 'kwh', c.step[1] * c.ratio) order by c.depth desc)
  from counted c
  where c.parts > 1
  group by c.place, c.transformer_id, c.is_master, c.is_generator
$$;
