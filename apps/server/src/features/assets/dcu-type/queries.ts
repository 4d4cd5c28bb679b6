import { COUNT_LIMIT } from '@hes/contract/core/page.ts';
import type { DcuTypeRow } from '@hes/contract/asset/dcu-type.ts';
import { modelsCalled } from '@hes/contract/text/reference-models.ts';
import { sql } from 'kysely';
import { isInArray } from '#db/in-array.ts';
import { namesOf, type MasterData } from '#db/master-data.ts';
import { containing, countUpTo, iso, orderOf, type PageQuery } from '#db/paging.ts';
import { visible } from '#db/scope.ts';
import type { Db, User } from '#db/context.ts';
import { requireChoices } from './profiles.ts';

export interface DcuTypeFilter {
  search?: string | undefined;
  supplierId?: readonly string[] | undefined;
  protocol?: readonly string[] | undefined;
  feature?: readonly string[] | undefined;
  enabled?: boolean | undefined;
}

const SORT_COLUMNS = {
  code: 'dcuType.code',
  name: 'dcuType.name',
  supplierName: 'supplier.name',
  maxMeters: 'dcuType.maxMeters',
  updatedAt: 'dcuType.updatedAt',
} as const;

function types(db: Db, filter: DcuTypeFilter) {
  let rows = db
    .selectFrom('dcuType')
    .innerJoin('supplier', 'supplier.id', 'dcuType.supplierId')
    .innerJoin('southboundProfile', 'southboundProfile.id', 'dcuType.profileId');
  if (filter.search) {
    const like = containing(filter.search);
    rows = rows.where((where) =>
      where.or([
        where('dcuType.code', 'ilike', like),
        where('dcuType.name', 'ilike', like),
        isInArray('dcuType.name', 'text', modelsCalled(filter.search ?? '')),
      ]),
    );
  }
  if (filter.supplierId) rows = rows.where(sql<boolean>`dcu_type.supplier_id = any(${[...filter.supplierId]}::bigint[])`);
  if (filter.protocol) rows = rows.where(sql<boolean>`dcu_type.protocol = any(${[...filter.protocol]}::text[])`);
  if (filter.feature) rows = rows.where(sql<boolean>`dcu_type.features @> ${[...filter.feature]}::text[]`);
  return filter.enabled === undefined ? rows : rows.where('dcuType.enabled', '=', filter.enabled);
}

const withColumns = (rows: ReturnType<typeof types>, user: User) =>
  rows.select([
    'dcuType.id',
    'dcuType.code',
    'dcuType.name',
    'dcuType.supplierId',
    'supplier.name as supplierName',
    'dcuType.hardwareVersion',
    'dcuType.protocol',
    'dcuType.authenticationType',
    'dcuType.allowedAddresses',
    'dcuType.downlinkModes',
    'dcuType.maxMeters',
    'dcuType.heartbeatS as heartbeatSeconds',
    'dcuType.parallelMeters',
    'dcuType.apduSize',
    'dcuType.profileId',
    'southboundProfile.name as profileName',
    'southboundProfile.parts',
    'dcuType.features',
    'dcuType.enabled',
    sql<boolean>`dcu_type.builtin_key is not null`.as('isBuiltin'),
    sql<number>`(select count(*)::int from dcu where dcu.dcu_type_id = dcu_type.id and ${visible('dcu.transformerId', user)})`.as('dcus'),
    'dcuType.updatedAt',
    'dcuType.version',
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];
const toRow = (row: Selected): DcuTypeRow =>
  // as: CHECK constraints of the table allow the same values as the contract.
  ({ ...row, updatedAt: iso(row.updatedAt) }) as DcuTypeRow;

export async function listDcuTypes(db: Db, user: User, query: PageQuery & DcuTypeFilter) {
  const rows = types(db, query);
  const { column, direction } = orderOf(query.sort, SORT_COLUMNS, 'dcuType.code');
  const [items, counted] = await Promise.all([
    withColumns(rows, user)
      .orderBy(column, direction)
      .orderBy('dcuType.id')
      .limit(query.size)
      .offset((query.page - 1) * query.size)
      .execute(),
    countUpTo(db, rows.select('dcuType.id')),
  ]);
  return { items: items.map(toRow), ...counted, page: query.page, size: query.size };
}

export type DcuTypeFields = Omit<
  DcuTypeRow,
  'id' | 'isBuiltin' | 'supplierName' | 'profileName' | 'parts' | 'dcus' | 'updatedAt' | 'version'
>;

const CODE = { en: 'Code', zh: '编码' };
const NAME = { en: 'Name', zh: '名称' };

const columnsOf = ({ heartbeatSeconds, ...fields }: DcuTypeFields) => ({ ...fields, heartbeatS: heartbeatSeconds });

export const DCU_TYPES: MasterData<DcuTypeRow, DcuTypeFields> = {
  entity: 'dcu_type',
  async find(db, user, id) {
    const row = await withColumns(types(db, {}), user).where('dcuType.id', '=', id).executeTakeFirst();
    return row && toRow(row);
  },
  lock: (tx, id) => tx.selectFrom('dcuType').where('id', '=', id).select('id').forUpdate().execute(),
  async insert(tx, _who, fields, now) {
    await requireChoices(tx, 'dcu', fields);
    const { id } = await tx
      .insertInto('dcuType')
      .values({ ...columnsOf(fields), createdAt: now, updatedAt: now })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  },
  async update(tx, _who, id, fields, now) {
    await requireChoices(tx, 'dcu', fields);
    await tx
      .updateTable('dcuType')
      .set((expression) => ({ ...columnsOf(fields), updatedAt: now, version: expression('version', '+', 1) }))
      .where('id', '=', id)
      .execute();
  },
  remove: (tx, id) => tx.deleteFrom('dcuType').where('id', '=', id).execute(),
  unique: ({ code, name }) => ({
    dcu_type_code_key: { field: 'code', label: CODE, value: code },
    dcu_type_name: { field: 'name', label: NAME, value: name },
  }),
  // DCUs outside the user's area count, too.
  async usedBy(tx, { id }) {
    const { rows } = await sql`select from dcu where dcu_type_id = ${id} limit ${COUNT_LIMIT + 1}`.execute(tx);
    return namesOf([{ count: rows.length, en: 'DCUs', zh: '台集中器' }]);
  },
};

const CANDIDATES = 50;

export const findCandidates = (db: Db, user: User, typeId: string, search: string | undefined) =>
  db
    .selectFrom('dcu')
    .where('dcuTypeId', '=', typeId)
    .where(visible('dcu.transformerId', user))
    .$if(Boolean(search), (rows) => {
      const like = containing(search ?? '');
      return rows.where((where) => where.or([where('sn', 'like', like.toUpperCase()), where('name', 'ilike', like)]));
    })
    .select(['id', 'sn', 'name', 'onlineStatus'])
    .orderBy(sql`online_status = 'online'`, 'desc')
    .orderBy('sn')
    .limit(CANDIDATES)
    .execute();

/** A DCU of this type in the user's area. */
export const findDcuOfType = (db: Db, user: User, typeId: string, dcuId: string) =>
  db
    .selectFrom('dcu')
    .where('id', '=', dcuId)
    .where('dcuTypeId', '=', typeId)
    .where(visible('dcu.transformerId', user))
    .select(['id', 'sn'])
    .executeTakeFirst();
