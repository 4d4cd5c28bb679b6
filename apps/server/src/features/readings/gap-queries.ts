import type { NodeKey } from '@hes/contract/asset/tree.ts';
import type { CompletenessRow, DcuCompletenessRow, GapRow, RefillEstimate } from '@hes/contract/reading/gap.ts';
import { isFreeze, storedAs, type CountedProfile, type GapReading, type GapState } from '@hes/contract/reading/reading.ts';
import type { CommunicationMode, DcuOnlineStatus } from '@hes/contract/states/device.ts';
import { sql } from 'kysely';
import { countUpTo, iso, isoOrNull, type PageQuery } from '#db/paging.ts';
import { visible } from '#db/scope.ts';
import { lastOf, rowsBefore, takeRows } from '#db/export-cursor.ts';
import type { Db, Tx, User } from '#db/context.ts';
import { SECONDS_OF_METER } from '#storage/gaps.ts';
import { arrivedIn, dcusUnder, GAP_READING, gapTouches, isChosen, ofMeter, passedSlots, periodOfType } from './queries.ts';

export interface GapFilter {
  profile: CountedProfile;
  /** First and last local day, both included. */
  from: string;
  to: string;
  node?: NodeKey | undefined;
  meterId?: string | undefined;
  search?: string | undefined;
  mode?: CommunicationMode | undefined;
}

interface GapStates {
  state?: GapState[] | undefined;
  reading?: GapReading[] | undefined;
}

/** Gaps `g` of meters in the user's area whose readings are expected. */
const gapsIn = (user: User, filter: GapFilter & GapStates, timeZone: string) => sql`
  reading_gap as g join meter on meter.id = g.meter_id left join dcu on dcu.id = meter.dcu_id left join endpoint on endpoint.id = meter.dcu_id
  where g.profile = ${filter.profile} and meter.inventory_state = 'active' and meter.dcu_id is not null and ${gapTouches(filter, timeZone)}
    and ${visible('meter.transformerId', user)} and ${ofMeter(filter)} and ${isChosen(filter)}
    and (${filter.state ?? null}::text[] is null or g.state = any(${filter.state ?? null}::text[]))
    and (${filter.reading ?? null}::text[] is null or ${GAP_READING} = any(${filter.reading ?? null}::text[]))`;

export async function listGaps(db: Db, user: User, query: GapFilter & GapStates & PageQuery, timeZone: string) {
  const rows = await takeRows(
    db,
    sql<Omit<GapRow, 'fromAt' | 'toAt' | 'triedAt' | 'nextTryAt'> & { fromAt: Date; toAt: Date; triedAt: Date | null; nextTryAt: Date }>`
      select g.id, g.meter_id, meter.sn as meter_sn, dcu.id as dcu_id, dcu.sn as dcu_sn, g.profile, g.day::text as day, g.missing, g.from_at, g.to_at,
        g.reason_code, g.tried_at, g.attempts, g.next_try_at, g.state, ${GAP_READING} as reading, g.note
      from ${gapsIn(user, query, timeZone)} order by g.day desc, meter.sn`,
    ['id'],
    query,
  );
  const counted = await countUpTo(db, sql`select from ${gapsIn(user, query, timeZone)}`);
  const items = rows.map((row) => ({
    ...row,
    fromAt: iso(row.fromAt),
    toAt: iso(row.toAt),
    triedAt: isoOrNull(row.triedAt),
    nextTryAt: iso(row.nextTryAt),
  }));
  return { items, ...counted, page: query.page, size: query.size };
}

/** Number of gaps by state, under all filters except the state. */
export async function countGapStates(
  db: Db,
  user: User,
  query: GapFilter & GapStates,
  timeZone: string,
): Promise<Record<GapState, number>> {
  const { rows } = await sql<{ state: GapState; count: number }>`
    select g.state, count(*)::int as count from ${gapsIn(user, { ...query, state: undefined }, timeZone)} group by g.state`.execute(db);
  const counts: Record<GapState, number> = { open: 0, filled: 0, lost: 0, no_data: 0 };
  for (const { state, count } of rows) counts[state] = count;
  return counts;
}

