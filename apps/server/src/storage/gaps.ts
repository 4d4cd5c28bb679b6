import type { Pool, PoolClient } from 'pg';
import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import { REFILL_WAITS_MIN } from '@hes/contract/reading/gap.ts';
import { isFreeze, type CountedProfile, type FreezeName } from '@hes/contract/reading/reading.ts';
import { startOfLocalDay } from '#db/local-day.ts';
import { OPEN_GAPS_WITH_DEPTH } from './buffer-depth.ts';
import { DEFAULT_PERIOD_S } from './channels.ts';

type Client = Pool | PoolClient;

const MINUTE_MS = 60_000;
const FIRST_WAIT_MS = REFILL_WAITS_MIN[0] * MINUTE_MS;

/** When something that was tried so often is tried again: soon at first, then once a night. */
export function nextTryAfter(attempts: number, now: number, nightAt: number): number {
  const minutes = REFILL_WAITS_MIN[attempts];
  return minutes === undefined ? nightAt : now + minutes * MINUTE_MS;
}

const PERIOD = `coalesce(p.period_s, case $1::text when 'lpa' then t.lpa_period_s when 'lpb' then t.lpb_period_s else ${DEFAULT_PERIOD_S.energy} end)`;

/** Slots of a profile that nobody has, of meters `m` under a condition whose ids are $6; one row a meter and UTC day. */
const missingSlots = (condition: string) => `
  select id, day, count(*)::int as missing, min(begins + k * period * interval '1 second') as from_at, max(begins + k * period * interval '1 second') as to_at
  from (
    select m.id, d.day::date as day, d.day at time zone 'UTC' as midnight, p.status, coalesce(p.present, 0) as present, ${PERIOD} as period, p.lead_s,
      extract(epoch from (d.day at time zone 'UTC' at time zone $5::text) - d.day)::int as ahead
    from meter m join meter_type t on t.id = m.meter_type_id
    cross join generate_series(($2::timestamptz at time zone 'UTC')::date::timestamp, ($3::timestamptz at time zone 'UTC')::date::timestamp, interval '1 day') as d (day)
    left join reading_profile p on p.meter_id = m.id and p.profile = $1::text and p.day = d.day::date
    where ${condition}
  ) as days
  cross join lateral (select midnight + coalesce(lead_s, mod(period - mod(ahead, period), period)) * interval '1 second' as begins) as grid
  cross join lateral generate_series(
    greatest(0, ceil(extract(epoch from $2::timestamptz - begins) / period))::int,
    least(86400 / period - 1, floor(extract(epoch from $3::timestamptz - begins) / period))::int) as k
  where present < 86400 / period and (status is null or status[k + 1] is null)
  group by id, day`;

const MIDNIGHT = startOfLocalDay('d.day', '$5::text');

/** Midnights whose freeze nobody has: all, or those that end a month. */
const missingFreezes = (condition: string) => `
  select m.id, d.day::date as day, 1 as missing, ${MIDNIGHT} as from_at, ${MIDNIGHT} as to_at
  from meter m
  cross join generate_series(($2::timestamptz at time zone $5::text)::date::timestamp, ($3::timestamptz at time zone $5::text)::date::timestamp, interval '1 day') as d (day)
  where ($1::text = 'daily' or extract(day from d.day) = 1) and ${condition} and not exists (select from reading_daily r where r.meter_id = m.id and r.freeze_date = d.day::date)`;

export interface GapScan {
  profile: CountedProfile;
  /** Epoch milliseconds: what was captured between them should be here. */
  from: number;
  to: number;
  timeZone: string;
  now: number;
  /** Over `meter m`; its ids are the parameter $6. */
  condition: string;
  ids: readonly string[];
}

/**
 * Writes down what is missing, and what is no longer. A gap is tried again a while after it was found: its plan may be about to bring
 * it. One that was found before anybody was asked gets its reason from the first who did not answer.
 */
