import { createHash } from 'node:crypto';
import { startOfLocalDay } from '#db/local-day.ts';
import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';

const channelColumns = CHANNELS.map((channel) => channel.column);
const channelList = channelColumns.join(', ');
const registerColumns = DAILY_REGISTERS.map((register) => register.column);
const registerList = registerColumns.join(', ');

const STAGED_PROFILE = `meter_id bigint, profile text, day date, period_s int, lead_s int, present int, status int[],
    ${CHANNELS.map(({ column, type }) => `${column} ${type}[]`).join(', ')},
    read_at timestamptz, source text, trace_id uuid`;
const STAGED_DAILY = `meter_id bigint, dcu_id bigint, freeze_date date, read_at timestamptz, source text,
    ${registerColumns.map((column) => `${column} bigint`).join(', ')},
    status_word bigint, device_time text, trace_id uuid`;

/** A temporary table is named by its columns: behind a pooler, head-ends of several versions share the backend in which it stays. */
const nameOf = (kind: string, columns: string): string => `stage_${kind}_${createHash('sha256').update(columns).digest('hex').slice(0, 8)}`;
export const STAGE_PROFILE = nameOf('profile', STAGED_PROFILE);
const STAGE_DAILY = nameOf('daily', STAGED_DAILY);

/**
 * Staging tables for batches before the merge. Wide tuples stay uncompressed: they live for milliseconds, and the reading table compresses
 * them once.
 */
export const CREATE_STAGING = `
  create temp table if not exists ${STAGE_PROFILE} (${STAGED_PROFILE})
    with (toast_tuple_target = 8160, autovacuum_enabled = off) on commit delete rows;
  create temp table if not exists ${STAGE_DAILY} (${STAGED_DAILY}) on commit delete rows`;

/** COPY statement for day rows into the given table. */
export const copyDaysInto = (table: string): string =>
  `copy ${table} (meter_id, profile, day, period_s, lead_s, present, status, ${channelList}, read_at, source, trace_id) from stdin (format binary)`;
export const PROFILE_COLUMNS = 10 + CHANNELS.length;

/** Parameters: arrays with one entry per row for meter, profile, day since 1970-01-01. Returns the grids of stored rows. */
export const FIND_DAYS = `
  select meter_id, profile, day - date '1970-01-01' as day, period_s, lead_s from days_at($1::bigint[], $2::text[], $3::int[])`;

export const COPY_DAILY = `copy ${STAGE_DAILY} (meter_id, dcu_id, freeze_date, read_at, source, ${registerList}, status_word, device_time, trace_id) from stdin (format binary)`;
export const DAILY_COLUMNS = 8 + DAILY_REGISTERS.length;

const SLOTS = ['status', ...channelColumns];
const merged = (column: string) => `merge_slots(t.${column}, excluded.${column})`;

/** Parameters: arrays with one entry per stored row for meter, profile, day since 1970-01-01, period and lead of its new grid. */
export const REGRID_DAYS = `
  update reading_profile t set period_s = n.period_s, lead_s = n.lead_s,
    ${SLOTS.map((column) => `${column} = regrid_slots(t.${column}, t.period_s, t.lead_s, n.period_s, n.lead_s)`).join(', ')}
  from unnest($1::bigint[], $2::text[], $3::int[], $4::int[], $5::int[]) as n (meter_id, profile, day, period_s, lead_s)
  where t.meter_id = n.meter_id and t.profile = n.profile and t.day = date '1970-01-01' + n.day and (t.period_s, t.lead_s) <> (n.period_s, n.lead_s)`;

const CORRECTION = 'meter_id, profile, ts, channel, former, value, former_read_at, former_source, former_trace_id, source, trace_id';

/** The staged row has slots that were stored before: only then can the merge replace values. */
const OVERLAPS = 'old.present + s.present > stored.present';

/**
 * Merges staged rows, whose meters, profiles and days since 1970-01-01 are the parameters. A re-delivery updates no row. Replaced values go into `reading_correction`. Returns written rows with their former
 * status, for `arrivals.ts`, and whether values were replaced. A stored row on another grid fails the statement by a null in `period_s`,
 * because a merge by position would be wrong. Citus runs the parts one after another: `old` has to be materialized to be the state before.
 */
