import { COUNT_LIMIT } from '@hes/contract/core/page.ts';
import type { SupplierRow } from '@hes/contract/asset/supplier.ts';
import { modelsCalled } from '@hes/contract/states/reference-models.ts';
import { sql } from 'kysely';
import { anyOf } from '#db/any-of.ts';
import { countFleetByType } from '#db/fleet-count.ts';
import type { MasterData } from '#db/master-data.ts';
import { containing, countUpTo, iso, orderOf, type PageQuery } from '#db/paging.ts';
import type { Db } from '#platform/context.ts';

export interface SupplierFilter {
  search?: string | undefined;
  country?: readonly string[] | undefined;
  enabled?: boolean | undefined;
}

const SORT_COLUMNS = { code: 'supplier.code', name: 'supplier.name', flagId: 'supplier.flagId', updatedAt: 'supplier.updatedAt' } as const;

const typesOf = sql<number>`(
  (select count(*) from dcu_type where dcu_type.supplier_id = supplier.id) + (select count(*) from meter_type where meter_type.supplier_id = supplier.id))::int`;
const dcusOf = sql<number>`(
  select count(*)::int from dcu join dcu_type on dcu_type.id = dcu.dcu_type_id where dcu_type.supplier_id = supplier.id)`;
const metersOf = sql<number>`(select count(*)::int from (
  select from meter join meter_type on meter_type.id = meter.meter_type_id where meter_type.supplier_id = supplier.id limit ${COUNT_LIMIT + 1}) as counted)`;

function suppliers(db: Db, filter: SupplierFilter) {
  let rows = db.selectFrom('supplier');
  if (filter.search) {
    const like = containing(filter.search);
    rows = rows.where((where) =>
      where.or([
        where('code', 'ilike', like),
        where('name', 'ilike', like),
        where('flagId', 'ilike', like),
        anyOf('name', 'text', modelsCalled(filter.search ?? '')),
      ]),
    );
  }
  if (filter.country) rows = rows.where(sql<boolean>`country = any(${[...filter.country]}::text[])`);
  return filter.enabled === undefined ? rows : rows.where('enabled', '=', filter.enabled);
}

const withColumns = (rows: ReturnType<typeof suppliers>) =>
  rows.selectAll('supplier').select([typesOf.as('types'), dcusOf.as('dcus'), metersOf.as('meters')]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];
const toRow = ({ createdAt: _, updatedAt, builtinKey, dcus, meters, ...row }: Selected): SupplierRow => ({
  ...row,
  isBuiltin: builtinKey !== null,
  devices: dcus + meters,
  updatedAt: iso(updatedAt),
});

/** Rows count their meters up to the limit; how many more there are is what the count of the fleet says. */
async function countEveryMeter(db: Db, rows: readonly Selected[]): Promise<Selected[]> {
  if (rows.every((row) => row.meters <= COUNT_LIMIT)) return [...rows];
  const fleet = Map.groupBy(await countFleetByType(db), (type) => type.supplierId);
  return rows.map((row) =>
    row.meters <= COUNT_LIMIT ? row : { ...row, meters: fleet.get(row.id)?.reduce((sum, type) => sum + type.meters, 0) ?? row.meters },
  );
}

export async function listSuppliers(db: Db, query: PageQuery & SupplierFilter) {
  const rows = suppliers(db, query);
  const { column, direction } = orderOf(query.sort, SORT_COLUMNS, 'supplier.code');
  const [items, counted] = await Promise.all([
    withColumns(rows)
      .orderBy(column, (order) => (direction === 'desc' ? order.desc().nullsLast() : order.asc().nullsFirst()))
      .orderBy('supplier.id')
      .limit(query.size)
      .offset((query.page - 1) * query.size)
      .execute(),
    countUpTo(db, rows.select('supplier.id')),
  ]);
  return { items: (await countEveryMeter(db, items)).map(toRow), ...counted, page: query.page, size: query.size };
}

type SupplierFields = Omit<SupplierRow, 'id' | 'isBuiltin' | 'types' | 'devices' | 'updatedAt' | 'version'>;

const CODE = { en: 'Code', zh: '编码' };
const FLAG = { en: 'FLAG ID', zh: 'FLAG 标识' };

export const SUPPLIERS: MasterData<SupplierRow, SupplierFields> = {
  entity: 'supplier',
  async find(db, _user, id) {
    const row = await withColumns(suppliers(db, {})).where('supplier.id', '=', id).executeTakeFirst();
    return row && toRow(row);
  },
  lock: (tx, id) => tx.selectFrom('supplier').where('id', '=', id).select('id').forUpdate().execute(),
  async insert(tx, _who, fields, now) {
    const { id } = await tx
      .insertInto('supplier')
      .values({ ...fields, createdAt: now, updatedAt: now })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  },
  update: (tx, _who, id, fields, now) =>
    tx
      .updateTable('supplier')
      .set((expression) => ({ ...fields, updatedAt: now, version: expression('version', '+', 1) }))
      .where('id', '=', id)
      .execute(),
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
    return { en: names, zh: names };
  },
};
