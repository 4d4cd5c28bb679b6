import type { NodeKey } from '@hes/contract/asset/tree.ts';
import type { DcuRow, DcuSessionRow, OnlineHour } from '@hes/contract/asset/dcu.ts';
import type { StoredKeys } from '@hes/contract/asset/device.ts';
import { SECRETS_OF } from '@hes/contract/asset/spoken.ts';
import type { Freshness } from '@hes/contract/states/device.ts';
import { signalOf, type SignalLimits, type SignalStrength } from '@hes/contract/states/signal.ts';
import type { UplinkReading } from '@hes/contract/states/uplink.ts';
import type { LocalHour } from '@hes/contract/schedule/local-day.ts';
import { sql } from 'kysely';
import { findSignalLimits, signalWithin } from '#features/archive/port.ts';
import { presenceSince, secondsIn } from '#db/dcu-presence.ts';
import { hoursTable } from '#db/local-day.ts';
import { containing, countUpTo, iso, isoOrNull, numberOrNull, orderOf, pageAfter, type CursoredQuery } from '#db/paging.ts';
import { dcuUnder, freshnessClass, freshnessIn, visible } from '#db/scope.ts';
import { isTaken } from '#db/export-cursor.ts';
import type { Db, User } from '#db/context.ts';

const SESSIONS_SHOWN = 50;
const ANONYMOUS_SHOWN = 50;

export interface DcuFilter {
  search?: string | undefined;
  node?: NodeKey | undefined;
  onlineStatus?: readonly string[] | undefined;
  freshness?: readonly string[] | undefined;
  connectionType?: readonly string[] | undefined;
  signal?: readonly SignalStrength[] | undefined;
  dcuTypeId?: readonly string[] | undefined;
  supplierId?: readonly string[] | undefined;
}

const SORT_COLUMNS = {
  sn: 'dcu.sn',
  name: 'dcu.name',
  lastCommAt: 'dcu.lastCommAt',
  onlineStatus: 'dcu.onlineStatus',
  transformerName: 'transformer.name',
  signal: 'dcuUplink.signalDbm',
} as const;

function dcus(db: Db, user: User, filter: DcuFilter) {
  let rows = db
    .selectFrom('dcu')
    .innerJoin('dcuType', 'dcuType.id', 'dcu.dcuTypeId')
    .leftJoin('transformer', 'transformer.id', 'dcu.transformerId')
    .leftJoin('dcuUplink', 'dcuUplink.dcuId', 'dcu.id')
    .where(visible('dcu.transformerId', user))
    .where(dcuUnder(filter.node));
  if (filter.search) {
    const like = containing(filter.search);
    rows = rows.where((where) =>
      where.or([where('dcu.sn', 'like', like.toUpperCase()), where('dcu.name', 'ilike', like), where('transformer.name', 'ilike', like)]),
    );
  }
  if (filter.onlineStatus) rows = rows.where(sql<boolean>`dcu.online_status = any(${[...filter.onlineStatus]}::text[])`);
  if (filter.connectionType) rows = rows.where(sql<boolean>`dcu.connection_type = any(${[...filter.connectionType]}::text[])`);
  if (filter.dcuTypeId) rows = rows.where(sql<boolean>`dcu.dcu_type_id = any(${[...filter.dcuTypeId]}::bigint[])`);
  if (filter.supplierId) rows = rows.where(sql<boolean>`dcu_type.supplier_id = any(${[...filter.supplierId]}::bigint[])`);
  return filter.freshness ? rows.where(freshnessIn('dcu.lastCommAt', filter.freshness)) : rows;
}

/** Restricts the rows to DCUs whose modem reports a signal of these classes. */
const hearing = <Q extends ReturnType<typeof dcus>>(rows: Q, classes: readonly SignalStrength[] | undefined, limits: SignalLimits): Q =>
  classes === undefined || classes.length === 0
    ? rows
    : // as: a condition keeps the type of the query
      (rows.where('dcuUplink.hasModem', '=', true).where(signalWithin(sql`dcu_uplink.signal_dbm`, classes, limits)) as Q);

