import type { Pool, PoolClient } from 'pg';
import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import { REFILL_WAITS_MIN } from '@hes/contract/reading/gap.ts';
import { isFreeze, type CountedProfile, type FreezeName, type StoredProfile } from '@hes/contract/reading/reading.ts';
import { startOfLocalDay } from '#db/local-day.ts';
import { pgArrayLiteral } from '#db/pg-array-literal.ts';
import { ASYNC_COMMIT } from '#db/async-commit.ts';
import { OPEN_GAPS_WITH_DEPTH } from './buffer-depth.ts';
import { DEFAULT_PERIOD_S } from './channels.ts';

type Client = Pool | PoolClient;

const MINUTE_MS = 60_000;
const FIRST_WAIT_MS = REFILL_WAITS_MIN[0] * MINUTE_MS;

/** Epoch milliseconds of the next attempt: increasing waits at first, then once a night. */
export function nextTryAfter(attempts: number, now: number, nightAt: number): number {
  const minutes = REFILL_WAITS_MIN[attempts];
  return minutes === undefined ? nightAt : now + minutes * MINUTE_MS;
}

const PERIOD = `coalesce(p.period_s, case $1::text when 'lpa' then t.lpa_period_s when 'lpb' then t.lpb_period_s else ${DEFAULT_PERIOD_S.energy} end)`;

/** Slots without a stored capture, one row per meter and UTC day. The condition on `meter m` refers to its ids as $6. */
const missingSlots = (condition: string) => `
  select id, day, count(*)::int as missing, min(begins + k * period * interval '1 second') as from_at, max(begins + k * period * interval '1 second') as to_at
  from (
    select m.id, d.day::date as day, d.day at time zone 'UTC' as midnight, p.status, coalesce(p.present, 0) as present, ${PERIOD} as period, p.lead_s,
      extract(epoch from (d.day at time zone 'UTC' at time zone $5::text) - d.day)::int as ahead
    from meter m join meter_type t on t.id = m.meter_type_id
    cross join generate_series(($2::timestamptz at time zone 'UTC')::date::timestamp, ($3::timestamptz at time zone 'UTC')::date::timestamp, interval '1 day') as d (day)
    left join lateral day_of(m.id, $1::text, d.day::date) p on true
    where ${condition}
  ) as days
  cross join lateral (select midnight + coalesce(lead_s, mod(period - mod(ahead, period), period)) * interval '1 second' as begins) as grid
  cross join lateral generate_series(
    greatest(0, ceil(extract(epoch from $2::timestamptz - begins) / period))::int,
    least(86400 / period - 1, floor(extract(epoch from $3::timestamptz - begins) / period))::int) as k
  where present < 86400 / period and (status is null or status[k + 1] is null)
  group by id, day`;

const MIDNIGHT = startOfLocalDay('d.day', '$5::text');

/** Local midnights without a stored freeze: every one for `daily`, the first of each month for `monthly`. */
const missingFreezes = (condition: string) => `
  select m.id, d.day::date as day, 1 as missing, ${MIDNIGHT} as from_at, ${MIDNIGHT} as to_at
  from meter m
  cross join generate_series(($2::timestamptz at time zone $5::text)::date::timestamp, ($3::timestamptz at time zone $5::text)::date::timestamp, interval '1 day') as d (day)
  left join lateral freeze_of(m.id, d.day::date) r on true
  where ($1::text = 'daily' or extract(day from d.day) = 1) and ${condition} and r.meter_id is null`;

export interface GapScan {
  profile: CountedProfile;
  /** Scanned interval in epoch milliseconds: captures inside it are expected in the database. */
  from: number;
  to: number;
  timeZone: string;
  now: number;
  /** SQL condition on `meter m`; refers to `ids` as $6. */
  condition: string;
  ids: readonly string[];
}

