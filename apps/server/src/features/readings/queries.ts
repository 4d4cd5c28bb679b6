import type { NodeKey } from '@hes/contract/asset/tree.ts';
import {
  isFreeze,
  storedAs,
  type CountedProfile,
  type DailyRow,
  type FreezeName,
  type GapReading,
  type ProfileName,
  type ProfileRow,
} from '@hes/contract/reading/reading.ts';
import type { CommunicationMode } from '@hes/contract/states/device.ts';
import { INVALID_BITS } from '@hes/contract/states/reading.ts';
import { sql, type RawBuilder } from 'kysely';
import { localDayBegins } from '#db/local-day.ts';
import { containing, countUpTo, iso, isoOrNull, numberOrNull, pageBehind, type CursoredQuery } from '#db/paging.ts';
import { meterUnder, visible } from '#db/scope.ts';
import { lastOf, rowsBefore } from '#db/export-cursor.ts';
import type { Db, User } from '#db/context.ts';
import { CHANNELS, DAILY_REGISTERS, type ChannelKey, type RegisterKey } from '@hes/contract/reading/quantities.ts';
import { DEFAULT_PERIOD_S } from '#storage/channels.ts';

export interface ReadingFilter {
  /** First and last local day, both included. */
  from: string;
  to: string;
  meterId?: string | undefined;
  node?: NodeKey | undefined;
  search?: string | undefined;
  mode?: CommunicationMode | undefined;
}

export const ofMeter = (filter: { meterId?: string | undefined; node?: NodeKey | undefined }): RawBuilder<boolean> =>
  filter.meterId === undefined ? meterUnder(filter.node) : sql<boolean>`meter.id = ${filter.meterId}`;

/** Condition on `meter` by a part of its serial number and by its medium. */
export function isChosen({ search, mode }: Pick<ReadingFilter, 'search' | 'mode'>): RawBuilder<boolean> {
  const found = search ? sql<boolean>`meter.sn like ${containing(search).toUpperCase()}` : sql<boolean>`true`;
  return mode === undefined ? found : sql<boolean>`(${found} and meter.communication_mode = ${mode})`;
}

const columnsOf = (table: string) => sql.join(CHANNELS.map(({ column }) => sql.ref(`${table}.${column}`)));
const names = sql.join(CHANNELS.map(({ column }) => sql.ref(column)));
/** Null columns in the shape of a row, for a day without rows. */
const noColumns = sql.join(CHANNELS.map(() => sql`null`));

type SlotRow = {
  meterId: string;
  meterSn: string;
  ts: Date;
  readAt: Date | null;
  source: ProfileRow['source'];
  traceId: string | null;
  status: number | null;
  reading: ProfileRow['reading'];
  quality: ProfileRow['quality'];
  gap: ProfileRow['gap'];
  reasonCode: string | null;
  triedAt: Date | null;
  note: string | null;
} & Record<string, unknown>;

/** The instant at which a local day begins. */
export const dayBegins = (day: string, timeZone: string) => localDayBegins(sql`${day}::date`, timeZone);
export const dayEnds = (day: string, timeZone: string) => localDayBegins(sql`${day}::date + 1`, timeZone);

/** Gaps `g` that overlap local days. Gaps of profiles are stored by UTC days. */
export const gapTouches = ({ from, to }: { from: string; to: string }, timeZone: string) =>
  sql<boolean>`(g.day between ${from}::date - 1 and ${to}::date + 1 and g.from_at < ${dayEnds(to, timeZone)} and g.to_at >= ${dayBegins(from, timeZone)})`;

/** State of the reading that a gap `g` stands for. */
export const GAP_READING = sql<GapReading>`case
  when g.state = 'filled' then 'read_success'
  when g.state <> 'open' then 'read_fail'
  when exists (select from task_item i where i.meter_id = g.meter_id and i.state = 'reading')
    or exists (select from meter x join task_item i on i.dcu_id = x.dcu_id where x.id = g.meter_id and i.phase = 'open' and i.state = 'reading' and x.id = any(i.meter_ids)) then 'reading'
  when g.attempts = 0 and g.reason_code is null then 'waiting' else 'read_fail' end`;

