import type { NodeKey } from '@hes/contract/asset/tree.ts';
import type { MeterRow } from '@hes/contract/asset/meter.ts';
import { sql } from 'kysely';
import { isInArray } from '#db/in-array.ts';
import { containing, countUpTo, iso, isoOrNull, orderOf, type PageQuery } from '#db/paging.ts';
import { freshnessClass, freshnessIn, meterUnder, seesWholeNetwork, visible } from '#db/scope.ts';
import type { Db, User } from '#db/context.ts';
import { CONTACT_ORDER_ROWS, findContactOrder, type ContactColumn } from '#db/contact-order.ts';
import { isTaken, rowsBefore } from '#db/export-cursor.ts';

export interface MeterFilter {
  search?: string | undefined;
  sns?: readonly string[] | undefined;
  node?: NodeKey | undefined;
  inventoryState?: readonly string[] | undefined;
  freshness?: readonly string[] | undefined;
  meterTypeId?: readonly string[] | undefined;
  supplierId?: readonly string[] | undefined;
  communicationMode?: readonly string[] | undefined;
  isMaster?: boolean | undefined;
  bound?: boolean | undefined;
}

const SORT_COLUMNS = {
  sn: 'meter.sn',
  lastCommAt: 'meter.lastCommAt',
  lastReadAt: 'meter.lastReadAt',
  inventoryState: 'meter.inventoryState',
  customerNo: 'meter.customerNo',
  createdAt: 'meter.createdAt',
} as const;

export function meters(db: Db, user: User, filter: MeterFilter) {
  let rows = db
    .selectFrom('meter')
    .innerJoin('meterType', 'meterType.id', 'meter.meterTypeId')
    .innerJoin('supplier', 'supplier.id', 'meterType.supplierId')
    .leftJoin('transformer', 'transformer.id', 'meter.transformerId')
    .leftJoin('dcu', 'dcu.id', 'meter.dcuId')
    .where(visible('meter.transformerId', user))
    .where(meterUnder(filter.node));
  if (filter.search) {
    const like = containing(filter.search);
    rows = rows.where((where) => where.or([where('meter.sn', 'like', like.toUpperCase()), where('meter.customerNo', 'like', like)]));
  }
  if (filter.sns) rows = rows.where(sql<boolean>`meter.sn = any(${filter.sns.map((sn) => sn.toUpperCase())}::text[])`);
  if (filter.inventoryState) rows = rows.where(isInArray('meter.inventoryState', 'text', filter.inventoryState));
  if (filter.meterTypeId) rows = rows.where(isInArray('meter.meterTypeId', 'bigint', filter.meterTypeId));
  if (filter.supplierId) rows = rows.where(isInArray('meterType.supplierId', 'bigint', filter.supplierId));
  if (filter.communicationMode) rows = rows.where(isInArray('meter.communicationMode', 'text', filter.communicationMode));
  if (filter.isMaster !== undefined) rows = rows.where('meter.isMaster', '=', filter.isMaster);
  // A direct meter is not bound, and cannot be.
  if (filter.bound !== undefined) rows = filter.bound ? rows.where('dcu.id', 'is not', null) : rows.where('meter.dcuId', 'is', null);
  return filter.freshness ? rows.where(freshnessIn('meter.lastCommAt', filter.freshness)) : rows;
}