/** Reasons that apply to all profiles of a meter, even if only one was read. */
const METER_REASONS = [
  'DCU_OFFLINE',
  'METER_OFFLINE',
  'DCU_TIMEOUT',
  'NOT_IN_ARCHIVE',
  'NO_ROUTE',
  'METER_TIMEOUT',
  'LINK_LOST',
  'KEYS_MISSING',
  'PASSWORD_IN_CLEAR',
  'ASSOC_REFUSED',
  'AUTH_FAILED',
  'CHALLENGE_UNSUPPORTED',
  'DECRYPT_FAILED',
  'COUNTER_REPLAY',
] as const satisfies readonly ReasonCode[];
/** Reasons of items that sent no request to the meter: they count as no attempt. */
export const NO_ATTEMPT_REASONS = ['CANCELLED', 'EXPIRED', 'INTERNAL'] as const satisfies readonly ReasonCode[];

const listed = (codes: readonly string[]) => codes.map((code) => `'${code}'`).join(', ');

/** Condition on an item `i` of a task `k`: it failed for a reason that explains the missing profile. */
const explains = (profile: string): string => `i.reason_code is not null and i.reason_code not in (${listed(NO_ATTEMPT_REASONS)})
  and (i.reason_code in (${listed(METER_REASONS)}) or i.kind = ${profile} or i.kind = 'collect' and k.params -> 'profiles' ? ${profile})`;

/** Failed attempts that explain a missing profile, under the condition that follows. A shared item has the meters of one DCU. */
const FAILURES = `select i.reason_code, i.started_at, i.finished_at from task_item i join task k on k.id = i.task_id where ${explains('$1::text')} and`;
const LAST = 'order by i.finished_at desc limit 1';

/**
 * Records missing captures and closes filled gaps. The first refill waits, because the regular plan may still deliver the captures. The
 * reason is that of the last failed attempt since the first slot, else that its DCU, or the direct meter itself, is offline.
 */
export async function scanGaps(client: Client, scan: GapScan): Promise<void> {
  await closeFilledGaps(client, scan.profile, null);
  const missing = isFreeze(scan.profile) ? missingFreezes(scan.condition) : missingSlots(scan.condition);
  await client.query(
    `with missing as materialized (${missing}), why as materialized (
      select m.id, case when c.online_status in ('offline', 'never') then case c.kind when 'dcu' then 'DCU_OFFLINE' else 'METER_OFFLINE' end end as offline, last.reason_code, last.tried_at
      from meter m left join endpoint c on c.id = m.dcu_id
      left join lateral (
        select i.reason_code, coalesce(i.finished_at, i.started_at) as tried_at from (
          (${FAILURES} i.meter_id = m.id ${LAST}) union all (${FAILURES} i.dcu_id = m.dcu_id and i.meter_ids is not null and m.id = any(i.meter_ids) and (i.finished_at is null or i.finished_at >= $2::timestamptz) ${LAST})
        ) as i order by i.finished_at desc limit 1
      ) as last on true
      where m.id in (select id from missing)
    ), found as (
      select x.*, case when why.tried_at >= x.from_at then why.reason_code else why.offline end as reason_code,
        case when why.tried_at >= x.from_at then why.tried_at end as tried_at
      from missing x join why using (id)
    )
    insert into reading_gap as g (meter_id, profile, day, missing, from_at, to_at, reason_code, tried_at, next_try_at, found_at, changed_at)
    select x.id, $1::text, x.day, x.missing, x.from_at, x.to_at, x.reason_code, x.tried_at, $4::timestamptz, $3::timestamptz, $3::timestamptz from found x
    where $5::text is not null and $6::bigint[] is not null
    on conflict (meter_id, profile, day) do update set missing = excluded.missing, from_at = excluded.from_at, to_at = excluded.to_at, state = 'open',
      attempts = case when g.state = 'open' then g.attempts else 0 end,
      next_try_at = case when g.state = 'open' then g.next_try_at else excluded.next_try_at end,
      reason_code = case when ${IS_NEWER_TRY} or ${IS_UNTRIED} then excluded.reason_code else g.reason_code end,
      tried_at = greatest(g.tried_at, excluded.tried_at), changed_at = excluded.changed_at
    where (g.missing, g.from_at, g.to_at) is distinct from (excluded.missing, excluded.from_at, excluded.to_at)
      or g.state = 'open' and (${IS_NEWER_TRY} or ${IS_UNTRIED} and g.reason_code is distinct from excluded.reason_code)`,
    [scan.profile, new Date(scan.from), new Date(scan.to), new Date(scan.now + FIRST_WAIT_MS), scan.timeZone, scan.ids],
  );
}