export const MERGE_PROFILE = `
  with old as materialized (
    select meter_id, profile, day, status, present, ${channelList}, read_at, source, trace_id
    from days_at($1::bigint[], $2::text[], $3::int[])
  ), stored as (
    insert into reading_profile as t (meter_id, profile, day, period_s, lead_s, present, status, ${channelList}, read_at, source, trace_id)
    select meter_id, profile, day, period_s, lead_s, present, status, ${channelList}, read_at, source, trace_id
    from ${STAGE_PROFILE} order by meter_id, profile, day
    on conflict (meter_id, profile, day) do update set
      period_s = case when (t.period_s, t.lead_s) = (excluded.period_s, excluded.lead_s) then t.period_s end,
      ${SLOTS.map((column) => `${column} = ${merged(column)}`).join(', ')},
      present = cardinality(array_remove(${merged('status')}, null)),
      read_at = excluded.read_at, source = excluded.source, trace_id = coalesce(excluded.trace_id, t.trace_id)
    where (t.period_s, t.lead_s) <> (excluded.period_s, excluded.lead_s)
      or (${SLOTS.map((column) => `t.${column}`).join(', ')}) is distinct from (${SLOTS.map(merged).join(', ')})
    returning meter_id, profile, day, present
  ), corrected as (
    insert into reading_correction (${CORRECTION})
    select meter_id, profile, (day::timestamp at time zone 'UTC') + make_interval(secs => s.lead_s + (slot - 1) * s.period_s), channel, former, value,
      old.read_at, old.source, old.trace_id, s.source, s.trace_id
    from stored join old using (meter_id, profile, day) join ${STAGE_PROFILE} s using (meter_id, profile, day)
    cross join lateral (values ${SLOTS.map((column) => `('${column}', old.${column}::bigint[], s.${column}::bigint[])`).join(', ')}) as c (channel, formers, fresh)
    cross join lateral unnest(c.formers, c.fresh) with ordinality as u (former, value, slot)
    where ${OVERLAPS} and former <> value
    returning meter_id, profile
  )
  select meter_id, profile, day - date '1970-01-01' as day, old.status as before,
    exists (select from corrected c where c.meter_id = stored.meter_id and c.profile = stored.profile) as "isCorrected"
  from stored left join old using (meter_id, profile, day)`;

/** Parameters: arrays with one entry per reading for meter, profile, trace and task. Only corrections of this transaction get their task. */
export const NAME_CORRECTORS = `
  update reading_correction c set task_id = n.task_id
  from unnest($1::bigint[], $2::text[], $3::uuid[], $4::bigint[]) as n (meter_id, profile, trace_id, task_id)
  where c.meter_id = n.meter_id and c.profile = n.profile and c.trace_id is not distinct from n.trace_id and c.replaced_at = now()`;

/** Parameters: arrays with one entry per DCU, profile and day for DCU id, profile, start of the 24 hours, captures per hour. */
export const COUNT_ARRIVALS = `
  insert into arrival_day as c (dcu_id, profile, begins, got)
  select dcu_id, profile, begins, got::int[] from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[]) as n (dcu_id, profile, begins, got)
  order by dcu_id, profile, begins
  on conflict (dcu_id, profile, begins) do update set got = add_counts(c.got, excluded.got)`;

const dailySame = ['read_at', 'source', 'status_word', 'device_time', 'trace_id'];
const DAILY_VALUES = [...registerColumns, 'status_word'];
const kept = (column: string) => `coalesce(excluded.${column}, t.${column})`;

