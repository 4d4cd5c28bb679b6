import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { anomalyType, type AnomalyType } from '@hes/contract/states/anomaly.ts';
import type { BindState, DispatchState } from '@hes/contract/states/archive.ts';
import { HEAD_END_NAME, type EventLog } from '@hes/contract/states/event.ts';
import { signalStrength, type SignalStrength } from '@hes/contract/states/signal.ts';
import { sql } from 'kysely';
import { findSignalLimits, signalClass } from '#features/archive/port.ts';
import { RESPONSE_TIME, RUN_RECORDED_EVERY } from '#db/dcu-presence.ts';
import { hoursTable } from '#db/local-day.ts';
import { DAY, lossKwhOf, lossPercentOf } from '#db/loss-percent.ts';
import { iso } from '#db/paging.ts';
import { dcuUnder, meterUnder, visible } from '#db/scope.ts';
import type { Db, User } from '#db/context.ts';
import type { Span } from './span.ts';

type Node = NodeKey | undefined;

const LATEST = 10;
const WORST = 10;

const zeros = <K extends string>(keys: readonly K[]): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>; // as: an entry for each of these keys

const eventsOf = (user: User, node: Node, span: Span) => sql`
  from event left join dcu on dcu.id = event.dcu_id left join meter on meter.id = event.meter_id
  left join transformer on transformer.id = coalesce(meter.transformer_id, dcu.transformer_id)
  where event.abnormal_level is not null and not event.is_muted
    and event.occur_at >= ${span.since} and event.occur_at <= ${span.until}
    and ${visible('transformer.id', user)}
    and case when meter.id is null then ${dcuUnder(node)} else ${meterUnder(node)} end`;

export async function recentEvents(db: Db, user: User, node: Node, span: Span) {
  const [hours, latest] = await Promise.all([
    sql<{ at: Date; serious: number; warning: number }>`
      with found as (select event.occur_at, event.abnormal_level ${eventsOf(user, node, span)})
      select hour as at, count(found.*) filter (where abnormal_level = 'serious')::int as serious,
        count(found.*) filter (where abnormal_level = 'warning')::int as warning
      from ${hoursTable(span.hours)} as h (hour, ends) left join found on found.occur_at >= hour and found.occur_at < ends
      group by hour order by hour`.execute(db),
    sql<{
      id: string;
      occurAt: Date;
      level: 'serious' | 'warning';
      log: EventLog;
      code: number;
      nameEn: string | null;
      nameZh: string | null;
      sn: string;
      transformerName: string | null;
    }>`
      with found as (
        select event.id, event.occur_at, event.abnormal_level as level, event.log, event.code, coalesce(meter.sn, dcu.sn, ${HEAD_END_NAME}) as sn,
          transformer.name as transformer_name
        ${eventsOf(user, node, span)} order by event.occur_at desc, event.id desc limit ${LATEST}
      )
      select found.*, event_code.name_en, event_code.name_zh from found
      left join event_code on event_code.log = found.log and event_code.code = found.code
      order by found.occur_at desc, found.id desc`.execute(db),
  ]);
  const sum = (level: 'serious' | 'warning') => hours.rows.reduce((all, row) => all + row[level], 0);
  return {
    serious: sum('serious'),
    warning: sum('warning'),
    hours: hours.rows.map((row) => ({ ...row, at: iso(row.at) })),
    latest: latest.rows.map((row) => ({ ...row, occurAt: iso(row.occurAt) })),
  };
}

const COMBINATIONS = (['bound', 'not_bound'] as const).flatMap((bind) =>
  (['distributed', 'not_distributed'] as const).map((dispatch) => ({ bind, dispatch })),
);

export async function archivesToDo(db: Db, user: User, node: Node) {
  const { rows } = await sql<{ bind: BindState; dispatch: DispatchState; count: number }>`
    select archive_record.bind_state as bind, archive_record.dispatch_state as dispatch, count(*)::int as count
    from archive_record join dcu on dcu.id = archive_record.dcu_id
    where ${visible('dcu.transformerId', user)} and ${dcuUnder(node)} group by 1, 2`.execute(db);
  const countOf = (bind: BindState, dispatch: DispatchState) =>
    rows.find((row) => row.bind === bind && row.dispatch === dispatch)?.count ?? 0;
  return COMBINATIONS.map((pair) => ({ ...pair, count: countOf(pair.bind, pair.dispatch) }));
}

/** Stations of the last topology readings. A removed station has no signal. */
export async function signalDistribution(db: Db, user: User, node: Node): Promise<Record<SignalStrength, number>> {
  const [limits, { rows }] = await Promise.all([
    findSignalLimits(db),
    sql<{ link: string; value: number | null; count: number }>`
      select station.link, case when station.is_online then station.signal_value end as value, count(*)::int as count
      from topology_node as station join dcu on dcu.id = station.dcu_id
      where station.role <> 'cco' and ${visible('dcu.transformerId', user)} and ${dcuUnder(node)} group by 1, 2`.execute(db),
  ]);
  const bySignal = zeros(signalStrength.options);
  for (const { link, value, count } of rows) bySignal[signalClass(limits, link, value)] += count;
  return bySignal;
}