export async function scanGaps(client: Client, scan: GapScan): Promise<void> {
  await settleGaps(client, scan.profile, null);
  const missing = isFreeze(scan.profile) ? missingFreezes(scan.condition) : missingSlots(scan.condition);
  await client.query(
    `with missing as materialized (${missing}), why as (
      select m.id, case when c.online_status = 'online' then last.reason_code else 'DCU_OFFLINE' end as reason
      from meter m left join dcu c on c.id = m.dcu_id
      left join lateral (select i.reason_code from task_item i where i.meter_id = m.id and i.finished_at is not null order by i.finished_at desc limit 1) as last on true
      where m.id in (select id from missing)
    )
    insert into reading_gap as g (meter_id, profile, day, missing, from_at, to_at, reason_code, next_try_at, found_at, changed_at)
    select x.id, $1::text, x.day, x.missing, x.from_at, x.to_at, why.reason, $4::timestamptz, $3::timestamptz, $3::timestamptz from missing x join why using (id)
    where $5::text is not null and $6::bigint[] is not null
    on conflict (meter_id, profile, day) do update set missing = excluded.missing, from_at = excluded.from_at, to_at = excluded.to_at, state = 'open',
      attempts = case when g.state = 'open' then g.attempts else 0 end,
      next_try_at = case when g.state = 'open' then g.next_try_at else excluded.next_try_at end,
      reason_code = coalesce(excluded.reason_code, g.reason_code), changed_at = excluded.changed_at
    where (g.missing, g.from_at, g.to_at) is distinct from (excluded.missing, excluded.from_at, excluded.to_at)
      or (g.state = 'open' and g.reason_code is null and excluded.reason_code is not null)`,
    [scan.profile, new Date(scan.from), new Date(scan.to), new Date(scan.now + FIRST_WAIT_MS), scan.timeZone, scan.ids],
  );
}

/** Gaps whose readings have arrived, whichever way, are filled. Of one meter, or of all. */
export async function settleGaps(client: Client, profile: CountedProfile, meterId: string | null): Promise<void> {
  const arrived = isFreeze(profile)
    ? 'exists (select from reading_daily r where r.meter_id = g.meter_id and r.freeze_date = g.day)'
    : `exists (select from reading_profile p where p.meter_id = g.meter_id and p.profile = g.profile and p.day = g.day and not exists (
          select from generate_series((extract(epoch from g.from_at - (g.day::timestamp at time zone 'UTC'))::int - p.lead_s) / p.period_s,
            (extract(epoch from g.to_at - (g.day::timestamp at time zone 'UTC'))::int - p.lead_s) / p.period_s) as k where p.status[k + 1] is null))`;
  await client.query(
    `update reading_gap g set state = 'filled', missing = 0, changed_at = now()
     where g.profile = $1 and g.state <> 'filled' and ($2::bigint is null or g.meter_id = $2) and ${arrived}`,
    [profile, meterId],
  );
}

const LOST: ReasonCode = 'BUFFER_PASSED';

/** What is missing for longer than its meter holds it cannot come any more. */
export async function loseOldGaps(client: Client, now: number): Promise<void> {
  await client.query(
    `update reading_gap set state = 'lost', reason_code = $2, changed_at = $1
     where id in (select id from (${OPEN_GAPS_WITH_DEPTH}) as held where to_at < $1::timestamptz - depth)`,
    [new Date(now), LOST],
  );
}

/** Seconds on a narrow channel to fill all gaps `g` of a meter: the association, then a request and its blocks for each. */
export const SECONDS_OF_METER = '(3 + sum(1 + ceil(g.missing * 46 / 1024.0)))::int';

export interface OpenGap {
  id: string;
  profile: CountedProfile;
  fromAt: Date;
  toAt: Date;
  attempts: number;
}

/** What is still missing of a meter, newest first; with an order, what begins before `until` and ends at `from` or later. */
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

/** Keeps what came of a try. */
export async function keepTry(
  client: Client,
  tried: { id: string; reason: ReasonCode; state: 'open' | 'no_data' | 'lost'; nextTryAt: number; now: number },
): Promise<void> {
  await client.query(
    `update reading_gap set attempts = attempts + 1, reason_code = $2, state = $3, next_try_at = $4, changed_at = $5 where id = $1 and state = 'open'`,
    [tried.id, tried.reason, tried.state, new Date(tried.nextTryAt), new Date(tried.now)],
  );
}

/** Says of freezes that they came late. */
export async function markRefilled(client: Client, meterId: string, gap: { profile: FreezeName; fromAt: Date; toAt: Date }): Promise<void> {
  await client.query(
    `update reading_daily set quality = 'refilled' where meter_id = $1 and quality = 'read' and source = 'meter'
     and freeze_date between ($2::timestamptz - interval '1 day')::date and ($3::timestamptz + interval '1 day')::date
     and exists (select from reading_gap g where g.meter_id = $1 and g.profile = $4 and g.day = freeze_date and g.state = 'filled')`,
    [meterId, gap.fromAt, gap.toAt, gap.profile],
  );
}
