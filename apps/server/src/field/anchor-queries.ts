import type { Pool } from 'pg';
import type { ProfileName } from '@hes/contract/reading/reading.ts';
import { pgArrayLiteral } from '#db/pg-array-literal.ts';
import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';

/** Query for the newest stored row of a meter between two times, epoch milliseconds, both included. */
export interface AnchorQuery {
  meterId: string;
  profile: ProfileName | 'daily' | 'monthly';
  from: number;
  to: number;
}

/** A stored row to compare with the row of the meter for the same time. */
export interface Anchor {
  /** Begin of the slot in epoch milliseconds; of a freeze its midnight. */
  at: number;
  /** Length of the slot in milliseconds; of a freeze one day. */
  periodMs: number;
  /** Values by channel or register number, in storage units; null: no value. */
  values: readonly (number | null)[];
}

interface AnchorRow {
  at: number;
  period: number;
  values: (string | null)[];
}

const anchorOf = ({ at, period, values }: AnchorRow): Anchor => ({
  at,
  periodMs: period * 1000,
  values: values.map((value) => (value === null ? null : Number(value))),
});

const channelValues = CHANNELS.map(({ column }) => `r.${column}[slot]`).join(', ');

const NEWEST_CAPTURES = `
  select n.k::int as k, at, period_s as period, values::text[] as values
  from unnest($1::bigint[], $2::text[], $3::float8[], $4::float8[]) with ordinality as n (meter_id, profile, from_ms, to_ms, k)
  cross join lateral (
    select s.at * 1000 as at, r.period_s, array[${channelValues}]::bigint[] as values
    from days_of(n.meter_id, n.profile, (to_timestamp(n.from_ms / 1000) at time zone 'UTC')::date - 1,
      (to_timestamp(n.to_ms / 1000) at time zone 'UTC')::date) r
    cross join lateral (
      select slot, (extract(epoch from r.day) + r.lead_s + (slot - 1) * r.period_s)::float8 as at from generate_subscripts(r.status, 1) as slot
    ) as s
    where r.source in ('meter', 'cache', 'push')
      and r.status[slot] is not null and s.at between n.from_ms / 1000 and n.to_ms / 1000
    order by r.day desc, slot desc limit 1
  ) as newest`;

const registerValues = DAILY_REGISTERS.map(({ column }) => `(r.${column} * 10000)::bigint`).join(', ');

/** $5: zone of the utility. */
const NEWEST_FREEZES = `
  select n.k::int as k, at, 86400 as period, values::text[] as values
  from unnest($1::bigint[], $2::text[], $3::float8[], $4::float8[]) with ordinality as n (meter_id, profile, from_ms, to_ms, k)
  cross join lateral (
    select (extract(epoch from r.freeze_date::timestamp at time zone $5) * 1000)::float8 as at, array[${registerValues}]::bigint[] as values
    from freezes_of(n.meter_id, (to_timestamp(n.from_ms / 1000) at time zone $5)::date, (to_timestamp(n.to_ms / 1000) at time zone $5)::date) r
    where r.source in ('meter', 'cache', 'push') and r.quality in ('read', 'refilled')
      and (n.profile = 'daily' or extract(day from r.freeze_date) = 1)
      and r.freeze_date::timestamp at time zone $5 between to_timestamp(n.from_ms / 1000) and to_timestamp(n.to_ms / 1000)
    order by r.freeze_date desc limit 1
  ) as newest`;

const STORED_CAPTURES = `
  select s.at * 1000 as at, r.period_s as period, array[${channelValues}]::bigint[]::text[] as values
  from reading_profile r
  cross join lateral (
    select slot, (extract(epoch from r.day) + r.lead_s + (slot - 1) * r.period_s)::float8 as at from generate_subscripts(r.status, 1) as slot
  ) as s
  where r.meter_id = $1 and r.profile = $2 and r.source in ('meter', 'cache', 'push')
    and r.day between (to_timestamp($3::float8 / 1000) at time zone 'UTC')::date - 1 and (to_timestamp($4::float8 / 1000) at time zone 'UTC')::date
    and r.status[slot] is not null and s.at between $3::float8 / 1000 and $4::float8 / 1000
  order by s.at`;

const STORED_FREEZES = `
  select (extract(epoch from r.freeze_date::timestamp at time zone $4) * 1000)::float8 as at, 86400 as period,
    array[${registerValues}]::bigint[]::text[] as values
  from reading_daily r
  where r.meter_id = $1 and r.source in ('meter', 'cache', 'push') and r.quality in ('read', 'refilled')
    and r.freeze_date::timestamp at time zone $4 between to_timestamp($2::float8 / 1000) and to_timestamp($3::float8 / 1000)
  order by 1`;

/** All stored rows of a meter between two times, oldest first, without manually entered ones. */
export async function findStored(pool: Pool, { meterId, profile, from, to }: AnchorQuery, timeZone: string): Promise<Anchor[]> {
  const found = await pool.query<AnchorRow>(
    profile === 'daily' || profile === 'monthly'
      ? { text: STORED_FREEZES, values: [meterId, from, to, timeZone] }
      : { text: STORED_CAPTURES, values: [meterId, profile, from, to] },
  );
  return found.rows.map(anchorOf);
}

const isFreezeQuery = ({ profile }: AnchorQuery): boolean => profile === 'daily' || profile === 'monthly';

/** The newest stored row of each query, in the order of `queries`; undefined: no row. */
export async function findAnchors(pool: Pool, queries: readonly AnchorQuery[], timeZone: string): Promise<(Anchor | undefined)[]> {
  const anchors: (Anchor | undefined)[] = queries.map(() => undefined);
  for (const isFreeze of [false, true]) {
    const indexes = queries.flatMap((query, index) => (isFreezeQuery(query) === isFreeze ? index : []));
    if (indexes.length === 0) continue;
    const asked = indexes.flatMap((index) => queries[index] ?? []);
    const values = [
      pgArrayLiteral(asked.map(({ meterId }) => meterId)),
      pgArrayLiteral(asked.map(({ profile }) => profile)),
      pgArrayLiteral(asked.map(({ from }) => from)),
      pgArrayLiteral(asked.map(({ to }) => to)),
    ];
    const found = await pool.query<AnchorRow & { k: number }>(
      isFreeze
        ? { name: 'newest_freezes', text: NEWEST_FREEZES, values: [...values, timeZone] }
        : { name: 'newest_captures', text: NEWEST_CAPTURES, values },
    );
    for (const row of found.rows) anchors[indexes[row.k - 1] ?? -1] = anchorOf(row);
  }
  return anchors;
}
