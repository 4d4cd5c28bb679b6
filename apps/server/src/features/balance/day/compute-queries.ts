import type { SettingValues } from '@hes/contract/setting/settings.ts';
import { sql } from 'kysely';
import { hoursBetween } from '#db/local-day.ts';
import { ratedPowerW } from '#db/rated-power.ts';
import { sumOfTariffs } from '#db/registers.ts';
import type { Db, Tx } from '#db/context.ts';

type Thresholds = Pick<
  SettingValues['thresholds'],
  'suddenIncreaseFactor' | 'suddenDecreaseFactor' | 'suddenMinimumKwh' | 'reverseMinimumKwh' | 'upperLimitFactor' | 'lowerLimitDays'
>;

/** Days of history for the usual consumption, and the minimum of them for a judgement. */
const HISTORY_DAYS = 30;
const HISTORY_LEAST = 7;

/** Import minus export of a customer: the net energy drawn from the transformer. */
const net = sql`(c.used[1] - coalesce(c.used[2], 0))`;

/** An active customer's meter without a known consumption on that day. */
const isSilent = sql`not is_master and not is_known and is_active`;

export interface DayWork {
  day: string;
  transformers: string[];
  zone: string;
  limits: Thresholds;
}

/**
 * Computes balance and anomalies of one day for some transformers. A meter without data gets an estimate: interpolation between its
 * freezes, otherwise its usual weekday scaled like its neighbours, otherwise their average within the supply. Idempotent; keeps decisions.
 */