export const withColumns = (rows: ReturnType<typeof meters>) =>
  rows.select([
    'meter.id',
    'meter.sn',
    'meter.meterTypeId',
    'meterType.name as meterTypeName',
    'supplier.name as supplierName',
    // Ratings of the meter take precedence over those of its type.
    sql<MeterRow['phase']>`coalesce(meter.phase, meter_type.phase)`.as('phase'),
    sql<string | null>`coalesce(meter.accuracy, meter_type.accuracy)`.as('accuracy'),
    sql<string | null>`coalesce(meter.voltage, meter_type.voltage)`.as('voltage'),
    sql<string | null>`coalesce(meter.current, meter_type.current)`.as('current'),
    'meter.isMaster',
    'meter.communicationMode',
    'meter.inventoryState',
    'meter.transformerId',
    'transformer.name as transformerName',
    // Of the DCU: a direct meter has none.
    'dcu.id as dcuId',
    'dcu.sn as dcuSn',
    'meter.ctRatio',
    'meter.ptRatio',
    'meter.customerNo',
    'meter.customerName',
    'meter.address',
    'meter.isGenerator',
    'meter.recordedPhase',
    'meter.relayState',
    'meter.firmwareVersion',
    'meter.lastCommAt',
    'meter.lastReadAt',
    freshnessClass('meter.lastCommAt').as('freshness'),
    sql<Date | null>`case when meter.set_aside_until > now() then meter.set_aside_until end`.as('setAsideUntil'),
    'meter.setAsideWhy',
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];

export const toRow = ({ setAsideUntil, setAsideWhy, ...row }: Selected): MeterRow => ({
  ...row,
  setAside: setAsideUntil === null ? null : { until: iso(setAsideUntil), why: setAsideWhy ?? '' },
  ctRatio: Number(row.ctRatio),
  ptRatio: Number(row.ptRatio),
  lastCommAt: isoOrNull(row.lastCommAt),
  lastReadAt: isoOrNull(row.lastReadAt),
});

/** Whether neither the area of the user nor the filter restricts the rows. */
const isWhole = (user: User, filter: MeterFilter): boolean =>
  seesWholeNetwork(user) &&
  [
    filter.search || undefined,
    filter.sns,
    filter.node,
    filter.inventoryState,
    filter.freshness,
    filter.meterTypeId,
    filter.supplierId,
  ].every((value) => value === undefined) &&
  [filter.communicationMode, filter.isMaster, filter.bound].every((value) => value === undefined);

type SortColumn = (typeof SORT_COLUMNS)[keyof typeof SORT_COLUMNS];
/** Columns without nulls. An order with `nulls first` or `nulls last` would prevent the use of their indexes. */
const NEVER_NULL: readonly SortColumn[] = ['meter.sn', 'meter.inventoryState', 'meter.createdAt'];
const CONTACT: Partial<Record<SortColumn, ContactColumn>> = { 'meter.lastCommAt': 'lastCommAt', 'meter.lastReadAt': 'lastReadAt' };

function inOrder<Q extends ReturnType<typeof meters>>(rows: Q, sort: string | undefined): Q {
  const { column, direction } = orderOf(sort, SORT_COLUMNS, 'meter.sn');
  const first = NEVER_NULL.includes(column)
    ? rows.orderBy(column, direction)
    : rows.orderBy(column, (order) => (direction === 'desc' ? order.desc().nullsLast() : order.asc().nullsFirst()));
  // as: an order keeps the type of the query
  return first.orderBy('meter.sn', direction) as Q;
}

/** Condition on the ids of one page, so that columns with subqueries are computed for the rows of the page only. */
export async function pageOfMeters(db: Db, user: User, query: PageQuery & MeterFilter) {
  const first = rowsBefore(query);
  const { column, direction } = orderOf(query.sort, SORT_COLUMNS, 'meter.sn');
  const contact = CONTACT[column];
  const isKept = query.cursor === undefined && first + query.size <= CONTACT_ORDER_ROWS && isWhole(user, query);
  const order = contact !== undefined && isKept ? await findContactOrder(db, contact, direction) : undefined;
  if (order !== undefined) {
    const ids = order.slice(first, first + query.size);
    return (rows: ReturnType<typeof meters>) =>
      rows.where(isInArray('meter.id', 'bigint', ids)).orderBy(sql`array_position(${ids}::bigint[], meter.id)`);
  }
  const isWanted = await isTaken(db, 'meter.id', inOrder(meters(db, user, query), query.sort).select('meter.id'), query);
  return (rows: ReturnType<typeof meters>) => inOrder(rows.where(isWanted), query.sort);
}

export async function listMeters(db: Db, user: User, query: PageQuery & MeterFilter) {
  const ofPage = await pageOfMeters(db, user, query);
  const [items, counted] = await Promise.all([
    withColumns(ofPage(meters(db, user, {}))).execute(),
    countUpTo(db, meters(db, user, query).select('meter.id')),
  ]);
  return { items: items.map(toRow), ...counted, page: query.page, size: query.size };
}

export async function findMeter(db: Db, user: User, id: string): Promise<MeterRow | undefined> {
  const row = await withColumns(meters(db, user, {}))
    .where('meter.id', '=', id)
    .executeTakeFirst();
  return row && toRow(row);
}

/** Those of these meters that are in the user's area, with the columns that an order needs. */
export const findMetersForOrder = (db: Db, user: User, ids: readonly string[]) =>
  db
    .selectFrom('meter')
    .where(visible('meter.transformerId', user))
    .where(sql<boolean>`meter.id = any(${[...ids]}::bigint[])`)
    .select(['meter.id', 'meter.sn', 'meter.dcuId'])
    .execute();
