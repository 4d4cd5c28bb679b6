import { nodeOf } from '@hes/contract/asset/tree.ts';
import type { OpenOrder } from '@hes/contract/action/device-order.ts';
import { HISTOGRAM_EDGES_S, type ClockFilters, type ClockRow } from '@hes/contract/action/clock.ts';
import { clockClassOf, type ClockClass, type ClockMethod } from '@hes/contract/states/clock.ts';
import { SETTINGS, type SettingValues } from '@hes/contract/setting/settings.ts';
import { ORDERS } from '@hes/contract/orders/every-order.ts';
import { sql, type RawBuilder } from 'kysely';
import { openOrderOf } from '#db/open-order.ts';
import { containing, countUpTo, isoOrNull, orderOf, type PageQuery } from '#db/paging.ts';
import { visible } from '#db/scope.ts';
import { findSetting } from '#db/settings.ts';
import { takeRows } from '#db/export-cursor.ts';
import type { Db, User } from '#db/context.ts';

export type Limits = Pick<SettingValues['thresholds'], 'clockFineS' | 'clockAdjustS' | 'clockSetS'>;

/** A stored setting that no longer matches the schema is ignored. */
async function findLimits(db: Db): Promise<Limits> {
  const parsed = SETTINGS.thresholds.schema.safeParse(await findSetting(db, 'thresholds'));
  return parsed.success ? parsed.data : SETTINGS.thresholds.value;
}

const DEVICES = sql<{
  kind: 'dcu' | 'meter';
  id: string;
  sn: string;
  dcuId: string | null;
  transformerId: string | null;
}>`(
  select 'dcu' as kind, id, sn, id as dcu_id, transformer_id from dcu
  union all
  select 'meter', id, sn, dcu_id, transformer_id from meter where inventory_state <> 'in_warehouse'
)`;

/** The classes of `clockClassOf` in SQL, for counting. */
const classIn = ({ clockFineS, clockAdjustS, clockSetS }: Limits): RawBuilder<ClockClass> => sql`case
  when device_clock.read_at is null then 'unknown'
  when device_clock.deviation_ms is null or coalesce(device_clock.status, 0) & 9 <> 0 then 'invalid'
  when abs(device_clock.deviation_ms) <= ${clockFineS * 1000}::bigint then 'fine'
  when abs(device_clock.deviation_ms) <= ${clockAdjustS * 1000}::bigint then 'adjust'
  when abs(device_clock.deviation_ms) <= ${clockSetS * 1000}::bigint then 'set'
  else 'confirm' end`;

function under(key: NonNullable<ClockFilters['node']>): RawBuilder<boolean> {
  const { kind, id } = nodeOf(key);
  if (kind === 'meter') return sql<boolean>`(device.kind = 'meter' and device.id = ${id})`;
  if (kind === 'dcu') return sql<boolean>`device.dcu_id = ${id}`;
  if (kind === 'transformer') return sql<boolean>`device.transformer_id = ${id}`;
  return sql<boolean>`exists (select from network_level l where l.id = transformer.level_id and l.path @> array[${id}::bigint])`;
}

function clocks(db: Db, user: User, filters: ClockFilters, limits: Limits) {
  let rows = db
    .selectFrom(DEVICES.as('device'))
    .leftJoin('transformer', 'transformer.id', 'device.transformerId')
    .leftJoin('dcu', 'dcu.id', 'device.dcuId')
    .leftJoin('deviceClock', (join) =>
      join.onRef('deviceClock.deviceKind', '=', 'device.kind').onRef('deviceClock.deviceId', '=', 'device.id'),
    )
    .where(visible('transformer.id', user));
  if (filters.node) rows = rows.where(under(filters.node));
  if (filters.kind) rows = rows.where('device.kind', '=', filters.kind);
  if (filters.search) rows = rows.where('device.sn', 'like', containing(filters.search).toUpperCase());
  if (filters.class) rows = rows.where(sql<boolean>`${classIn(limits)} = any(${[...filters.class]}::text[])`);
  if (filters.deviationS !== undefined)
    rows = rows.where(sql<boolean>`abs(device_clock.deviation_ms) >= ${filters.deviationS * 1000}::bigint`);
  return rows;
}