/** Limits for the signal of modems: those of RF modules, because both are in dBm. */
const findUplinkLimits = async (db: Db): Promise<SignalLimits> => (await findSignalLimits(db)).rfRssiDbm;

const LAST_DAY = sql<Date>`now() - interval '24 hours'`;
const lastDay = (ranges: string) => secondsIn(sql.ref(`presence.${ranges}`), sql`tstzrange(${LAST_DAY}, now())`);

/** Percentage of the last 24 hours, of the time for which it is known, that the DCU was online. Null if nothing is known. */
const availability = sql<string | null>`(
  select round((100 * ${lastDay('online')} / nullif(${lastDay('known')}, 0))::numeric, 1) from ${presenceSince(LAST_DAY)} as presence)`;

const uplink = sql<UplinkReading | null>`case when dcu_uplink.dcu_id is not null then jsonb_build_object(
    'readAt', dcu_uplink.read_at, 'hasModem', dcu_uplink.has_modem, 'signalDbm', dcu_uplink.signal_dbm, 'bitErrorStep', dcu_uplink.bit_error_step,
    'operator', dcu_uplink.operator, 'registration', dcu_uplink.registration, 'packetService', dcu_uplink.packet_service,
    'cellId', dcu_uplink.cell_id, 'locationId', dcu_uplink.location_id, 'network', dcu_uplink.network, 'measuredAt', dcu_uplink.measured_at) end`;