const BEGINS = sql<Date>`(p.day::timestamp at time zone 'UTC') + make_interval(secs => p.lead_s + (slot - 1) * p.period_s)`;
const IN_GAP = sql<boolean>`(${BEGINS} between g.from_at and g.to_at)`;
const IS_MISSING = sql<boolean>`(u.status is null and ${IN_GAP} and g.state <> 'filled')`;
const QUALITY = sql<ProfileRow['quality']>`case
  when u.status is null then 'missing'
  when p.source in ('manual', 'estimated') then p.source
  when u.status & ${INVALID_BITS}::int <> 0 then 'invalid'
  when g.state = 'filled' and ${IN_GAP} then 'refilled' else 'read' end`;

/** Capture period of the meter type in seconds, for days without rows. */
export const periodOfType = (type: string) =>
  ({
    lpa: sql.ref(`${type}.lpa_period_s`),
    lpb: sql.ref(`${type}.lpb_period_s`),
    energy: sql`${DEFAULT_PERIOD_S.energy}::int`,
  }) satisfies Record<ProfileName, RawBuilder<unknown>>;

interface SlotFilter extends ReadingFilter {
  quality?: ProfileRow['quality'][] | undefined;
  reading?: ProfileRow['reading'][] | undefined;
}

/** One row per captured slot or recorded gap. The grid of a day without rows comes from its gap. */
const slots = (user: User, profile: ProfileName, filter: SlotFilter, timeZone: string) => {
  const begin = dayBegins(filter.from, timeZone);
  const end = dayEnds(filter.to, timeZone);
  const [first, last] = [begin, end].map((at) => sql`(${at} at time zone 'UTC')::date`);
  const inRange = (day: string) => sql<boolean>`${sql.ref(day)} between ${first} and ${last}`;
  const reading = sql`case when u.status is null then ${GAP_READING} else 'read_success' end`;
  return sql<SlotRow>`
    select meter.id as meter_id, meter.sn as meter_sn, p.day, slot, ${BEGINS} as ts, p.read_at, p.source, p.trace_id, u.status, ${columnsOf('u')},
      ${reading} as reading, ${QUALITY} as quality,
      case when u.status is null then g.state end as gap, case when u.status is null then g.reason_code end as reason_code,
      case when u.status is null then g.tried_at end as tried_at, case when u.status is null then g.note end as note
    from meter join meter_type on meter_type.id = meter.meter_type_id
    cross join lateral (
      select r.day, r.period_s, r.lead_s, r.status, ${columnsOf('r')}, r.read_at, r.source, r.trace_id
      from days_of(meter.id, ${profile}, ${first}, ${last}) as r
      union all
      select o.day, period, mod(extract(epoch from o.from_at - (o.day::timestamp at time zone 'UTC'))::int, period), array_fill(null::int, array[86400 / period]),
        ${noColumns}, null, null, null
      from reading_gap as o cross join lateral (select ${periodOfType('meter_type')[profile]} as period) as own
      where o.meter_id = meter.id and o.profile = ${profile} and o.state <> 'filled' and ${inRange('o.day')}
        and not exists (select from day_of(o.meter_id, o.profile, o.day))
    ) as p
    left join reading_gap as g on g.meter_id = meter.id and g.profile = ${profile} and g.day = p.day
    cross join lateral unnest(p.status, ${columnsOf('p')}) with ordinality as u (status, ${names}, slot)
    where ${ofMeter(filter)} and ${isChosen(filter)} and ${visible('meter.transformerId', user)}
      and (u.status is not null or ${IS_MISSING}) and ${BEGINS} >= ${begin} and ${BEGINS} < ${end}
      and (${filter.quality ?? null}::text[] is null or ${QUALITY} = any(${filter.quality ?? null}::text[]))
      and (${filter.reading ?? null}::text[] is null or ${reading} = any(${filter.reading ?? null}::text[]))`;
};

interface FreezeFilter extends SlotFilter {
  profile: FreezeName;
}

/** Position of a cursor: by day, then by serial number, which never change. */
interface Behind {
  last: Pick<DailyRow, 'freezeDate' | 'meterSn'> | undefined;
  isAscending: boolean;
}

type FreezeRow = Omit<DailyRow, 'readAt' | 'triedAt' | 'statusWord' | RegisterKey> &
  Record<RegisterKey | 'statusWord', string | null> & { readAt: Date | null; triedAt: Date | null };