/** Copies the reasons of failed items, including those that are retried, into the open gaps of their meters. */
export async function recordFailureReasons(pool: Pool, itemIds: readonly string[]): Promise<void> {
  if (itemIds.length === 0) return;
  await pool.query({
    name: 'note_tries',
    // Gaps locked by a scan are skipped, which avoids deadlocks: the scan finds the attempt itself.
    text: `with tried as (
        select gap.id, i.reason_code, coalesce(i.finished_at, now()) as tried_at
        from task_item_device i join task k on k.id = i.task_id cross join lateral (
          select g.id from reading_gap g
          where g.meter_id = i.meter_id and g.state = 'open' and g.from_at <= coalesce(i.finished_at, now()) and ${explains('g.profile')}
            and (g.tried_at is null or g.tried_at < coalesce(i.finished_at, now()))
          order by g.id for update skip locked
        ) as gap
        where i.item_id = any($1::bigint[]) and i.reason_code is not null and i.kind <> 'refill'
      )
      update reading_gap g set reason_code = tried.reason_code, tried_at = tried.tried_at, changed_at = now() from tried where g.id = tried.id and ${ASYNC_COMMIT}`,
    values: [itemIds],
  });
}

/** Days whose readings the current transaction has stored; parallel arrays. */
export interface StoredDays {
  meterIds: string[];
  profiles: StoredProfile[];
  /** Days since 1970-01-01. */
  days: number[];
}

/**
 * Reduces the gaps of stored days to the captures that are still missing, in the transaction that stores the readings: gaps and readings
 * stay consistent.
 */
export async function fillGaps(client: PoolClient, { meterIds, profiles, days }: StoredDays): Promise<void> {
  await client.query({
    name: 'fill_gaps',
    text: `with touched as (
        select g.id, g.profile, g.meter_id, g.day, g.from_at, g.to_at from (
          select meter_id, date '1970-01-01' + day as day, unnest(case profile when 'daily' then array['daily', 'monthly'] else array[profile] end) as profile
          from unnest($1::bigint[], $2::text[], $3::int[]) as n (meter_id, profile, day)
        ) as stored cross join lateral (
          select * from reading_gap g where g.meter_id = stored.meter_id and g.profile = stored.profile and g.day = stored.day and g.state <> 'filled'
          for update skip locked
        ) as g
      ), slots as (
        select t.id, (t.day::timestamp at time zone 'UTC') + make_interval(secs => p.lead_s + k * p.period_s) as at
        from touched t cross join lateral day_of(t.meter_id, t.profile, t.day) p
        cross join lateral generate_series((extract(epoch from t.from_at - (t.day::timestamp at time zone 'UTC'))::int - p.lead_s) / p.period_s,
          (extract(epoch from t.to_at - (t.day::timestamp at time zone 'UTC'))::int - p.lead_s) / p.period_s) as k
        where p.status[k + 1] is null
      ), rest as (
        select t.id, count(slots.at)::int as missing, min(slots.at) as from_at, max(slots.at) as to_at from touched t left join slots using (id) group by t.id
      )
      update reading_gap g set missing = rest.missing, from_at = coalesce(rest.from_at, g.from_at), to_at = coalesce(rest.to_at, g.to_at),
        state = case when rest.missing = 0 then 'filled' else g.state end, changed_at = now()
      from rest where g.id = rest.id and g.missing <> rest.missing`,
    values: [pgArrayLiteral(meterIds), pgArrayLiteral(profiles), pgArrayLiteral(days)],
  });
}

