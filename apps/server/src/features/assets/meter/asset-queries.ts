import type { AssetDetail, AssetRow, ReplacementRow, FrozenRegisters } from '@hes/contract/asset/meter.ts';
import type { StoredKeys } from '@hes/contract/asset/device.ts';
import { inventoryState, type InventoryState } from '@hes/contract/states/device.ts';
import { sql } from 'kysely';
import { localDayBegins } from '#db/local-day.ts';
import { countFleetWithin } from '#db/fleet-count.ts';
import { countUpTo, iso, isoOrNull, numberOrNull, pageAfter, type CursoredQuery } from '#db/paging.ts';
import { registersOf } from '#db/registers.ts';
import type { Db, User } from '#db/context.ts';
import { meters, pageOfMeters, toRow, withColumns, type MeterFilter } from './queries.ts';

const RATE_DAYS = 30;

/** A column of the meter's archive record: the bound record, otherwise the newest. */
const record = <T>(column: 'bind_state' | 'dispatch_state' | 'distribution_state') =>
  sql<T | null>`(select a.${sql.ref(column)} from archive_record a where a.meter_id = meter.id order by (a.bind_state = 'bound') desc, a.id desc limit 1)`;

/**
 * Percentage of the daily freezes of the last `RATE_DAYS` days that were received, since the installation or the oldest stored freeze: readings
 * are older than the record of a meter whose history was loaded. After a removal only the new installation counts. Today's freeze counts.
 */
const readRate = sql<string | null>`(
  select round(100.0 * stored.freezes / nullif(least(${sql.lit(RATE_DAYS)}, greatest(own.days, current_date - stored.first + 1)), 0), 1)
  from (select current_date - coalesce(meter.installed_at, meter.created_at)::date as days,
    exists (select from meter_exchange x where x.old_meter_id = meter.id) as was_removed) own
  cross join lateral (
    select count(*) as freezes, min(r.freeze_date) as first
    from freezes_of(meter.id, current_date - case when own.was_removed then least(${sql.lit(RATE_DAYS)}, own.days) else ${sql.lit(RATE_DAYS)} end + 1, current_date) r
  ) stored
  where meter.inventory_state <> 'in_warehouse')`;

/** The connection of a direct meter. */
const connection = sql<
  AssetRow['connection']
>`(select jsonb_build_object('connectionType', e.connection_type, 'host', e.host, 'port', e.port, 'protocol', e.protocol, 'physicalAddress', e.physical_address,
  'onlineStatus', e.online_status) from endpoint e where e.id = meter.dcu_id and e.kind = 'meter')`;