/** Missing readings in the range by the state of their gaps; a gap that extends beyond the range counts in part. */
export async function countMissing(
  db: Db,
  user: User,
  filter: Pick<GapFilter, 'profile' | 'from' | 'to' | 'node' | 'meterId'>,
  timeZone: string,
): Promise<Record<Exclude<GapState, 'filled'>, number>> {
  const { profile } = filter;
  const begins = sql`(${filter.from}::date::timestamp at time zone ${timeZone})`;
  const ends = sql`((${filter.to}::date + 1)::timestamp at time zone ${timeZone})`;
  const inRange = isFreeze(profile)
    ? sql`g.missing`
    : sql`case when g.from_at >= ${begins} and g.to_at < ${ends} then g.missing else (
        select count(*) from meter_type t left join lateral day_of(g.meter_id, g.profile, g.day) p on true
        cross join lateral (select coalesce(p.period_s, ${periodOfType('t')[profile]}) as seconds) as period
        cross join lateral generate_series(g.from_at, g.to_at, make_interval(secs => period.seconds)) as at
        where t.id = meter.meter_type_id and at >= ${begins} and at < ${ends}
          and (p.status is null or p.status[1 + (extract(epoch from at - (g.day::timestamp at time zone 'UTC'))::int - p.lead_s) / p.period_s] is null)) end`;
  const { rows } = await sql<{ state: Exclude<GapState, 'filled'>; missing: number }>`
    select g.state, sum(${inRange})::int as missing from ${gapsIn(user, { ...filter, state: ['open', 'lost', 'no_data'] }, timeZone)} group by g.state`.execute(
    db,
  );
  const counts = { open: 0, lost: 0, no_data: 0 };
  for (const { state, missing } of rows) counts[state] = missing;
  return counts;
}

/** Readings of each meter of a page by day, with the number that was possible. */
export async function listCompleteness(
  db: Db,
  user: User,
  query: GapFilter & PageQuery & { onlyGaps?: boolean | undefined },
  timeZone: string,
): Promise<{
  items: CompletenessRow[];
  days: { day: string; expected: number }[];
  total: number;
  totalIsExact: boolean;
  page: number;
  size: number;
}> {
  const { profile, from, to } = query;
  const missing = sql`select g.reason_code from reading_gap g where g.meter_id = meter.id and g.profile = ${profile}
    and ${gapTouches({ from, to }, timeZone)} and g.state in ('open', 'lost')`;
  const meters = sql`meter left join dcu on dcu.id = meter.dcu_id
    where meter.inventory_state = 'active' and meter.dcu_id is not null and ${visible('meter.transformerId', user)} and ${ofMeter(query)} and ${isChosen(query)}
      and (${query.onlyGaps !== true} or exists (${missing}))`;
  const last = lastOf<CompletenessRow>(query);
  const [page, counted, days] = await Promise.all([
    sql<Omit<CompletenessRow, 'got' | 'missing'>>`
      select meter.id as meter_id, meter.sn as meter_sn, dcu.sn as dcu_sn, (${missing} order by g.day desc limit 1) as reason_code,
        (select count(*)::int from (${missing}) as open) as gaps
      from ${meters} and (${last === undefined} or meter.sn > ${last?.meterSn ?? ''}) order by meter.sn limit ${query.size} offset ${rowsBefore(query)}`.execute(
      db,
    ),
    countUpTo(db, sql`select from ${meters}`),
    sql<{
      day: string;
      expected: number;
    }>`select day, slots as expected from (${passedSlots(query, timeZone, profile)}) as c order by day`.execute(db),
  ]);
  const ids = page.rows.map((row) => row.meterId);
  const [got, gaps] = await Promise.all([countByMeter(db, query, timeZone, ids), gapsByMeter(db, query, timeZone, ids)]);
  const items = page.rows.map((row) => {
    const keys = days.rows.map(({ day }) => `${row.meterId}/${day}`);
    return { ...row, got: keys.map((key) => got.get(key) ?? 0), missing: keys.map((key) => gaps.get(key) ?? null) };
  });
  return { items, days: days.rows, ...counted, page: query.page, size: query.size };
}

/** Number of captures by `meter/day`, in local days. */
async function countByMeter(db: Db, { profile, from, to }: GapFilter, timeZone: string, ids: string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const counted = isFreeze(profile)
    ? sql`select meter_id, freeze_date::text as day, 1 as got from reading_daily
          where meter_id = any(${ids}::bigint[]) and freeze_date between ${from}::date and ${to}::date`
    : sql`select p.meter_id, (((p.day::timestamp at time zone 'UTC') + make_interval(secs => p.lead_s + (slot - 1) * p.period_s)) at time zone ${timeZone})::date::text as day, count(*)::int as got
          from reading_profile p cross join lateral unnest(p.status) with ordinality as u (status, slot)
          where p.meter_id = any(${ids}::bigint[]) and p.profile = ${profile} and p.day between ${from}::date - 1 and ${to}::date + 1 and u.status is not null
          group by 1, 2`;
  const { rows } = await sql<{ meterId: string; day: string; got: number }>`${counted}`.execute(db);
  return new Map(rows.map((row) => [`${row.meterId}/${row.day}`, row.got]));
}

type DayGap = NonNullable<CompletenessRow['missing'][number]>;

/** Gaps by `meter/day`, in local days. */
async function gapsByMeter(db: Db, filter: GapFilter, timeZone: string, ids: string[]): Promise<Map<string, DayGap>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Omit<DayGap, 'triedAt'> & { meterId: string; day: string; triedAt: Date | null }>`
    select g.meter_id, d::date::text as day, g.state as gap, g.reason_code, g.tried_at, g.note from reading_gap g
    cross join generate_series((g.from_at at time zone ${timeZone})::date, (g.to_at at time zone ${timeZone})::date, interval '1 day') as d
    where g.meter_id = any(${ids}::bigint[]) and g.profile = ${filter.profile} and g.state <> 'filled' and ${gapTouches(filter, timeZone)}
    order by g.day`.execute(db);
  return new Map(rows.map(({ meterId, day, triedAt, ...missing }) => [`${meterId}/${day}`, { ...missing, triedAt: isoOrNull(triedAt) }]));
}