/** Registers are staged in tenths of a watt-hour, which keeps kWh exact. `old` is materialized as in `MERGE_PROFILE`. $1 is the utility's time zone, for the start of its day. */
export const MERGE_DAILY = `
  with old as materialized (
    select s.meter_id, s.freeze_date, ${DAILY_VALUES.map((column) => `t.${column}`).join(', ')}, t.read_at, t.source, t.trace_id
    from ${STAGE_DAILY} s join reading_daily t using (meter_id, freeze_date)
  ), stored as (
    insert into reading_daily as t (meter_id, freeze_date, quality, ${dailySame.join(', ')}, ${registerList})
    select meter_id, freeze_date, 'read', ${dailySame.join(', ')}, ${registerColumns.map((column) => `${column}::numeric / 10000`).join(', ')}
    from ${STAGE_DAILY} order by meter_id, freeze_date
    on conflict (meter_id, freeze_date) do update set
      ${DAILY_VALUES.map((column) => `${column} = ${kept(column)}`).join(', ')},
      quality = 'read', read_at = excluded.read_at, source = excluded.source,
      device_time = excluded.device_time, trace_id = coalesce(excluded.trace_id, t.trace_id)
    where (${DAILY_VALUES.map((column) => `t.${column}`).join(', ')}) is distinct from (${DAILY_VALUES.map(kept).join(', ')})
    returning meter_id, freeze_date
  ), corrected as (
    insert into reading_correction (${CORRECTION})
    select meter_id, 'daily', freeze_date::timestamp at time zone $1, channel, former, value, old.read_at, old.source, old.trace_id, s.source, s.trace_id
    from stored join old using (meter_id, freeze_date) join ${STAGE_DAILY} s using (meter_id, freeze_date)
    cross join lateral (values ${registerColumns.map((column) => `('${column}', old.${column}, s.${column}::numeric / 10000)`).join(', ')},
      ('status_word', old.status_word, s.status_word)) as c (channel, former, value)
    where former <> value
    returning meter_id
  ), gained as (
    select s.dcu_id, ${startOfLocalDay('stored.freeze_date', '$1')} as at, count(*)::int as got
    from stored
    join ${STAGE_DAILY} s using (meter_id, freeze_date)
    left join old using (meter_id, freeze_date)
    where old.meter_id is null
    group by s.dcu_id, stored.freeze_date
  ), counted as (
    insert into arrival_day as c (dcu_id, profile, begins, got)
    select dcu_id, 'daily', at - hour_of_day(at) * interval '1 hour',
      array_fill(0, array[hour_of_day(at)]) || got || array_fill(0, array[23 - hour_of_day(at)])
    from gained order by dcu_id, at
    on conflict (dcu_id, profile, begins) do update set got = add_counts(c.got, excluded.got)
  )
  select (select coalesce(sum(got), 0)::int from gained) as fresh, (select array_agg(distinct meter_id)::text[] from corrected) as corrected,
    (select array_agg(meter_id || '/' || (freeze_date - date '1970-01-01')) from stored) as written`;

/** Parameters: arrays with one entry per meter for id, freeze date, E+, E−, stamp of the newest interval, its power and voltage, values. */
export const MERGE_LATEST = `
  insert into meter_latest as t (meter_id, freeze_date, e_plus, e_minus, lpa_at, p_avg_plus_w, u1_mv, values, updated_at)
  select n.*, now() from unnest($1::bigint[], $2::date[], $3::numeric[], $4::numeric[], $5::timestamptz[], $6::int[], $7::int[], $8::jsonb[]) as n (meter_id, freeze_date, e_plus, e_minus, lpa_at, p, u, v)
  order by meter_id
  on conflict (meter_id) do update set
    e_plus = case when excluded.freeze_date >= coalesce(t.freeze_date, excluded.freeze_date) then excluded.e_plus else t.e_plus end,
    e_minus = case when excluded.freeze_date >= coalesce(t.freeze_date, excluded.freeze_date) then excluded.e_minus else t.e_minus end,
    freeze_date = greatest(t.freeze_date, excluded.freeze_date),
    p_avg_plus_w = case when excluded.p_avg_plus_w is not null and excluded.lpa_at >= coalesce(t.lpa_at, excluded.lpa_at) then excluded.p_avg_plus_w else t.p_avg_plus_w end,
    u1_mv = case when excluded.u1_mv is not null then excluded.u1_mv else t.u1_mv end,
    lpa_at = greatest(t.lpa_at, excluded.lpa_at),
    values = case when excluded.values = '{}' then t.values else t.values || excluded.values end,
    updated_at = excluded.updated_at`;
