import { nameText } from '@hes/contract/core/text.ts';
import { COUNT_LIMIT } from '@hes/contract/core/page.ts';
import type { SupplierRow } from '@hes/contract/asset/supplier.ts';
import { modelsCalled } from '@hes/contract/text/reference-models.ts';
import { sql } from 'kysely';
import { isInArray } from '#db/in-array.ts';
import { countTypesWithin } from '#db/fleet-count.ts';
import type { MasterData } from '#db/master-data.ts';
import { containing, countUpTo, iso, orderOf, type PageQuery } from '#db/paging.ts';
import { seesWholeNetwork, visible } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';

export interface SupplierFilter {
  search?: string | undefined;
  country?: readonly string[] | undefined;
  enabled?: boolean | undefined;
}

const SORT_COLUMNS = { code: 'supplier.code', name: 'supplier.name', flagId: 'supplier.flagId', updatedAt: 'supplier.updatedAt' } as const;

const typesOf = sql<number>`(
  (select count(*) from dcu_type where dcu_type.supplier_id = supplier.id) + (select count(*) from meter_type where meter_type.supplier_id = supplier.id))::int`;
const dcusOf = (user: User) => sql<number>`(
  select count(*)::int from dcu join dcu_type on dcu_type.id = dcu.dcu_type_id
  where dcu_type.supplier_id = supplier.id and ${visible('dcu.transformerId', user)})`;
/** Number of meters up to the limit. In an area it returns more than the limit, which selects the fleet count instead. */
const metersOf = (user: User) =>
  seesWholeNetwork(user)
    ? sql<number>`(select count(*)::int from (
        select from meter join meter_type on meter_type.id = meter.meter_type_id where meter_type.supplier_id = supplier.id limit ${COUNT_LIMIT + 1}) as counted)`
    : sql<number>`${sql.lit(COUNT_LIMIT + 1)}::int`;

function suppliers(db: Db, filter: SupplierFilter) {
  let rows = db.selectFrom('supplier');
  if (filter.search) {
    const like = containing(filter.search);
    rows = rows.where((where) =>
      where.or([
        where('code', 'ilike', like),
        where('name', 'ilike', like),
        where('flagId', 'ilike', like),
        isInArray('name', 'text', modelsCalled(filter.search ?? '')),
      ]),
    );
  }
  if (filter.country) rows = rows.where(sql<boolean>`country = any(${[...filter.country]}::text[])`);
  return filter.enabled === undefined ? rows : rows.where('enabled', '=', filter.enabled);
}

const withColumns = (rows: ReturnType<typeof suppliers>, user: User) =>
  rows.selectAll('supplier').select([typesOf.as('types'), dcusOf(user).as('dcus'), metersOf(user).as('meters')]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];
const toRow = ({ createdAt: _, updatedAt, builtinKey, dcus, meters, ...row }: Selected): SupplierRow => ({
  ...row,
  isBuiltin: builtinKey !== null,
  devices: dcus + meters,
  updatedAt: iso(updatedAt),
});

/** Replaces the numbers of meters that exceed the limit by those of the fleet count. */
async function countEveryMeter(db: Db, user: User, rows: readonly Selected[]): Promise<Selected[]> {
  if (rows.every((row) => row.meters <= COUNT_LIMIT)) return [...rows];
  const fleet = await countTypesWithin(db, user, 'supplierId');
  return rows.map((row) => (row.meters <= COUNT_LIMIT ? row : { ...row, meters: fleet.get(row.id) ?? 0 }));
}

export async function listSuppliers(db: Db, user: User, query: PageQuery & SupplierFilter) {
  const rows = suppliers(db, query);
  const { column, direction } = orderOf(query.sort, SORT_COLUMNS, 'supplier.code');
  const [items, counted] = await Promise.all([
    withColumns(rows, user)
      .orderBy(column, (order) => (direction === 'desc' ? order.desc().nullsLast() : order.asc().nullsFirst()))
      .orderBy('supplier.id')
      .limit(query.size)
      .offset((query.page - 1) * query.size)
      .execute(),
    countUpTo(db, rows.select('supplier.id')),
  ]);
  return { items: (await countEveryMeter(db, user, items)).map(toRow), ...counted, page: query.page, size: query.size };
}

type SupplierFields = Omit<SupplierRow, 'id' | 'isBuiltin' | 'types' | 'devices' | 'updatedAt' | 'version'>;

type NewSupplier = Omit<SupplierFields, 'enabled'> & Partial<Pick<SupplierFields, 'enabled'>>;

export async function insertSupplier(tx: Tx, columns: NewSupplier, now: Date): Promise<string> {
  const { id } = await tx
    .insertInto('supplier')
    .values({ ...columns, createdAt: now, updatedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const updateSupplier = (tx: Tx, id: string, change: Partial<SupplierFields>, now: Date) =>
  tx
    .updateTable('supplier')
    .set((expression) => ({ ...change, updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

/** Suppliers that have one of these codes or FLAG IDs. */
export const findSuppliersByCode = (db: Db, rows: readonly { code: string; flagId: string | null }[]) =>
  db
    .selectFrom('supplier')
    .where((where) =>
      where.or([
        isInArray(
          'code',
          'text',
          rows.map((row) => row.code),
        ),
        isInArray(
          'flag_id',
          'text',
          rows.map((row) => row.flagId),
        ),
      ]),
    )
    .select(['id', 'code', 'name', 'flagId'])
    .execute();

const CODE = { en: 'Code', zh: '编码' };
const FLAG = { en: 'FLAG ID', zh: 'FLAG 标识' };

export const SUPPLIERS: MasterData<SupplierRow, SupplierFields> = {
  entity: 'supplier',
  async find(db, user, id) {
    const row = await withColumns(suppliers(db, {}), user).where('supplier.id', '=', id).executeTakeFirst();
    const [counted] = row ? await countEveryMeter(db, user, [row]) : [];
    return counted && toRow(counted);
  },
  lock: (tx, id) => tx.selectFrom('supplier').where('id', '=', id).select('id').forUpdate().execute(),
  insert: (tx, _who, fields, now) => insertSupplier(tx, fields, now),
  update: (tx, _who, id, fields, now) => updateSupplier(tx, id, fields, now),
  remove: (tx, id) => tx.deleteFrom('supplier').where('id', '=', id).execute(),
  unique: ({ code, flagId }) => ({
    supplier_code_key: { field: 'code', label: CODE, value: code },
    supplier_flag: { field: 'flagId', label: FLAG, value: flagId ?? '' },
  }),
  async usedBy(tx, { id }) {
    const types = await sql<{ name: string }>`
      select name from dcu_type where supplier_id = ${id} union all select name from meter_type where supplier_id = ${id} order by name limit 6`.execute(
      tx,
    );
    if (types.rows.length === 0) return undefined;
    const names = types.rows.map((row) => row.name).join(', ');
    return nameText(names);
  },
};
