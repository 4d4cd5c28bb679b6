import type { FactRow, phase } from '@hes/contract/analysis/phase.ts';
import type { ParsedQuery } from '@hes/contract/core/route.ts';
import { sql } from 'kysely';
import { localDays } from '#db/local-day.ts';
import { containing, iso } from '#db/paging.ts';
import { checkRange } from '#features/readings/port.ts';
import type { Context, User } from '#db/context.ts';
import { findPlace } from './queries.ts';

/** A phase voltage below this share of the highest one counts as missing. */
const MISSING_SHARE = 0.6;
const NO_VOLTAGE_MV = 50_000;
const CURRENT_MA = 100;
/** Tolerance of the neutral current against the phase currents; wide, because the phase angles differ. */
const NEUTRAL_MA = 2000;
const NEUTRAL_SHARE = 0.5;

/** Phase faults from load profile B and the event logs of the meters. */
export async function factsOf(ctx: Context, user: User, query: ParsedQuery<typeof phase.facts>): Promise<{ items: FactRow[] }> {
  const { transformerId, fact, search, ...range } = query;
  checkRange(range);
  await findPlace(ctx.db, user, transformerId);
  const { timeZone } = ctx.settings;
  const { begins, ends } = localDays(range, timeZone);
  const { rows } = await sql<Omit<FactRow, 'firstAt' | 'lastAt'> & { firstAt: Date; lastAt: Date }>`
    with slots as (
      select p.meter_id, p.day::timestamp at time zone 'UTC' + make_interval(secs => p.lead_s + (u.slot - 1) * p.period_s) as ts, u.*, p.u3_mv is not null as is_three
      from meter cross join lateral days_of(meter.id, 'lpb', ${range.from}::date - 1, ${range.to}::date + 1) p
      cross join lateral unnest(p.u1_mv, p.u2_mv, p.u3_mv, p.i1_ma, p.i2_ma, p.i3_ma, p.i0_ma) with ordinality as u (u1, u2, u3, i1, i2, i3, i0, slot)
      where meter.transformer_id = ${transformerId} and u.u1 is not null
    ), phases as (
      select meter_id, ts, is_three, v.phase, v.u, v.i, greatest(u1, u2, u3) as best
      from slots cross join lateral (values ('a', u1, i1), ('b', u2, i2), ('c', u3, i3)) as v (phase, u, i)
      where v.u is not null and ts >= ${begins} and ts < ${ends}
    ), neutrals as (
      select meter_id, ts, i0::float8 as i0, sqrt(greatest(0, i1::float8 ^ 2 + i2::float8 ^ 2 + i3::float8 ^ 2 - i1::float8 * i2 - i2::float8 * i3 - i3::float8 * i1)) as vector
      from slots where is_three and i0 is not null and ts >= ${begins} and ts < ${ends}
    ), facts as (
      select meter_id, 'missing_phase' as fact, phase, ts from phases where is_three and u < ${MISSING_SHARE}::float8 * best and best > ${NO_VOLTAGE_MV} and i <= ${CURRENT_MA}
      union all
      select meter_id, 'current_without_voltage', phase, ts from phases where u < ${NO_VOLTAGE_MV} and i > ${CURRENT_MA}
      union all
      select meter_id, 'neutral_mismatch', null, ts from neutrals
      where abs(i0 - vector) > ${NEUTRAL_MA}::float8 and abs(i0 - vector) > ${NEUTRAL_SHARE}::float8 * greatest(i0, vector)
      union all
      select event.meter_id, case when log = 'standard' then 'reversed_sequence' else 'missing_phase' end,
        case when log = 'quality' then (array['a', 'b', 'c'])[code - 85] end, occur_at
      from event join meter on meter.id = event.meter_id
      where meter.transformer_id = ${transformerId} and occur_at >= ${begins} and occur_at < ${ends}
        and ((log = 'standard' and code = 88) or (log = 'quality' and code between 86 and 88))
    )
    select f.meter_id as "meterId", meter.sn, coalesce(meter.customer_name, meter.customer_no) as "customerName", f.fact, f.phase, count(*)::int as times,
      min(f.ts) as "firstAt", max(f.ts) as "lastAt"
    from facts f join meter on meter.id = f.meter_id
    where ${fact === undefined ? sql`true` : sql`f.fact = any(${[...fact]}::text[])`}
      and ${search ? sql`concat_ws(' ', meter.sn, meter.customer_name, meter.customer_no) ilike ${containing(search)}` : sql`true`}
    group by f.meter_id, meter.sn, meter.customer_name, meter.customer_no, f.fact, f.phase order by max(f.ts) desc, meter.sn limit 1000`.execute(
    ctx.db,
  );
  return { items: rows.map((row) => ({ ...row, firstAt: iso(row.firstAt), lastAt: iso(row.lastAt) })) };
}