const SORT_COLUMNS = {
  sn: 'device.sn',
  readAt: 'deviceClock.readAt',
  deviation: 'deviceClock.deviationMs',
  lastSyncAt: 'deviceClock.lastSyncAt',
} as const;

export async function listClocks(db: Db, user: User, query: PageQuery & ClockFilters) {
  const limits = await findLimits(db);
  const rows = clocks(db, user, query, limits);
  const { column, direction } = orderOf(query.sort, SORT_COLUMNS, 'device.sn');
  // Sorting by deviation uses its magnitude, whether the clock is fast or slow.
  const by = column === 'deviceClock.deviationMs' ? sql`abs(device_clock.deviation_ms)` : sql.ref(column);
  const [items, counted] = await Promise.all([
    takeRows(
      db,
      rows
        .select([
          'device.kind as deviceKind',
          'device.id as deviceId',
          'device.sn',
          'device.dcuId',
          'dcu.sn as dcuSn',
          'transformer.name as transformerName',
          'deviceClock.deviceTime',
          'deviceClock.readAt',
          'deviceClock.deviationMs',
          'deviceClock.roundTripMs',
          'deviceClock.zoneMinutes',
          'deviceClock.status',
          'deviceClock.clockBase',
          'deviceClock.hasDaylightSaving',
          'deviceClock.lastSyncAt',
          'deviceClock.lastSyncMethod',
          'deviceClock.traceId',
          sql<OpenOrder | null>`case device.kind when 'dcu' then ${openOrderOf({ dcu: 'device.id' }, ORDERS.clock_sync.page)}
            else ${openOrderOf({ meter: 'device.id' }, ORDERS.clock_sync.page)} end`.as('openOrder'),
        ])
        .orderBy(by, (order) => (direction === 'desc' ? order.desc().nullsLast() : order.asc().nullsLast()))
        .orderBy('device.kind')
        .orderBy('device.id'),
      ['deviceId', 'deviceKind'],
      query,
    ),
    countUpTo(db, rows.select('device.id')),
  ]);
  return {
    items: items.map((row): ClockRow => {
      const deviationMs = row.deviationMs === null ? null : Number(row.deviationMs);
      return {
        ...row,
        deviationMs,
        readAt: isoOrNull(row.readAt),
        lastSyncAt: isoOrNull(row.lastSyncAt),
        lastSyncMethod: row.lastSyncMethod as ClockMethod | null, // as: the table's check admits no other
        class: row.readAt === null ? 'unknown' : clockClassOf(deviationMs, row.status, limits),
      };
    }),
    ...counted,
    page: query.page,
    size: query.size,
  };
}

export async function summariseClocks(db: Db, user: User, filters: ClockFilters) {
  const limits = await findLimits(db);
  const rows = clocks(db, user, filters, limits);
  const edges = HISTOGRAM_EDGES_S.map((seconds) => seconds * 1000);
  const [classes, bars] = await Promise.all([
    rows
      .select([classIn(limits).as('class'), sql<number>`count(*)::int`.as('count')])
      .groupBy(sql`1`)
      .execute(),
    rows
      .where('deviceClock.deviationMs', 'is not', null)
      .select([sql<number>`width_bucket(device_clock.deviation_ms, ${edges}::bigint[])`.as('bar'), sql<number>`count(*)::int`.as('count')])
      .groupBy(sql`1`)
      .execute(),
  ]);
  const byClass: Record<ClockClass, number> = { fine: 0, adjust: 0, set: 0, confirm: 0, invalid: 0, unknown: 0 };
  for (const row of classes) byClass[row.class] = row.count;
  const histogram = Array.from({ length: edges.length + 1 }, () => 0);
  for (const { bar, count } of bars) histogram[bar] = count;
  return { total: classes.reduce((sum, row) => sum + row.count, 0), byClass, histogram };
}