/** Freezes, and recorded gaps in place of missing ones. */
const freezes = (user: User, filter: FreezeFilter, { last, isAscending }: Behind) => {
  const { quality, reading, profile } = filter;
  const isToCome = (day: RawBuilder<unknown>) =>
    last === undefined
      ? sql`true`
      : sql`${day} ${isAscending ? sql`>=` : sql`<=`} ${last.freezeDate}::date and (${day} <> ${last.freezeDate}::date or meter.sn > ${last.meterSn})`;
  const isWanted = (day: RawBuilder<unknown>) => sql<boolean>`
    ${day} between ${filter.from}::date and ${filter.to}::date and (${profile === 'daily'} or extract(day from ${day}) = 1) and ${isToCome(day)}`;
  // A subquery of its own: Citus sends the chosen meters to its workers once. A call of a function per meter takes twenty times as long there.
  const chosen = sql`(select id, sn from meter where ${ofMeter(filter)} and ${isChosen(filter)} and ${visible('meter.transformerId', user)}) as meter`;
  const hasRead = reading === undefined || reading.includes('read_success');
  const hasMissing = quality === undefined || quality.includes('missing');
  return sql<FreezeRow>`
    select r.meter_id, meter.sn as meter_sn, r.freeze_date::text as freeze_date, r.read_at, r.source, r.quality, r.status_word, r.device_time, r.trace_id,
      'read_success' as reading, null as gap, null as reason_code, null::timestamptz as tried_at, null as note, ${sql.join(DAILY_REGISTERS.map(({ column }) => sql.ref(`r.${column}`)))}
    from ${chosen} join reading_daily as r on r.meter_id = meter.id
    where ${hasRead} and ${isWanted(sql.ref('r.freeze_date'))} and (${quality ?? null}::text[] is null or r.quality = any(${quality ?? null}::text[]))
    union all
    select g.meter_id, meter.sn, g.day::text, null, null, 'missing', null, null, null,
      ${GAP_READING}, g.state, g.reason_code, g.tried_at, g.note, ${sql.join(DAILY_REGISTERS.map(() => sql`null`))}
    from reading_gap as g join ${chosen} on meter.id = g.meter_id
    where ${hasMissing} and g.profile = ${profile} and g.state <> 'filled' and ${isWanted(sql.ref('g.day'))}
      and (${reading ?? null}::text[] is null or ${GAP_READING} = any(${reading ?? null}::text[]))
      and not exists (select from freeze_of(g.meter_id, g.day))`;
};

/** What follows the cursor of a program; undefined without such a cursor. `0` is before everything. */
const placeIn = ({ after, cursor }: CursoredQuery) => (after === undefined || cursor !== undefined ? undefined : after.split('.'));

const toDailyRow = (row: FreezeRow): DailyRow => {
  const energies = Object.fromEntries(DAILY_REGISTERS.map(({ key }) => [key, numberOrNull(row[key])])) as Record<
    RegisterKey,
    number | null
  >; // as: one entry per name
  return {
    ...row,
    ...energies,
    readAt: isoOrNull(row.readAt),
    triedAt: isoOrNull(row.triedAt),
    statusWord: numberOrNull(row.statusWord),
  };
};

export async function listDaily(db: Db, user: User, query: FreezeFilter & CursoredQuery) {
  const place = placeIn(query);
  const isAscending = place !== undefined || query.sort === 'freezeDate,asc';
  const rows = async (last: Behind['last'], skipped: number) => {
    const found = sql<FreezeRow>`${freezes(user, query, { last, isAscending })}
      order by freeze_date ${isAscending ? sql`asc` : sql`desc`}, meter_sn limit ${query.size} offset ${skipped}`;
    return (await found.execute(db)).rows.map(toDailyRow);
  };
  if (place !== undefined) {
    const [freezeDate = '', meterSn] = place;
    const items = await rows(meterSn === undefined ? undefined : { freezeDate, meterSn }, 0);
    return pageBehind(items, { after: place.join('.'), size: query.size }, (row) => `${row.freezeDate}.${row.meterSn}`);
  }
  const [items, counted] = await Promise.all([
    rows(lastOf<DailyRow>(query), rowsBefore(query)),
    countUpTo(db, freezes(user, query, { last: undefined, isAscending })),
  ]);
  return { items, ...counted, page: query.page, size: query.size, next: null };
}

