import type { NodeKey } from '@hes/contract/asset/tree.ts';
import type { MapBox } from '@hes/contract/dashboard/summary.ts';
import type { Freshness } from '@hes/contract/states/device.ts';
import { sql } from 'kysely';
import { isInArray } from '#db/in-array.ts';
import { countFleetWithin } from '#db/fleet-count.ts';
import { hoursTable } from '#db/local-day.ts';
import { iso } from '#db/paging.ts';
import { dcuUnder, freshnessClass, meterUnder, visible } from '#db/scope.ts';
import type { Db, User } from '#db/context.ts';
import { dayText, type Zone } from '@hes/contract/schedule/zone.ts';

/** A calendar day in the time zone of the utility, as days since 1970-01-01. */
export interface LocalDay {
  day: number;
  zone: Zone;
}

export const noFreshness = (): Record<Freshness, number> => ({ h24: 0, h24_48: 0, h48_72: 0, over72: 0, none: 0 });

export async function countDcus(db: Db, user: User, node: NodeKey | undefined) {
  const rows = await db
    .selectFrom('dcu')
    .where(visible('dcu.transformerId', user))
    .where(dcuUnder(node))
    .select(['onlineStatus', freshnessClass('dcu.lastCommAt').as('freshness'), sql<number>`count(*)::int`.as('count')])
    .groupBy(['onlineStatus', sql`2`])
    .execute();
  const byStatus = { online: 0, offline: 0, unknown: 0, never: 0 };
  const freshness = noFreshness();
  for (const row of rows) {
    byStatus[row.onlineStatus] += row.count;
    freshness[row.freshness] += row.count;
  }
  return { total: rows.reduce((sum, row) => sum + row.count, 0), byStatus, freshness };
}

export async function countMeters(db: Db, user: User, node: NodeKey | undefined) {
  const byInventory = { in_warehouse: 0, installed: 0, active: 0 };
  const freshness = noFreshness();
  const byMode = { plc: 0, rf: 0, direct: 0 };
  let total = 0;
  for (const row of (await countFleetWithin(db, user, node)) ?? (await countMetersOf(db, user, node))) {
    total += row.meters;
    byInventory[row.inventoryState] += row.meters;
    byMode[row.communicationMode] += row.meters;
    if (row.inventoryState !== 'in_warehouse') freshness[row.freshness] += row.meters;
  }
  return { total, byInventory, ...byMode, freshness };
}

/** When the first device of this installation was stored, in epoch milliseconds; null without devices. */
export async function firstDeviceMs(db: Db): Promise<number | null> {
  const first = await db.selectFrom('endpoint').select('createdAt').orderBy('id').limit(1).executeTakeFirst();
  return first ? Number(first.createdAt) : null;
}

/** The meters of a DCU, or one meter. */
const countMetersOf = (db: Db, user: User, node: NodeKey | undefined) =>
  db
    .selectFrom('meter')
    .where(visible('meter.transformerId', user))
    .where(meterUnder(node))
    .select([
      'inventoryState',
      'communicationMode',
      freshnessClass('meter.lastCommAt').as('freshness'),
      sql<number>`count(*)::int`.as('meters'),
    ])
    .groupBy(['inventoryState', 'communicationMode', sql`3`])
    .execute();

