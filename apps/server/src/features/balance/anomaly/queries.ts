import type { AnomalyFilters, AnomalyRow } from '@hes/contract/analysis/anomaly.ts';
import { anomalyType, type AnomalyType } from '@hes/contract/states/anomaly.ts';
import type { AnomalyState } from '@hes/contract/states/bill.ts';
import { sql, type RawBuilder } from 'kysely';
import { containing, countUpTo, isoOrNull, orderOf, type PageQuery } from '#db/paging.ts';
import { meterUnder, visible } from '#db/scope.ts';
import { takeRows } from '#db/export-cursor.ts';
import type { Db, Tx, User } from '#db/context.ts';

/** Anomalies from the most to the least serious. */
const PRIORITY = [
  'reverse_electricity',
  'upper_limit',
  'lower_limit',
  'sudden_increase',
  'sudden_decrease',
] as const satisfies AnomalyType[];
const rank = sql`array_position(${sql.val([...PRIORITY])}::text[], a.type)`;

/** The most serious undismissed anomaly of a meter in a range of days; `normal` if there is none. */
export const worstAnomaly = (meterId: RawBuilder<unknown>, from: RawBuilder<unknown>, to: RawBuilder<unknown>): RawBuilder<AnomalyType> =>
  sql`coalesce((select a.type from anomaly a where a.meter_id = ${meterId} and a.day between ${from} and ${to} and a.state <> 'dismissed' order by ${rank} limit 1), 'normal')`;

function anomalies(db: Db, user: User, filters: Partial<AnomalyFilters>) {
  let rows = db
    .selectFrom('anomaly')
    .innerJoin('meter', 'meter.id', 'anomaly.meterId')
    .leftJoin('transformer', 'transformer.id', 'meter.transformerId')
    .where(visible('meter.transformerId', user));
  if (filters.from !== undefined) rows = rows.where('anomaly.day', '>=', filters.from);
  if (filters.to !== undefined) rows = rows.where('anomaly.day', '<=', filters.to);
  if (filters.node) rows = rows.where(meterUnder(filters.node));
  if (filters.type) rows = rows.where(sql<boolean>`anomaly.type = any(${[...filters.type]}::text[])`);
  if (filters.state) rows = rows.where(sql<boolean>`anomaly.state = any(${[...filters.state]}::text[])`);
  if (filters.search) {
    const text = containing(filters.search);
    rows = rows.where(
      sql<boolean>`(meter.sn like ${text.toUpperCase()} or meter.customer_name ilike ${text} or meter.customer_no ilike ${text})`,
    );
  }
  return rows;
}

const SORT_COLUMNS = { day: 'anomaly.day', sn: 'meter.sn', value: 'anomaly.valueKwh' } as const;

const select = (rows: ReturnType<typeof anomalies>) =>
  rows
    .leftJoin('appUser', 'appUser.id', 'anomaly.decidedBy')
    .select([
      'anomaly.meterId',
      'meter.sn',
      sql<string | null>`coalesce(meter.customer_name, meter.customer_no)`.as('customerName'),
      'meter.transformerId',
      'transformer.name as transformerName',
      'anomaly.day',
      sql<AnomalyType>`anomaly.type`.as('type'),
      sql<number>`anomaly.value_kwh::float8`.as('value'),
      sql<number>`anomaly.reference_kwh::float8`.as('reference'),
      sql<AnomalyState>`anomaly.state`.as('state'),
      'anomaly.reason',
      'appUser.name as decidedByName',
      'anomaly.decidedAt',
      'anomaly.version',
    ]);

const toRow = <Row extends { decidedAt: Date | null }>(row: Row) => ({ ...row, decidedAt: isoOrNull(row.decidedAt) });

export async function listAnomalies(db: Db, user: User, query: PageQuery & AnomalyFilters) {
  const rows = anomalies(db, user, query);
  const { column, direction } = orderOf<(typeof SORT_COLUMNS)[keyof typeof SORT_COLUMNS]>(
    query.sort ?? 'day,desc',
    SORT_COLUMNS,
    'anomaly.day',
  );
  const [found, counted] = await Promise.all([
    takeRows(db, select(rows).orderBy(column, direction).orderBy('meter.sn').orderBy('anomaly.day', 'desc'), ['meterId', 'day'], query),
    countUpTo(db, rows.select('anomaly.meterId')),
  ]);
  return { items: found.map((row): AnomalyRow => toRow(row)), ...counted, page: query.page, size: query.size };
}

export async function findAnomaly(db: Db, user: User, key: { meterId: string; day: string }): Promise<AnomalyRow | undefined> {
  const row = await select(anomalies(db, user, {}))
    .where('anomaly.meterId', '=', key.meterId)
    .where('anomaly.day', '=', key.day)
    .executeTakeFirst();
  return row && toRow(row);
}

/** Counts every customer's meter once, by its most serious anomaly. */
export async function summariseAnomalies(db: Db, user: User, filters: Omit<AnomalyFilters, 'type'>) {
  const meters = db
    .selectFrom('meter')
    .where('meter.inventoryState', '=', 'active')
    .where('meter.isMaster', '=', false)
    .where(visible('meter.transformerId', user))
    .where(meterUnder(filters.node));
  const rows = anomalies(db, user, filters);
  const [all, found, open] = await Promise.all([
    meters.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
    sql<{ type: AnomalyType; count: number }>`
      select type, count(*)::int as count from (
        select distinct on (a.meter_id) a.meter_id, a.type from (${rows.where('anomaly.state', '<>', 'dismissed').select(['anomaly.meterId', 'anomaly.type'])}) a
        order by a.meter_id, ${rank}
      ) worst group by type`.execute(db),
    rows
      .where('anomaly.state', '=', 'found')
      .select(sql<number>`count(*)::int`.as('count'))
      .executeTakeFirstOrThrow(),
  ]);
  const byType = Object.fromEntries(anomalyType.options.map((type) => [type, 0])) as Record<AnomalyType, number>; // as: every option is a key
  for (const { type, count } of found.rows) byType[type] = count;
  byType.normal = Math.max(0, all.count - found.rows.reduce((sum, { count }) => sum + count, 0));
  return { byType, undecided: open.count };
}

/** Stores a decision unless the anomaly changed since `version`; returns whether it did. An empty reason is stored as null. */
export async function decideAnomaly(
  tx: Tx,
  decision: { meterId: string; day: string; state: AnomalyState; reason: string; version: number },
  userId: string,
  now: Date,
): Promise<boolean> {
  const { meterId, day, state, reason, version } = decision;
  const changed = await sql`
    update anomaly set state = ${state}, reason = ${reason === '' ? null : reason}, decided_by = ${userId}, decided_at = ${now}, version = version + 1
    where meter_id = ${meterId} and day = ${day} and version = ${version}`.execute(tx);
  return changed.numAffectedRows === 1n;
}