function toProfileRow(row: SlotRow): ProfileRow {
  const values = Object.fromEntries(
    CHANNELS.map(({ column, key, storedPerUnit }) => {
      const raw = row[camel(column)] as number | string | null; // as: int4 arrives as a number, int8 as text
      return [key, raw === null ? null : Number(raw) / storedPerUnit];
    }),
  ) as Record<ChannelKey, number | null>; // as: one entry per channel
  const { meterId, meterSn, source, traceId, reading, quality, gap, reasonCode, note } = row;
  const known = { meterId, meterSn, source, traceId, reading, quality, gap, reasonCode, note };
  return { ...known, ts: iso(row.ts), readAt: isoOrNull(row.readAt), triedAt: isoOrNull(row.triedAt), statusWord: row.status, ...values };
}

export async function listProfile(db: Db, user: User, profile: ProfileName, query: SlotFilter & CursoredQuery, timeZone: string) {
  const all = slots(user, profile, query, timeZone);
  const rows = async (last: Pick<ProfileRow, 'meterId' | 'ts'> | undefined, skipped: number) => {
    const toCome = last && sql`and meter.id >= ${last.meterId} and (meter.id > ${last.meterId} or ${BEGINS} > ${last.ts}::timestamptz)`;
    const found = sql<SlotRow>`${all} ${toCome ?? sql``} order by meter.id, p.day, slot limit ${query.size} offset ${skipped}`;
    return (await found.execute(db)).rows.map(toProfileRow);
  };
  const place = placeIn(query);
  if (place !== undefined) {
    const [meterId = '', ms] = place;
    const items = await rows(ms === undefined ? undefined : { meterId, ts: iso(new Date(Number(ms))) }, 0);
    return pageBehind(items, { after: place.join('.'), size: query.size }, (row) => `${row.meterId}.${Date.parse(row.ts)}`);
  }
  const [items, counted] = await Promise.all([rows(lastOf<ProfileRow>(query), rowsBefore(query)), countUpTo(db, all)]);
  return { items, ...counted, page: query.page, size: query.size, next: null };
}

const camel = (column: string): string => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export interface DayCount {
  day: string;
  got: number;
  /** Slots per meter that are due by now. */
  slots: number;
}

/** Due captures of the hourly profile. They lie at full hours of local time, which half-hour changes of the clock may skip or shift. */
const passedHours = (timeZone: string) => sql<number>`(
  select count(*) from generate_series(begins, least(now(), ends) - interval '1 microsecond', interval '15 minutes') as capture
  where extract(minute from capture at time zone ${timeZone}) = 0)::int`;

/**
 * Days of a range with their due slots: 96 of a load profile, fewer today, 92 or 100 when the clocks change; the hours of the hourly
 * profile; one daily freeze. Monthly freezes have one slot at each month end.
 */
export const passedSlots = (filter: { from: string; to: string }, timeZone: string, profile: CountedProfile) => {
  const slots = isFreeze(profile)
    ? sql<number>`1`
    : profile === 'energy'
      ? passedHours(timeZone)
      : sql<number>`ceil(extract(epoch from least(now(), ends) - begins) / ${DEFAULT_PERIOD_S[profile]})::int`;
  return sql`
    select day::date::text as day, begins, ends, case when begins > now() then 0 else ${slots} end as slots
    from (
      select day, ${localDayBegins(sql`day`, timeZone)} as begins, ${localDayBegins(sql`day + interval '1 day'`, timeZone)} as ends
      from generate_series(${filter.from}::date::timestamp, ${filter.to}::date::timestamp, interval '1 day') as day
      where ${profile !== 'monthly'} or extract(day from day) = 1
    ) as calendar`;
};