/** Counts of a day. A meter with a daily freeze and without an anomaly is normal. */
export async function anomaliesOf(db: Db, user: User, node: Node, date: string | undefined) {
  const byType = zeros(anomalyType.options);
  const mine = sql`meter on meter.id = anomaly.meter_id and ${visible('meter.transformerId', user)} and ${meterUnder(node)}`;
  const last = await sql<{ day: string | null }>`
    select max(day)::text as day from energy_balance where day = coalesce(${date ?? null}::date, day)`.execute(db);
  const day = last.rows[0]?.day ?? null;
  if (day === null) return { day, byType };
  const [found, data] = await Promise.all([
    sql<{ type: AnomalyType; count: number }>`
      select anomaly.type, count(*)::int as count from anomaly join ${mine}
      where anomaly.day = ${day}::date and anomaly.state <> 'dismissed' group by 1`.execute(db),
    sql<{ count: number }>`
      select count(*)::int as count from meter
      where not meter.is_master and meter.inventory_state = 'active' and ${visible('meter.transformerId', user)} and ${meterUnder(node)}`.execute(
      db,
    ),
  ]);
  for (const { type, count } of found.rows) byType[type] = count;
  const abnormal = found.rows.reduce((sum, { count }) => sum + count, 0);
  byType.normal = Math.max(0, (data.rows[0]?.count ?? 0) - abnormal);
  return { day, byType };
}

export async function worstLosses(db: Db, user: User, node: Node, date: string | undefined) {
  const under =
    node === undefined
      ? sql<boolean>`true`
      : sql<boolean>`exists (select from meter where meter.transformer_id = transformer.id and ${meterUnder(node)})`;
  const { rows } = await sql<{ transformerId: string; name: string; day: string; lossKwh: number; lossPercent: number }>`
    select transformer.id as transformer_id, transformer.name, balance.day::text as day,
      ${lossKwhOf(DAY)} as loss_kwh, ${lossPercentOf(DAY)} as loss_percent
    from energy_balance as balance join transformer on transformer.id = balance.transformer_id
    where balance.day = coalesce(${date ?? null}::date, (select max(day) from energy_balance where supply_kwh > 0)) and balance.supply_kwh > 0
      and ${lossKwhOf(DAY)} is not null
      and ${visible('transformer.id', user)} and ${under}
    order by loss_percent desc, transformer.name limit ${WORST}`.execute(db);
  return rows;
}

/**
 * Samples every ten minutes and at the end of the span. A sample covers the DCUs whose online state is known;
 * an hour without any has no figures, because the head-end was down or no DCU was registered.
 */
export async function availability(db: Db, user: User, node: Node, span: Span) {
  const { rows } = await sql<{ at: Date; mean: number | null; max: number | null; percent: number | null; total: number }>`
    with mine as (
      select dcu.id, dcu.created_at, ${RESPONSE_TIME} as response_time
      from dcu join dcu_type on dcu_type.id = dcu.dcu_type_id where ${visible('dcu.transformerId', user)} and ${dcuUnder(node)}
    ), moments as (
      select hour, moment from ${hoursTable(span.hours)} as h (hour, ends)
      cross join lateral generate_series(hour, ends - interval '1 second', interval '10 minutes') as moment where moment <= ${span.until}
      union select hour, ${span.until}::timestamptz from ${hoursTable(span.hours.slice(-1))} as last (hour, ends)
    ), seen as (
      select hour, moment, session.dcu_id, true as is_online from moments
      join dcu_session as session on session.identified_at <= moment and coalesce(session.closed_at > moment, true) and session.dcu_id in (select id from mine)
      union all
      select hour, moment, mine.id, false from moments
      join node as run on run.started_at <= moment and run.alive_at >= least(moment, now() - ${RUN_RECORDED_EVERY})
      join mine on greatest(run.started_at, mine.created_at) + mine.response_time <= moment
    ), dcus as (
      select hour, moment, dcu_id, bool_or(is_online) as is_online from seen group by 1, 2, 3
    ), samples as (
      select hour, count(*) filter (where is_online)::int as online, count(*)::int as known from dcus group by hour, moment
    )
    select hours.hour as at, avg(online)::float8 as mean, max(online) as max, 100 * sum(online)::float8 / sum(known) as percent,
      (select count(*)::int from mine) as total
    from ${hoursTable(span.hours)} as hours (hour, ends) left join samples using (hour) group by hours.hour order by hours.hour`.execute(
    db,
  );
  return { total: rows[0]?.total ?? 0, hours: rows.map(({ at, mean, max, percent }) => ({ at: iso(at), mean, max, percent })) };
}