export async function countTransformers(db: Db, user: User, node: NodeKey | undefined): Promise<number> {
  const under =
    node === undefined
      ? sql<boolean>`true`
      : sql<boolean>`exists (select from meter where meter.transformer_id = transformer.id and ${meterUnder(node)})`;
  const { count } = await db
    .selectFrom('transformer')
    .where(visible('transformer.id', user))
    .where(under)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

type LoadSlot = { at: string; kw: number | null };

/** Share of the reporting master meters that a sum requires. A sum over fewer would look like a blackout. */
const LOAD_KNOWN_FROM = 0.9;

/** Power of all master meters in kW by 15-minute slot of a local day; null while too few of them are stored. */
export async function loadOfDay(db: Db, user: User, node: NodeKey | undefined, { day, zone }: LocalDay): Promise<LoadSlot[]> {
  const [begins, ends] = [new Date(zone.startOf(day)), new Date(zone.startOf(day + 1))];
  const { rows } = await sql<{ at: Date; kw: number | null }>`
    with masters as (
      select meter.id from meter where meter.is_master and ${visible('meter.transformerId', user)} and ${meterUnder(node)}
    ), slots as (
      select (p.day::timestamp at time zone 'UTC') + make_interval(secs => p.lead_s + (slot - 1) * p.period_s) as ts, u.w
      from masters cross join lateral days_of(masters.id, 'lpa', ${dayText(day)}::date - 1, ${dayText(day)}::date + 1) as p
      cross join lateral unnest(p.p_avg_plus_w) with ordinality as u (w, slot)
      where u.w is not null
    )
    select slot_at as at, case when count(slots.w) >= ${LOAD_KNOWN_FROM}::float8 * max(count(slots.w)) over () then sum(slots.w)::float8 / 1000 end as kw
    from generate_series(${begins}::timestamptz, ${ends}::timestamptz - interval '15 minutes', interval '15 minutes') as slot_at
    left join slots on slots.ts = slot_at
    group by slot_at order by slot_at`.execute(db);
  return rows.map(({ at, kw }) => ({ at: iso(at), kw }));
}

export async function countValues24h(db: Db, user: User): Promise<number> {
  const { rows } = await sql<{ got: number }>`
    select coalesce(sum(completeness.got), 0)::int as got from completeness join endpoint as dcu on dcu.id = completeness.dcu_id
    where completeness.begins > now() - interval '48 hours' and completeness.hour > now() - interval '24 hours' and ${visible('dcu.transformerId', user)}`.execute(
    db,
  );
  return rows[0]?.got ?? 0;
}

/** DCUs by missing values of load profile A between two instants; `slots` is the number of slots per meter. */
export async function worstDcus(db: Db, user: User, { since, until }: { since: Date; until: Date }, slots: number) {
  const { rows } = await sql<{ id: string; sn: string; transformerName: string | null; got: number; expected: number }>`
    select dcu.id, dcu.sn, transformer.name as transformer_name, coalesce(arrived.got, 0)::int as got, (active.meters * ${slots})::int as expected
    from dcu
    left join transformer on transformer.id = dcu.transformer_id
    join lateral (select count(*) as meters from meter where meter.dcu_id = dcu.id and inventory_state = 'active') as active on active.meters > 0
    left join lateral (select sum(got) as got from completeness where dcu_id = dcu.id and profile = 'lpa' and begins > ${since}::timestamptz - interval '24 hours' and hour >= ${since} and hour <= ${until}) as arrived on true
    where ${visible('dcu.transformerId', user)}
    order by coalesce(arrived.got, 0)::float8 / greatest(active.meters * ${slots}, 1), dcu.sn
    limit 10`.execute(db);
  return rows;
}

/** Read success of load profile A by network level and hour of a local day: got ÷ expected, null for hours to come. */
export async function heatOfDay(db: Db, user: User, { day, zone }: LocalDay) {
  const hours = zone.hoursOf(day);
  const { rows } = await sql<{ levelId: string; name: string; rates: (number | null)[] }>`
    with level_meters as (
      select level.id, level.name, level.sort, count(*) as meters
      from network_level as level
      join transformer on transformer.level_id = level.id
      join meter on meter.transformer_id = transformer.id and meter.inventory_state = 'active' and meter.dcu_id is not null
      where ${visible('transformer.id', user)} group by level.id
    ), hours as (
      select * from ${hoursTable(hours)} as h (hour, ends)
    ), arrived as (
      select transformer.level_id, completeness.hour, sum(completeness.got) as got
      from completeness join endpoint as dcu on dcu.id = completeness.dcu_id join transformer on transformer.id = dcu.transformer_id
      where completeness.profile = 'lpa' and completeness.begins between ${dayText(day)}::date - 2 and ${dayText(day)}::date + 2
        and completeness.hour >= (select min(hour) from hours) and completeness.hour < (select max(ends) from hours)
        and ${visible('dcu.transformerId', user)}
      group by transformer.level_id, completeness.hour
    )
    select level_meters.id as level_id, level_meters.name,
      array_agg(case when hours.hour > now() then null
        else least(1, coalesce(arrived.got, 0) / (level_meters.meters * greatest(1, ceil(extract(epoch from least(now(), hours.ends) - hours.hour) / 900))))::float8 end order by hours.hour) as rates
    from level_meters cross join hours
    cross join lateral (
      select sum(arrived.got) as got from arrived where arrived.level_id = level_meters.id and arrived.hour >= hours.hour and arrived.hour < hours.ends
    ) as arrived
    group by level_meters.id, level_meters.name, level_meters.sort order by level_meters.sort, level_meters.name limit 24`.execute(db);
  return { hours: hours.map(({ from }) => new Date(from).toISOString()), levels: rows };
}

/** Transformers of a view. */
export async function findPlaces(db: Db, user: User, box: MapBox | undefined) {
  const [west, south, east, north] = box ?? [-180, -90, 180, 90];
  const { rows } = await sql<{ id: string; name: string; levelName: string; longitude: number; latitude: number }>`
    select transformer.id, transformer.name, network_level.name as level_name,
      transformer.longitude::float8 as longitude, transformer.latitude::float8 as latitude
    from transformer join network_level on network_level.id = transformer.level_id
    where transformer.longitude between ${west} and ${east} and transformer.latitude between ${south} and ${north} and ${visible('transformer.id', user)}
    order by transformer.name`.execute(db);
  return rows;
}

/** Serial numbers of the DCUs of some transformers. */
export async function findDcuSns(db: Db, transformerIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('dcu')
    .where(isInArray('dcu.transformerId', 'bigint', transformerIds))
    .select(['transformerId', sql<string[]>`array_agg(sn order by sn)`.as('sns')])
    .groupBy('transformerId')
    .execute();
  return new Map(rows.map((row) => [row.transformerId ?? '', row.sns]));
}