export async function computeDay(db: Db | Tx, { day, transformers, zone, limits }: DayWork): Promise<void> {
  const hours = hoursBetween({ from: day, to: day }, zone);
  await sql`
    with c as materialized (
      select * from consumption(${day}::date, ${day}::date, ${zone}, ${transformers}::bigint[])
    ), step as (
      -- Only the freezes of these meters, over the index: a plan that reads the whole month is right for one transformer in ten.
      select r.meter_id, r.plus - lag(r.plus) over w as plus, coalesce(r.minus - lag(r.minus) over w, 0) as minus, r.freeze_date - lag(r.freeze_date) over w as gap,
        (${day}::date + 1 - r.freeze_date) % 7 = 0 as is_same_weekday
      from (
        select meter_id, freeze_date, e_plus::float8 as plus, e_minus::float8 as minus from freezes_of_meters(array(select meter_id from c), ${day}::date - ${HISTORY_DAYS}::int, ${day}::date)
        where quality <> 'invalid' and e_plus is not null
      ) r window w as (partition by r.meter_id order by r.freeze_date)
    ), history as materialized (
      -- A day on which a register started over is one day less of it.
      select meter_id, (percentile_cont(0.5) within group (order by plus))::numeric as median, count(plus)::int as days,
        coalesce(case when count(plus) filter (where is_same_weekday) > 1 then avg(net) filter (where is_same_weekday) end, avg(net))::numeric as mean
      from (
        select meter_id, is_same_weekday, case when is_usable then plus end as plus, case when is_usable then plus - minus end as net
        from (select *, gap = 1 and plus >= 0 and minus >= 0 as is_usable from step) judged
      ) usable group by meter_id
    ), plate as materialized (
      select t.id, ${ratedPowerW({ current: sql`t.current`, voltage: sql`t.voltage`, phase: sql`t.phase` })} as watts from meter_type t
    ), meters as materialized (
      select c.*, m.relay_state, h.median * c.ratio as median, h.mean * c.ratio as mean, h.days as history_days,
        coalesce(l.upper_kwh, m.watts * c.ratio * ${hours} / 1000 * ${limits.upperLimitFactor}::numeric) as limit_kwh, l.lower_kwh as least_kwh,
        c.used is not null and not c.is_estimated as is_known, m.is_active
      from c left join history h on h.meter_id = c.meter_id left join meter_limit l on l.meter_id = c.meter_id cross join lateral (
        select m.relay_state, m.inventory_state = 'active' as is_active,
          case when num_nonnulls(m.current, m.voltage, m.phase) = 0 then p.watts else ${ratedPowerW({
            current: sql`coalesce(m.current, t.current)`,
            voltage: sql`coalesce(m.voltage, t.voltage)`,
            phase: sql`coalesce(m.phase, t.phase)`,
          })} end as watts
        from meter m join meter_type t on t.id = m.meter_type_id join plate p on p.id = t.id where m.id = c.meter_id limit 1
      ) m
    ), mood as (
      select transformer_id, coalesce(sum(${net}) filter (where is_known and mean > 0) / nullif(sum(mean) filter (where is_known and mean > 0), 0), 1) as factor,
        avg(${net}) filter (where is_known) as neighbour
      from meters as c where not is_master group by transformer_id
    ), balanced as (
      insert into energy_balance (transformer_id, day, supply_kwh, sold_kwh, plus_kwh, minus_kwh, tariffs_kwh, missing_kwh, meters_expected, meters_data)
      select c.transformer_id, ${day}::date,
        case when bool_and(is_known) filter (where is_master) then sum(${net}) filter (where is_master) end,
        coalesce(sum(${net}) filter (where not is_master and is_known), 0),
        coalesce(sum(c.used[1]) filter (where not is_master and is_known), 0), coalesce(sum(c.used[2]) filter (where not is_master and is_known), 0),
        ${sumOfTariffs(sql`c.used`, sql`not is_master and is_known`)},
        coalesce(sum(coalesce(${net}, mean * mood.factor)) filter (where ${isSilent}), 0) + least(
          coalesce(sum(mood.neighbour) filter (where ${isSilent} and ${net} is null and mean is null), 0),
          case when bool_and(is_known) filter (where is_master) then greatest(0, sum(${net}) filter (where is_master)
            - coalesce(sum(${net}) filter (where not is_master and is_known), 0)
            - coalesce(sum(coalesce(${net}, mean * mood.factor)) filter (where ${isSilent}), 0)) end),
        count(*) filter (where not is_master and is_active), count(*) filter (where not is_master and is_active and is_known)
      from meters as c join mood on mood.transformer_id = c.transformer_id group by c.transformer_id
      on conflict (transformer_id, day) do update set supply_kwh = excluded.supply_kwh, sold_kwh = excluded.sold_kwh, plus_kwh = excluded.plus_kwh,
        minus_kwh = excluded.minus_kwh, tariffs_kwh = excluded.tariffs_kwh, missing_kwh = excluded.missing_kwh, meters_expected = excluded.meters_expected,
        meters_data = excluded.meters_data, computed_at = now()
    ), judged as materialized (
      select c.meter_id, case
          when not is_generator and (coalesce(is_backwards, false) or c.used[2] > ${limits.reverseMinimumKwh}::numeric) then 'reverse_electricity'
          when c.used[1] > limit_kwh then 'upper_limit'
          when not is_generator and relay_state <> 'disconnected' and case when least_kwh is null then idle.plus <= 0 else c.used[1] < least_kwh end then 'lower_limit'
          when history_days >= ${HISTORY_LEAST} and c.used[1] > ${limits.suddenIncreaseFactor}::numeric * median and c.used[1] > ${limits.suddenMinimumKwh}::numeric then 'sudden_increase'
          when history_days >= ${HISTORY_LEAST} and median > ${limits.suddenMinimumKwh}::numeric and c.used[1] < ${limits.suddenDecreaseFactor}::numeric * median then 'sudden_decrease'
        end as type, c.used, is_backwards, limit_kwh, least_kwh, median
      from meters as c left join lateral (
        select register_step(r.e_plus, c.closing) as plus from freeze_of(c.meter_id, ${day}::date + 1 - ${limits.lowerLimitDays}::int) r
        where c.used[1] = 0 limit 1
      ) idle on true
      where not is_master and is_active and (is_known or is_backwards)
    ), gone as (
      delete from anomaly a using meter m where m.id = a.meter_id and m.transformer_id = any(${transformers}::bigint[]) and a.day = ${day} and a.state = 'found'
        and not exists (select from judged j where j.meter_id = a.meter_id and j.type is not null)
    )
    insert into anomaly (meter_id, day, type, value_kwh, reference_kwh)
    select meter_id, ${day}::date, type, coalesce(case when type = 'reverse_electricity' then used[2] else used[1] end, 0),
      case type when 'reverse_electricity' then ${limits.reverseMinimumKwh}::numeric when 'upper_limit' then limit_kwh when 'lower_limit' then coalesce(least_kwh, 0) else median end
    from judged where type is not null
    on conflict (meter_id, day) do update set type = excluded.type, value_kwh = excluded.value_kwh, reference_kwh = excluded.reference_kwh, version = anomaly.version + 1
      where anomaly.state = 'found' and (anomaly.type, anomaly.value_kwh, anomaly.reference_kwh) is distinct from (excluded.type, excluded.value_kwh, excluded.reference_kwh)`.execute(
    db,
  );
}