const withColumns = (rows: ReturnType<typeof dcus>) =>
  rows.select([
    'dcu.id',
    'dcu.sn',
    'dcu.name',
    'dcu.dcuTypeId',
    'dcuType.name as dcuTypeName',
    'dcu.transformerId',
    'transformer.name as transformerName',
    'dcu.protocol',
    'dcu.communicateType',
    'dcu.connectionType',
    'dcu.host',
    'dcu.port',
    'dcu.authenticationType',
    'dcu.dataChannel',
    'dcu.country',
    'dcu.onlineStatus',
    'dcu.lastCommAt',
    freshnessClass('dcu.lastCommAt').as('freshness'),
    sql<string | null>`(select remote from dcu_session where dcu_session.id = dcu.last_session_id)`.as('remote'),
    'dcu.firmwareVersion',
    sql<number>`(select count(*)::int from meter where meter.dcu_id = dcu.id)`.as('meters'),
    sql<number>`(select count(*)::int from meter where meter.dcu_id = dcu.id and meter.last_comm_at > now() - interval '24 hours')`.as(
      'metersFresh',
    ),
    sql<number | null>`(select s.count from archive_snapshot s where s.dcu_id = dcu.id order by s.taken_at desc limit 1)`.as(
      'archiveEntries',
    ),
    'dcu.clockDeviationS',
    uplink.as('uplink'),
    availability.as('availability24h'),
    sql<string | null>`coalesce(dcu.longitude, transformer.longitude)`.as('longitude'),
    sql<string | null>`coalesce(dcu.latitude, transformer.latitude)`.as('latitude'),
    'dcu.version',
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];

/** ISO 8601 of an instant from a JSON value of the database. */
const isoOfJson = (at: string | null): string | null => at && iso(new Date(at));

const toUplink = ({ readAt, measuredAt, ...told }: UplinkReading): UplinkReading => ({
  ...told,
  readAt: iso(new Date(readAt)),
  measuredAt: isoOfJson(measuredAt),
});

const toRow = (row: Selected, limits: SignalLimits): DcuRow => ({
  ...row,
  uplink: row.uplink && toUplink(row.uplink),
  signal: row.uplink?.hasModem === true ? signalOf(row.uplink.signalDbm, limits) : null,
  // as: CHECK constraints of the table allow the same values as the contract.
  communicateType: row.communicateType as DcuRow['communicateType'],
  lastCommAt: isoOrNull(row.lastCommAt),
  availability24h: numberOrNull(row.availability24h),
  longitude: numberOrNull(row.longitude),
  latitude: numberOrNull(row.latitude),
});

function inOrder<Q extends ReturnType<typeof dcus>>(rows: Q, sort: string | undefined): Q {
  const { column, direction } = orderOf(sort, SORT_COLUMNS, 'dcu.sn');
  // A DCU without any contact sorts as the oldest contact. A DCU without a known signal always sorts last.
  const isUnknownFirst = direction !== 'desc' && column !== SORT_COLUMNS.signal;
  // as: an order keeps the type of the query
  return rows
    .orderBy(column, (order) => {
      const directed = direction === 'desc' ? order.desc() : order.asc();
      return isUnknownFirst ? directed.nullsFirst() : directed.nullsLast();
    })
    .orderBy('dcu.sn', direction) as Q;
}

export async function listDcus(db: Db, user: User, query: CursoredQuery & DcuFilter) {
  const limits = await findUplinkLimits(db);
  const wanted = hearing(dcus(db, user, query), query.signal, limits);
  const { after, size } = query;
  if (after !== undefined && query.cursor === undefined) {
    const ids = wanted.where('dcu.id', '>', after).orderBy('dcu.id').limit(size).select('dcu.id');
    const found = await withColumns(dcus(db, user, {}).where('dcu.id', 'in', ids))
      .orderBy('dcu.id')
      .execute();
    return pageAfter(
      found.map((row) => toRow(row, limits)),
      { after, size },
    );
  }
  // The columns with subqueries are computed for the rows of the page only.
  const isWanted = await isTaken(db, 'dcu.id', inOrder(wanted, query.sort).select('dcu.id'), query);
  const [items, counted] = await Promise.all([
    withColumns(inOrder(dcus(db, user, {}).where(isWanted), query.sort)).execute(),
    countUpTo(db, wanted.select('dcu.id')),
  ]);
  return { items: items.map((row) => toRow(row, limits)), ...counted, page: query.page, size, next: null };
}

/** One DCU with its properties, or undefined if the user's area has none with this id. */
export async function findDcu(db: Db, user: User, id: string) {
  const row = await withColumns(dcus(db, user, {}))
    .leftJoin('networkLevel', 'networkLevel.id', 'transformer.levelId')
    .where('dcu.id', '=', id)
    .select([
      'networkLevel.name as levelName',
      'dcu.systemTitle',
      'dcu.clientSap',
      'dcu.serverSap',
      'dcu.physicalAddress',
      sql<StoredKeys>`jsonb_build_object('password', dcu.password_secret is not null, 'masterKey', dcu.master_key_secret is not null,
        'ek', dcu.ek_secret is not null, 'ak', dcu.ak_secret is not null)`.as('keys'),
      'dcu.simIccid',
      'dcu.apn',
      'dcu.msisdn',
      'dcu.note',
      'dcu.longitude as ownLongitude',
      'dcu.latitude as ownLatitude',
      'dcu.createdAt',
      sql<number>`(select count(*)::int from meter where meter.dcu_id = dcu.id and communication_mode = 'plc')`.as('plcMeters'),
      sql<number>`(select count(*)::int from meter where meter.dcu_id = dcu.id and communication_mode = 'rf')`.as('rfMeters'),
      sql<number>`(select count(*)::int from meter where meter.dcu_id = dcu.id and inventory_state = 'active')`.as('activeMeters'),
    ])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { systemTitle, createdAt, activeMeters, ownLongitude, ownLatitude, ...rest } = row;
  return {
    activeMeters,
    detail: {
      ...rest,
      ...toRow(rest, await findUplinkLimits(db)),
      ownLongitude: numberOrNull(ownLongitude),
      ownLatitude: numberOrNull(ownLatitude),
      systemTitle: systemTitle?.toString('hex').toUpperCase() ?? null,
      hasKeys: SECRETS_OF[rest.authenticationType].every((secret) => rest.keys[secret]),
      createdAt: iso(createdAt),
    },
  };
}

/** Seconds online and seconds with a known state in each of these consecutive hours. */
export async function listOnlineHours(db: Db, dcuId: string, hours: readonly LocalHour[]): Promise<OnlineHour[]> {
  const inHour = (ranges: string) => secondsIn(sql.ref(`presence.${ranges}`), sql`tstzrange(hour, ends)`);
  const since = new Date(hours[0]?.from ?? 0);
  const { rows } = await sql<{ startsAt: Date; onlineSeconds: number; knownSeconds: number }>`
    select hour as starts_at, round(${inHour('online')})::int as online_seconds, round(${inHour('known')})::int as known_seconds
    from dcu join dcu_type on dcu_type.id = dcu.dcu_type_id
    cross join lateral ${presenceSince(sql`${since}::timestamptz`)} as presence
    cross join ${hoursTable(hours)} as h (hour, ends) where dcu.id = ${dcuId} order by hour`.execute(db);
  return rows.map(({ startsAt, ...seconds }) => ({ startsAt: iso(startsAt), ...seconds }));
}

const sessions = (db: Db) =>
  db
    .selectFrom('dcuSession')
    .leftJoin('dcu', 'dcu.id', 'dcuSession.dcuId')
    .select([
      'dcuSession.id',
      'dcuSession.claimedName',
      'dcu.sn as dcuSn',
      'dcuSession.direction',
      'dcuSession.remote',
      'dcuSession.openedAt',
      'dcuSession.identifiedAt',
      'dcuSession.closedAt',
      'dcuSession.closeReason',
      'dcuSession.closeDetail',
      'dcuSession.bytesIn',
      'dcuSession.bytesOut',
    ]);

type SelectedSession = Awaited<ReturnType<ReturnType<typeof sessions>['execute']>>[number];

const toSessionRow = (row: SelectedSession): DcuSessionRow => ({
  ...row,
  openedAt: iso(row.openedAt),
  identifiedAt: isoOrNull(row.identifiedAt),
  closedAt: isoOrNull(row.closedAt),
  // as: only values of the contract are written.
  closeReason: row.closeReason as DcuSessionRow['closeReason'],
  bytesIn: Number(row.bytesIn),
  bytesOut: Number(row.bytesOut),
});

export async function findSessions(db: Db, dcuId: string): Promise<DcuSessionRow[]> {
  const rows = await sessions(db)
    .where('dcuSession.dcuId', '=', dcuId)
    .orderBy('dcuSession.openedAt', 'desc')
    .limit(SESSIONS_SHOWN)
    .execute();
  return rows.map(toSessionRow);
}

export async function findUnregistered(db: Db) {
  const items = await db.selectFrom('dcuUnregistered').selectAll().orderBy('lastSeenAt', 'desc').limit(500).execute();
  const anonymous = await sessions(db)
    .where('dcuSession.dcuId', 'is', null)
    .where('dcuSession.claimedName', 'is', null)
    .orderBy('dcuSession.openedAt', 'desc')
    .limit(ANONYMOUS_SHOWN)
    .execute();
  return {
    items: items.map((row) => ({
      ...row,
      systemTitle: row.systemTitle?.toString('hex').toUpperCase() ?? null,
      firstSeenAt: iso(row.firstSeenAt),
      lastSeenAt: iso(row.lastSeenAt),
    })),
    anonymous: anonymous.map(toSessionRow),
  };
}

/** Number of DCUs by freshness and by online status. */
export async function countFacets(db: Db, user: User, filter: DcuFilter) {
  const rows = await dcus(db, user, filter)
    .select([freshnessClass('dcu.lastCommAt').as('freshness'), 'dcu.onlineStatus', sql<number>`count(*)::int`.as('count')])
    .groupBy([sql`1`, 'dcu.onlineStatus'])
    .execute();
  const freshness: Record<Freshness, number> = { h24: 0, h24_48: 0, h48_72: 0, over72: 0, none: 0 };
  const onlineStatus = { online: 0, offline: 0, unknown: 0, never: 0 };
  let total = 0;
  for (const row of rows) {
    freshness[row.freshness] += row.count;
    onlineStatus[row.onlineStatus] += row.count;
    total += row.count;
  }
  return { total, freshness, onlineStatus };
}