const withAssetColumns = (rows: ReturnType<typeof meters>) =>
  withColumns(rows).select([
    record<NonNullable<AssetRow['bindState']>>('bind_state').as('bindState'),
    record<NonNullable<AssetRow['dispatchState']>>('dispatch_state').as('dispatchState'),
    record<NonNullable<AssetRow['distributionState']>>('distribution_state').as('distributionState'),
    connection.as('connection'),
    sql<string | null>`(select l.freeze_date::text from latest_of(meter.id) l)`.as('dailyFreezeDate'),
    readRate.as('readRate30d'),
    'meter.version',
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withAssetColumns>['execute']>>[number];

const toAsset = (row: Selected): AssetRow => ({
  ...toRow(row),
  bindState: row.bindState,
  dispatchState: row.dispatchState,
  distributionState: row.distributionState,
  connection: row.connection,
  dailyFreezeDate: row.dailyFreezeDate,
  readRate30d: numberOrNull(row.readRate30d),
  version: row.version,
});

/** The meter with this serial number, if it is in the user's area. */
export const findIdBySn = (db: Db, user: User, sn: string) =>
  meters(db, user, {}).where('meter.sn', '=', sn).select(['meter.id', 'meter.version']).executeTakeFirst();

export async function listAssets(db: Db, user: User, query: CursoredQuery & MeterFilter) {
  const { after, size } = query;
  if (after !== undefined && query.cursor === undefined) {
    const ids = meters(db, user, query).where('meter.id', '>', after).orderBy('meter.id').limit(size).select('meter.id');
    const found = await withAssetColumns(meters(db, user, {}).where('meter.id', 'in', ids))
      .orderBy('meter.id')
      .execute();
    return pageAfter(found.map(toAsset), { after, size });
  }
  const ofPage = await pageOfMeters(db, user, query);
  const [items, counted] = await Promise.all([
    withAssetColumns(ofPage(meters(db, user, {}))).execute(),
    countUpTo(db, meters(db, user, query).select('meter.id')),
  ]);
  return { items: items.map(toAsset), ...counted, page: query.page, size: query.size, next: null };
}

/** Rows of the fleet count, or undefined if the filter has a condition that the fleet count does not have as a column. */
async function countedFleet(db: Db, user: User, { node, freshness, communicationMode, ...rest }: MeterFilter) {
  if (Object.values(rest).some((value) => value !== undefined && value !== '')) return undefined;
  const rows = await countFleetWithin(db, user, node);
  return rows?.filter(
    (row) => (freshness?.includes(row.freshness) ?? true) && (communicationMode?.includes(row.communicationMode) ?? true),
  );
}

/** Number of meters by inventory state, exact up to `COUNT_LIMIT` or by the fleet count. */
export async function countInventory(db: Db, user: User, { inventoryState: _own, ...filter }: MeterFilter) {
  const byState: Record<InventoryState, number> = { in_warehouse: 0, installed: 0, active: 0 };
  let totalIsExact = true;
  const fleet = await countedFleet(db, user, filter);
  if (fleet !== undefined) for (const row of fleet) byState[row.inventoryState] += row.meters;
  else
    await Promise.all(
      inventoryState.options.map(async (state) => {
        const counted = await countUpTo(db, meters(db, user, { ...filter, inventoryState: [state] }).select('meter.id'));
        byState[state] = counted.total;
        totalIsExact &&= counted.totalIsExact;
      }),
    );
  return { total: Object.values(byState).reduce((sum, count) => sum + count, 0), totalIsExact, inventoryState: byState };
}

export async function findMeterOptions(db: Db) {
  const types = await db
    .selectFrom('meterType')
    .innerJoin('supplier', 'supplier.id', 'meterType.supplierId')
    .where('meterType.enabled', '=', true)
    .select([
      'meterType.id',
      'meterType.code',
      'meterType.name',
      'supplier.name as supplierName',
      'meterType.phase',
      'meterType.accuracy',
      'meterType.voltage',
      'meterType.current',
    ])
    .orderBy('meterType.name')
    .execute();
  const suppliers = await db.selectFrom('supplier').select(['id', 'name']).orderBy('name').execute();
  return { types, suppliers };
}

export interface Within {
  notBefore?: string | undefined;
  notAfter?: string | undefined;
}

/** The time of a daily freeze is the midnight at the start of its day. */
export async function findShown(db: Db, meterId: string, { notBefore, notAfter }: Within, zone: string): Promise<FrozenRegisters | null> {
  const { rows } = await sql<{ at: Date; registers: number[] }>`
    select ${localDayBegins(sql`r.freeze_date`, zone)} as at, registers(r)::float8[] as registers from freezes_of(${meterId}::bigint,
      coalesce((${notBefore ?? null}::timestamptz at time zone ${zone} + interval '1 day -1 microsecond')::date, '-infinity'),
      coalesce((${notAfter ?? null}::timestamptz at time zone ${zone})::date, 'infinity')) r
    where r.quality not in ('estimated', 'invalid') and r.e_plus is not null
    order by r.freeze_date desc limit 1`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { plus, ...others } = registersOf(row.registers);
  return { at: iso(row.at), plus: plus ?? 0, others };
}

async function findReplacements(db: Db, meterId: string): Promise<ReplacementRow[]> {
  const rows = await db
    .selectFrom('meterExchange')
    .innerJoin('meter as gone', 'gone.id', 'meterExchange.oldMeterId')
    .leftJoin('meter as come', 'come.id', 'meterExchange.newMeterId')
    .leftJoin('transformer', 'transformer.id', 'meterExchange.transformerId')
    .leftJoin('appUser', 'appUser.id', 'meterExchange.userId')
    .where((where) => where.or([where('meterExchange.oldMeterId', '=', meterId), where('meterExchange.newMeterId', '=', meterId)]))
    .select([
      'meterExchange.id',
      'meterExchange.at',
      'gone.id as oldMeterId',
      'gone.sn as oldSn',
      'meterExchange.newMeterId',
      'come.sn as newSn',
      sql<(number | null)[] | null>`meter_exchange.final_registers::float8[]`.as('finalRegisters'),
      sql<(number | null)[] | null>`meter_exchange.initial_registers::float8[]`.as('initialRegisters'),
      'transformer.name as transformerName',
      'meterExchange.customerNo',
      'meterExchange.note',
      'appUser.name as byName',
      sql<boolean>`exists (select from meter_exchange_photo p where p.exchange_id = meter_exchange.id)`.as('hasPhoto'),
    ])
    .orderBy('meterExchange.at', 'desc')
    .limit(50)
    .execute();
  return rows.map(({ finalRegisters, initialRegisters, ...row }) => {
    const [{ plus: finalKwh, ...final }, { plus: initialKwh, ...initial }] = [registersOf(finalRegisters), registersOf(initialRegisters)];
    return { ...row, at: iso(row.at), finalKwh, initialKwh, final, initial };
  });
}

/** How a meter came where it is, if there was none before; null without a record. */
async function findInstallation(db: Db, meterId: string): Promise<AssetDetail['installation']> {
  const row = await db
    .selectFrom('meterExchange')
    .leftJoin('appUser', 'appUser.id', 'meterExchange.userId')
    .where('meterExchange.newMeterId', '=', meterId)
    .where('meterExchange.oldMeterId', 'is', null)
    .select([
      'meterExchange.id',
      'meterExchange.at',
      'meterExchange.note',
      'appUser.name as byName',
      sql<number | null>`meter_exchange.initial_registers[1]::float8`.as('initialKwh'),
      sql<boolean>`exists (select from meter_exchange_photo p where p.exchange_id = meter_exchange.id)`.as('hasPhoto'),
    ])
    .orderBy('meterExchange.at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, at: iso(row.at) };
}

/** One meter as an asset, or undefined if the user's area has none with this id. */
export async function findAsset(db: Db, user: User, id: string): Promise<AssetDetail | undefined> {
  const row = await withAssetColumns(meters(db, user, {}))
    .leftJoin('networkLevel', 'networkLevel.id', 'transformer.levelId')
    .where('meter.id', '=', id)
    .select([
      'meterType.accuracy as typeAccuracy',
      'meterType.voltage as typeVoltage',
      'meterType.current as typeCurrent',
      'meterType.phase as typePhase',
      'meter.accuracy as ownAccuracy',
      'meter.voltage as ownVoltage',
      'meter.current as ownCurrent',
      'meter.phase as ownPhase',
      'networkLevel.name as levelName',
      'meter.longitude',
      'meter.latitude',
      'meter.systemTitle',
      sql<StoredKeys>`jsonb_build_object('password', meter.password_secret is not null, 'masterKey', meter.master_key_secret is not null,
        'ek', meter.ek_secret is not null, 'ak', meter.ak_secret is not null)`.as('keys'),
      'meter.note',
      'meter.installedAt',
      'meter.removedAt',
      'meter.createdAt',
    ])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { ownAccuracy, ownVoltage, ownCurrent, ownPhase, typeAccuracy, typeVoltage, typeCurrent, typePhase } = row;
  return {
    ...toAsset(row),
    typeAccuracy,
    typeVoltage,
    typeCurrent,
    typePhase,
    own: { accuracy: ownAccuracy, voltage: ownVoltage, current: ownCurrent, phase: ownPhase },
    levelName: row.levelName,
    longitude: numberOrNull(row.longitude),
    latitude: numberOrNull(row.latitude),
    systemTitle: row.systemTitle?.toString('hex').toUpperCase() ?? null,
    keys: row.keys,
    note: row.note,
    installedAt: isoOrNull(row.installedAt),
    removedAt: isoOrNull(row.removedAt),
    createdAt: iso(row.createdAt),
    installation: await findInstallation(db, id),
    replacements: await findReplacements(db, id),
  };
}
