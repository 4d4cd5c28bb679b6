import type { SinglePhase } from '@hes/contract/states/phase.ts';
import { sql } from 'kysely';
import type { Tx } from '#db/context.ts';

/** Number of days whose voltages are compared. */
const DAYS_COMPARED = 14;
export const DAYS_NEEDED = 7;
/** A day counts if at least half of its 96 intervals are stored. */
const SLOTS_OF_A_DAY = 48;
/** Minimum number of differences per meter: 2.5 days of the half of the intervals with lower load. */
const SAMPLES_NEEDED = 120;

export interface Correlated {
  meterId: string;
  a: number | null;
  b: number | null;
  c: number | null;
  samples: number;
}

/** Number of days of the last two weeks with voltages of a meter. */
export const daysWithVoltage = (meterId: unknown, today: string) =>
  sql<number>`(select count(*)::int from reading_profile where meter_id = ${meterId} and profile = 'lpb' and present >= ${SLOTS_OF_A_DAY}
    and day >= ${today}::date - ${DAYS_COMPARED}::int)`;

export async function countDaysWithVoltage(tx: Tx, meterId: string, today: string): Promise<number> {
  const { rows } = await sql<{ days: number }>`select ${daysWithVoltage(meterId, today)} as days`.execute(tx);
  return rows[0]?.days ?? 0;
}

/**
 * Creates temporary tables of the voltage differences of consecutive intervals, for the meters and for the phases of the master meter.
 * They contain the half of the intervals with lower load, in which the load of a customer least hides the voltage of the phase.
 */
export async function gatherChanges(tx: Tx, transformer: { id: string; masterMeterId: string }, today: string): Promise<void> {
  const slots = (of: ReturnType<typeof sql>) => sql`
    select p.meter_id, extract(epoch from p.day::timestamp)::bigint + p.lead_s + (u.slot - 1) * p.period_s as ts, p.period_s, u.u1, u.u2, u.u3, u.i1 + u.i2 + u.i3 as load
    from reading_profile p cross join lateral unnest(p.u1_mv, p.u2_mv, p.u3_mv, p.i1_ma, p.i2_ma, p.i3_ma) with ordinality as u (u1, u2, u3, i1, i2, i3, slot)
    where p.profile = 'lpb' and p.day >= ${today}::date - ${DAYS_COMPARED}::int and u.u1 is not null and ${of}`;
  await sql`
    create temp table master_change on commit drop as
    with seen as (${slots(sql`p.meter_id = ${transformer.masterMeterId}`)}),
    changes as (
      select ts, load, ts - lag(ts) over w = period_s as follows, u1 - lag(u1) over w as a, u2 - lag(u2) over w as b, u3 - lag(u3) over w as c
      from seen window w as (order by ts))
    select ts, a::float8, b::float8, c::float8 from changes
    where follows and load <= (select percentile_cont(0.5) within group (order by load) from changes)`.execute(tx);
  await sql`
    create temp table meter_change on commit drop as
    with seen as (${slots(sql`p.meter_id in (
      select m.id from meter m join meter_type t on t.id = m.meter_type_id
      where m.transformer_id = ${transformer.id} and not m.is_master and coalesce(m.phase, t.phase) = '1p2w')`)}),
    changes as (
      select meter_id, ts, ts - lag(ts) over w = period_s as follows, (u1 - lag(u1) over w)::float8 as du
      from seen window w as (partition by meter_id order by ts))
    select meter_id, ts, du from changes where follows and ts in (select ts from master_change)`.execute(tx);
}

/** Correlation of each meter's differences with those of the three phases of the master meter. */
export async function correlateWithMaster(tx: Tx): Promise<Correlated[]> {
  const { rows } = await sql<Correlated>`
    select n.meter_id as "meterId", corr(n.du, m.a) as a, corr(n.du, m.b) as b, corr(n.du, m.c) as c, count(*)::int as samples
    from meter_change n join master_change m on m.ts = n.ts group by n.meter_id having count(*) >= ${SAMPLES_NEEDED}`.execute(tx);
  return rows;
}

/** Correlation of each meter's differences with the mean of the other meters already identified on each phase. */
export async function correlateWithNeighbours(tx: Tx, sure: ReadonlyMap<string, SinglePhase>): Promise<Correlated[]> {
  const { rows } = await sql<Correlated>`
    with sure as (select * from unnest(${[...sure.keys()]}::bigint[], ${[...sure.values()]}::text[]) as s (meter_id, phase)),
    sums as (
      select n.ts,
        sum(n.du) filter (where s.phase = 'a') as a, count(*) filter (where s.phase = 'a') as na,
        sum(n.du) filter (where s.phase = 'b') as b, count(*) filter (where s.phase = 'b') as nb,
        sum(n.du) filter (where s.phase = 'c') as c, count(*) filter (where s.phase = 'c') as nc
      from meter_change n join sure s on s.meter_id = n.meter_id group by n.ts)
    select n.meter_id as "meterId",
      corr(n.du, case when own.phase = 'a' then (x.a - n.du) / nullif(x.na - 1, 0) else x.a / nullif(x.na, 0) end) as a,
      corr(n.du, case when own.phase = 'b' then (x.b - n.du) / nullif(x.nb - 1, 0) else x.b / nullif(x.nb, 0) end) as b,
      corr(n.du, case when own.phase = 'c' then (x.c - n.du) / nullif(x.nc - 1, 0) else x.c / nullif(x.nc, 0) end) as c,
      count(*)::int as samples
    from meter_change n join sums x on x.ts = n.ts left join sure own on own.meter_id = n.meter_id
    group by n.meter_id having count(*) >= ${SAMPLES_NEEDED}`.execute(tx);
  return rows;
}

export interface Candidate {
  meterId: string;
  isThreePhase: boolean;
  modulePhase: SinglePhase | null;
  moduleAt: Date | null;
}

/** Customers' meters of a transformer, with the last phase that their modules reported by topology or by discovery. */
export async function findCandidates(tx: Tx, transformerId: string): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select m.id as "meterId", coalesce(m.phase, t.phase) <> '1p2w' as "isThreePhase", seen.phase as "modulePhase", seen.at as "moduleAt"
    from meter m join meter_type t on t.id = m.meter_type_id
    left join lateral (
      select said.phase, said.at from (
        select n.phase, n.last_seen_at as at from topology_node n where n.sn = m.sn and n.dcu_id = m.dcu_id
        union all
        select d.phase, d.last_seen from discovered_meter d where d.sn = m.sn and d.dcu_id = m.dcu_id) as said
      where said.phase in ('a', 'b', 'c') order by said.at desc limit 1) seen on true
    where m.transformer_id = ${transformerId} and not m.is_master and m.inventory_state <> 'in_warehouse'
    order by m.id`.execute(tx);
  return rows;
}