/** Expected and received readings of each DCU under a node, the least complete first. */
export async function countByDcu(db: Db, user: User, query: GapFilter, timeZone: string): Promise<DcuCompletenessRow[]> {
  const { rows } = await sql<DcuCompletenessRow>`
    with days as materialized (${passedSlots(query, timeZone, query.profile)}), served as (
      select dcu.id, dcu.sn, dcu.online_status, count(*)::int as meters from dcu
      join meter on meter.dcu_id = dcu.id and meter.inventory_state = 'active'
      where ${visible('dcu.transformerId', user)} and ${dcusUnder(query.node)} group by dcu.id, dcu.sn, dcu.online_status
    ), arrived as (
      select completeness.dcu_id, sum(completeness.got)::int as got from completeness
      where completeness.profile = ${storedAs(query.profile)} and ${arrivedIn(query)}
        and completeness.hour >= (select min(begins) from days) and completeness.hour < (select max(ends) from days) group by completeness.dcu_id
    )
    select s.id as dcu_id, s.sn as dcu_sn, s.online_status, s.meters, s.meters * (select coalesce(sum(slots), 0) from days)::int as expected, coalesce(a.got, 0) as got
    from served s left join arrived a on a.dcu_id = s.id
    order by coalesce(a.got, 0)::float8 / nullif(s.meters * (select sum(slots) from days), 0) nulls last, s.sn limit 500`.execute(db);
  return rows;
}

/** Meters in the user's area whose gaps can be refilled. */
export async function findRefillable(
  db: Db,
  user: User,
  filter: Pick<GapFilter, 'node' | 'meterId' | 'search' | 'mode'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('meter')
    .where('inventoryState', '<>', 'in_warehouse')
    .where('dcuId', 'is not', null)
    .where(visible('meter.transformerId', user))
    .where(ofMeter(filter))
    .where(isChosen(filter))
    .select('meter.id')
    .execute();
  return rows.map((row) => row.id);
}

export interface RefillCandidate {
  meterId: string;
  dcuId: string;
  dcuSn: string;
  onlineStatus: DcuOnlineStatus;
  gaps: number;
  missing: number;
  seconds: number;
  /** Estimated seconds of its DCU for this meter and those with newer gaps. */
  upTo: number;
}

/** Meters with open gaps, newest first, with the estimated effort of each and the cumulated effort of its DCU. */
export async function findCandidates(db: Db | Tx, user: User, filter: GapFilter, timeZone: string): Promise<RefillCandidate[]> {
  const { rows } = await sql<RefillCandidate>`
    select *, sum(seconds) over (partition by dcu_id order by newest desc, meter_id)::int as up_to from (
      select g.meter_id, endpoint.id as dcu_id, endpoint.sn as dcu_sn, endpoint.online_status, count(*)::int as gaps, sum(g.missing)::int as missing,
        max(g.day) as newest, ${sql.raw(SECONDS_OF_METER)} as seconds
      from ${gapsIn(user, { ...filter, state: ['open'] }, timeZone)} and endpoint.id is not null group by g.meter_id, endpoint.id
    ) as due order by newest desc, meter_id`.execute(db);
  return rows;
}

export const sumUp = (candidates: RefillCandidate[], budgetSeconds: number): RefillEstimate => {
  const dcus = Map.groupBy(candidates, (candidate) => candidate.dcuId);
  const fits = ({ upTo }: RefillCandidate) => upTo <= budgetSeconds;
  return {
    gaps: candidates.reduce((sum, { gaps }) => sum + gaps, 0),
    meters: candidates.length,
    missing: candidates.reduce((sum, { missing }) => sum + missing, 0),
    chosen: candidates.filter(fits).length,
    dcus: [...dcus.values()].flatMap((own) => {
      const [first] = own;
      if (first === undefined) return [];
      const chosen = own.filter(fits);
      const { dcuId, dcuSn, onlineStatus } = first;
      return [
        { dcuId, dcuSn, onlineStatus, meters: own.length, chosen: chosen.length, seconds: Math.max(0, ...chosen.map(({ upTo }) => upTo)) },
      ];
    }),
  };
};

/** Dismisses gaps that cannot be refilled. Returns their number. */
export async function dismissGaps(tx: Tx, user: User, ids: string[], note: string): Promise<number> {
  const done = await sql`
    update reading_gap set state = 'no_data', note = ${note}, changed_at = now()
    where id = any(${ids}::bigint[]) and state in ('open', 'lost') and meter_id in (select meter.id from meter where ${visible('meter.transformerId', user)})`.execute(
    tx,
  );
  return Number(done.numAffectedRows ?? 0);
}