/** Marks gaps as filled whose readings are stored, for one meter or, with null, for all. */
export async function closeFilledGaps(client: Client, profile: CountedProfile, meterId: string | null): Promise<void> {
  const arrived = isFreeze(profile)
    ? 'exists (select from freeze_of(g.meter_id, g.day))'
    : `exists (select from day_of(g.meter_id, g.profile, g.day) p where not exists (
          select from generate_series((extract(epoch from g.from_at - (g.day::timestamp at time zone 'UTC'))::int - p.lead_s) / p.period_s,
            (extract(epoch from g.to_at - (g.day::timestamp at time zone 'UTC'))::int - p.lead_s) / p.period_s) as k where p.status[k + 1] is null))`;
  await client.query(
    `update reading_gap g set state = 'filled', missing = 0, changed_at = now()
     where g.profile = $1 and g.state <> 'filled' and ($2::bigint is null or g.meter_id = $2) and ${arrived}`,
    [profile, meterId],
  );
}

const LOST: ReasonCode = 'BUFFER_PASSED';

/** Marks open gaps as lost that are older than the buffer depth of their meter. */
export async function markLostGaps(client: Client, now: number): Promise<void> {
  await client.query(
    `update reading_gap set state = 'lost', reason_code = $2, changed_at = $1
     where id in (select id from (${OPEN_GAPS_WITH_DEPTH}) as held where to_at < $1::timestamptz - depth)`,
    [new Date(now), LOST],
  );
}

const IS_NEWER_TRY = '(excluded.tried_at is not null and (g.tried_at is null or g.tried_at < excluded.tried_at))';
const IS_UNTRIED = '(g.tried_at is null and g.attempts = 0)';

/** SQL estimate, in seconds on a narrow channel, to fill all gaps `g` of a meter: one association, then a request and its blocks per gap. */
export const SECONDS_OF_METER = '(3 + sum(1 + ceil(g.missing * 46 / 1024.0)))::int';

export interface OpenGap {
  id: string;
  profile: CountedProfile;
  fromAt: Date;
  toAt: Date;
  attempts: number;
}

/** Open gaps of a meter, newest first, at most 64; an order limits them to its profile and to gaps that overlap `from` to `until`. */
export async function findOpenGaps(
  client: Client,
  meterId: string,
  order: { profile: string; from: number; until: number } | undefined,
): Promise<OpenGap[]> {
  const { rows } = await client.query<OpenGap>(
    `select id, profile, from_at as "fromAt", to_at as "toAt", attempts from reading_gap
     where meter_id = $1 and state = 'open' and ($2::text is null or (profile = $2 and to_at >= $3 and from_at < $4))
     order by day desc, profile limit 64`,
    [meterId, order?.profile ?? null, order && new Date(order.from), order && new Date(order.until)],
  );
  return rows;
}

/** Records a failed attempt to fill an open gap. */
export async function recordAttempt(
  client: Client,
  tried: { id: string; reason: ReasonCode; state: 'open' | 'no_data' | 'lost'; nextTryAt: number; now: number },
): Promise<void> {
  await client.query(
    `update reading_gap set attempts = attempts + 1, reason_code = $2, tried_at = $5, state = $3, next_try_at = $4, changed_at = $5 where id = $1 and state = 'open'`,
    [tried.id, tried.reason, tried.state, new Date(tried.nextTryAt), new Date(tried.now)],
  );
}

/** Marks the freezes of a filled gap as refilled. */
export async function markRefilled(client: Client, meterId: string, gap: { profile: FreezeName; fromAt: Date; toAt: Date }): Promise<void> {
  await client.query(
    `with filled as materialized (
       select day from reading_gap where meter_id = $1 and profile = $4 and state = 'filled'
         and day between ($2::timestamptz - interval '1 day')::date and ($3::timestamptz + interval '1 day')::date
     ), marked as (
       update reading_daily set quality = 'refilled' where meter_id = $1 and quality = 'read' and source = 'meter'
         and freeze_date between ($2::timestamptz - interval '1 day')::date and ($3::timestamptz + interval '1 day')::date
         and freeze_date in (select day from filled)
       returning meter_id, freeze_date - date '1970-01-01' as day
     )
     select announce('readings', 'daily', array_agg(meter_id), array_agg(day), array_agg(0), array_agg(0)) from marked`,
    [meterId, gap.fromAt, gap.toAt, gap.profile],
  );
}