/** Received readings under a node by day, from the counters that the writer maintains. */
export async function countByDay(
  db: Db,
  user: User,
  query: { from: string; to: string; profile: CountedProfile; node?: NodeKey | undefined },
  timeZone: string,
): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    with days as materialized (${passedSlots(query, timeZone, query.profile)})
    select c.day, c.slots, coalesce(sum(got), 0)::int as got
    from days as c
    left join (
      select completeness.hour, completeness.got from completeness
      join endpoint as dcu on dcu.id = completeness.dcu_id
      where completeness.profile = ${storedAs(query.profile)} and ${arrivedIn(query)} and ${visible('dcu.transformerId', user)} and ${dcusUnder(query.node)}
    ) as arrived on arrived.hour >= c.begins and arrived.hour < c.ends
    group by c.day, c.slots order by c.day`.execute(db);
  return rows;
}

/** Rows of `completeness` for `days`. A freeze counts at its own midnight, so monthly freezes do not read the whole year. */
export const arrivedIn = ({ from, to, profile }: { from: string; to: string; profile: CountedProfile }) =>
  isFreeze(profile)
    ? sql<boolean>`completeness.begins in (select days.begins - hour_of_day(days.begins) * interval '1 hour' from days) and completeness.hour in (select days.begins from days)`
    : sql<boolean>`completeness.begins between ${from}::date - 2 and ${to}::date + 2`;

/** Condition on `dcu`: at or under a node. */
export const dcusUnder = (node: NodeKey | undefined): RawBuilder<boolean> =>
  node === undefined ? sql<boolean>`true` : sql<boolean>`dcu.id in (select meter.dcu_id from meter where ${meterUnder(node)})`;

/** Received readings of one meter by day, counted from its rows. */
export async function countByDayOfMeter(
  db: Db,
  query: { from: string; to: string; profile: CountedProfile; meterId: string },
  timeZone: string,
): Promise<DayCount[]> {
  const got = isFreeze(query.profile)
    ? sql<number>`(select count(*)::int from freeze_of(${query.meterId}, c.day::date))`
    : sql<number>`(
          select count(*)::int from days_of(${query.meterId}, ${query.profile}, (c.begins at time zone 'UTC')::date, (c.ends at time zone 'UTC')::date) as p,
            unnest(p.status) with ordinality as u (status, slot)
          where u.status is not null
            and (p.day::timestamp at time zone 'UTC') + make_interval(secs => p.lead_s + (slot - 1) * p.period_s) >= c.begins
            and (p.day::timestamp at time zone 'UTC') + make_interval(secs => p.lead_s + (slot - 1) * p.period_s) < c.ends)`;
  const { rows } =
    await sql<DayCount>`select c.day, c.slots, ${got} as got from (${passedSlots(query, timeZone, query.profile)}) as c order by c.day`.execute(
      db,
    );
  return rows;
}

/** Number of active, bound meters under a node: those whose readings are expected. */
export async function countExpectedMeters(
  db: Db,
  user: User,
  filter: { node?: NodeKey | undefined; meterId?: string | undefined },
): Promise<number> {
  const { count } = await db
    .selectFrom('meter')
    .where('inventoryState', '=', 'active')
    .where('dcuId', 'is not', null)
    .where(visible('meter.transformerId', user))
    .where(filter.meterId === undefined ? meterUnder(filter.node) : sql<boolean>`meter.id = ${filter.meterId}`)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export interface LatestEntry {
  item: string;
  value: number | string | null;
  unit: string;
  at: string | null;
  traceId: string | null;
}

/** The latest value of each item of a meter. */
export async function findLatest(db: Db, meterId: string): Promise<LatestEntry[]> {
  const row = await db.selectFrom('meterLatest').where('meterId', '=', meterId).select('values').executeTakeFirst();
  const values = (row?.values ?? {}) as Record<string, Omit<LatestEntry, 'item'>>; // as: written only by storage/latest.ts
  return Object.entries(values).map(([item, value]) => ({
    item,
    value: value.value,
    unit: value.unit,
    at: value.at ?? null,
    traceId: value.traceId ?? null,
  }));
}

export const listObisCodes = (db: Db, category: string | undefined) =>
  db
    .selectFrom('obisCode')
    .where('enabled', '=', true)
    .where('kind', '=', 'attribute')
    .$if(category !== undefined, (codes) => codes.where(sql<boolean>`category = ${category}`))
    .select(['id', 'key', 'obis', 'classId', 'attribute', 'nameEn', 'nameZh', 'unit', 'precision', 'category'])
    .orderBy('sort')
    .orderBy('key')
    .execute();
