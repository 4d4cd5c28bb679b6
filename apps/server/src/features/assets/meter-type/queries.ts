import { METER_QUIRKS, type MeterTypeRow } from '@hes/contract/asset/meter-type.ts';
import { COUNT_LIMIT } from '@hes/contract/core/page.ts';
import { modelsCalled } from '@hes/contract/text/reference-models.ts';
import { sql } from 'kysely';
import { countTypesWithin } from '#db/fleet-count.ts';
import { isInArray } from '#db/in-array.ts';
import { namesOf, type MasterData } from '#db/master-data.ts';
import { containing, countUpTo, iso, orderOf, type PageQuery } from '#db/paging.ts';
import { profilePlaces } from '#db/profile-places.ts';
import { seesWholeNetwork, visible } from '#db/scope.ts';
import { requireChoices } from '#features/assets/dcu-type/profiles.ts';
import type { Db, User } from '#db/context.ts';

export interface MeterTypeFilter {
  search?: string | undefined;
  supplierId?: readonly string[] | undefined;
  phase?: readonly string[] | undefined;
  communicationMode?: readonly string[] | undefined;
  hasRelay?: boolean | undefined;
  enabled?: boolean | undefined;
}

const SORT_COLUMNS = {
  code: 'meterType.code',
  name: 'meterType.name',
  supplierName: 'supplier.name',
  phase: 'meterType.phase',
  updatedAt: 'meterType.updatedAt',
} as const;

/** Key of the daily freeze in a template; daily collection requires this object. */
const DAILY_FREEZE = 'DAILY';

function types(db: Db, filter: MeterTypeFilter) {
  let rows = db
    .selectFrom('meterType')
    .innerJoin('supplier', 'supplier.id', 'meterType.supplierId')
    .innerJoin('southboundProfile', 'southboundProfile.id', 'meterType.profileId');
  if (filter.search) {
    const like = containing(filter.search);
    rows = rows.where((where) =>
      where.or([
        where('meterType.code', 'ilike', like),
        where('meterType.name', 'ilike', like),
        isInArray('meterType.name', 'text', modelsCalled(filter.search ?? '')),
      ]),
    );
  }
  if (filter.supplierId) rows = rows.where(sql<boolean>`meter_type.supplier_id = any(${[...filter.supplierId]}::bigint[])`);
  if (filter.phase) rows = rows.where(sql<boolean>`meter_type.phase = any(${[...filter.phase]}::text[])`);
  if (filter.communicationMode) rows = rows.where(sql<boolean>`meter_type.communication_modes && ${[...filter.communicationMode]}::text[]`);
  if (filter.hasRelay !== undefined) rows = rows.where('meterType.hasRelay', '=', filter.hasRelay);
  return filter.enabled === undefined ? rows : rows.where('meterType.enabled', '=', filter.enabled);
}

/** Number of meters up to the limit. In an area it returns more than the limit, which selects the fleet count instead. */
const metersOf = (user: User) =>
  seesWholeNetwork(user)
    ? sql<number>`(select count(*)::int from (select from meter where meter.meter_type_id = meter_type.id limit ${COUNT_LIMIT + 1}) as counted)`
    : sql<number>`${sql.lit(COUNT_LIMIT + 1)}::int`;

const lacksDailyFreeze = sql<boolean>`not exists (
  select from ${profilePlaces(sql`select meter_type.profile_id`)} as places where key = ${DAILY_FREEZE})`;

const withColumns = (rows: ReturnType<typeof types>, user: User) =>
  rows.select([
    'meterType.id',
    'meterType.code',
    'meterType.name',
    'meterType.supplierId',
    'supplier.name as supplierName',
    'meterType.phase',
    'meterType.accuracy',
    'meterType.voltage',
    'meterType.current',
    'meterType.ctMetering',
    'meterType.communicationModes',
    'meterType.hasRelay',
    'meterType.relayMode',
    'meterType.clientSap',
    'meterType.serverSap',
    'meterType.addressing',
    'meterType.authenticationType',
    'meterType.association',
    'meterType.ciphering',
    'meterType.keyAgreement',
    'meterType.generalSigning',
    'meterType.securitySuite',
    'meterType.heartbeatS as heartbeatSeconds',
    'meterType.apduSize',
    'meterType.allowedAddresses',
    'meterType.profileId',
    'southboundProfile.name as profileName',
    lacksDailyFreeze.as('lacksDailyFreeze'),
    'meterType.lpaPeriodS as lpaPeriodSec',
    'meterType.lpbPeriodS as lpbPeriodSec',
    'meterType.imageBlockSize',
    'meterType.quirks',
    'meterType.enabled',
    sql<boolean>`meter_type.builtin_key is not null`.as('isBuiltin'),
    metersOf(user).as('meters'),
    'meterType.updatedAt',
    'meterType.version',
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];
const toRow = (row: Selected): MeterTypeRow =>
  // as: CHECK constraints of the table allow the same values as the contract.
  ({ ...row, quirks: METER_QUIRKS.filter((quirk) => row.quirks.includes(quirk)), updatedAt: iso(row.updatedAt) }) as MeterTypeRow;

/** Replaces the numbers of meters that exceed the limit by those of the fleet count. */
async function countEveryMeter(db: Db, user: User, rows: readonly Selected[]): Promise<Selected[]> {
  if (rows.every((row) => row.meters <= COUNT_LIMIT)) return [...rows];
  const fleet = await countTypesWithin(db, user, 'meterTypeId');
  return rows.map((row) => (row.meters <= COUNT_LIMIT ? row : { ...row, meters: fleet.get(row.id) ?? 0 }));
}

export async function listMeterTypes(db: Db, user: User, query: PageQuery & MeterTypeFilter) {
  const rows = types(db, query);
  const { column, direction } = orderOf(query.sort, SORT_COLUMNS, 'meterType.code');
  const [items, counted] = await Promise.all([
    withColumns(rows, user)
      .orderBy(column, direction)
      .orderBy('meterType.id')
      .limit(query.size)
      .offset((query.page - 1) * query.size)
      .execute(),
    countUpTo(db, rows.select('meterType.id')),
  ]);
  return { items: (await countEveryMeter(db, user, items)).map(toRow), ...counted, page: query.page, size: query.size };
}

export type MeterTypeFields = Omit<
  MeterTypeRow,
  'id' | 'isBuiltin' | 'supplierName' | 'profileName' | 'lacksDailyFreeze' | 'meters' | 'updatedAt' | 'version'
>;

const CODE = { en: 'Code', zh: '编码' };
const NAME = { en: 'Name', zh: '名称' };

const columnsOf = ({ lpaPeriodSec, lpbPeriodSec, heartbeatSeconds, ...fields }: MeterTypeFields) => ({
  ...fields,
  lpaPeriodS: lpaPeriodSec,
  lpbPeriodS: lpbPeriodSec,
  heartbeatS: heartbeatSeconds,
});

export const METER_TYPES: MasterData<MeterTypeRow, MeterTypeFields> = {
  entity: 'meter_type',
  async find(db, user, id) {
    const row = await withColumns(types(db, {}), user).where('meterType.id', '=', id).executeTakeFirst();
    const [counted] = row ? await countEveryMeter(db, user, [row]) : [];
    return counted && toRow(counted);
  },
  lock: (tx, id) => tx.selectFrom('meterType').where('id', '=', id).select('id').forUpdate().execute(),
  async insert(tx, _who, fields, now) {
    await requireChoices(tx, 'meter', fields);
    const { id } = await tx
      .insertInto('meterType')
      .values({ ...columnsOf(fields), createdAt: now, updatedAt: now })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  },
  async update(tx, _who, id, fields, now) {
    await requireChoices(tx, 'meter', fields);
    await tx
      .updateTable('meterType')
      .set((expression) => ({ ...columnsOf(fields), updatedAt: now, version: expression('version', '+', 1) }))
      .where('id', '=', id)
      .execute();
  },
  remove: (tx, id) => tx.deleteFrom('meterType').where('id', '=', id).execute(),
  unique: ({ code, name }) => ({
    meter_type_code_key: { field: 'code', label: CODE, value: code },
    meter_type_name: { field: 'name', label: NAME, value: name },
  }),
  // Meters outside the user's area count, too.
  async usedBy(tx, { id }) {
    const { rows } = await sql`select from meter where meter_type_id = ${id} limit ${COUNT_LIMIT + 1}`.execute(tx);
    return namesOf([{ count: rows.length, en: 'meters', zh: '块电表' }]);
  },
};

const CANDIDATES = 50;

export const findCandidates = (db: Db, user: User, typeId: string, search: string | undefined) =>
  db
    .selectFrom('meter')
    .innerJoin('endpoint', 'endpoint.id', 'meter.dcuId')
    .leftJoin('dcu', 'dcu.id', 'meter.dcuId')
    .where('meterTypeId', '=', typeId)
    .where(visible('meter.transformerId', user))
    .$if(Boolean(search), (rows) => rows.where('meter.sn', 'like', containing(search ?? '').toUpperCase()))
    .select(['meter.id', 'meter.sn', 'dcu.sn as dcuSn', 'endpoint.onlineStatus'])
    .orderBy(sql`endpoint.online_status = 'online'`, 'desc')
    .orderBy('meter.sn')
    .limit(CANDIDATES)
    .execute();

/** A meter of this type in the user's area. */
export const findMeterOfType = (db: Db, user: User, typeId: string, meterId: string) =>
  db
    .selectFrom('meter')
    .where('id', '=', meterId)
    .where('meterTypeId', '=', typeId)
    .where(visible('meter.transformerId', user))
    .select(['id', 'sn', 'dcuId'])
    .executeTakeFirst();

/** Object list of a learning run, if the run was for this type and its meter is in the user's area. */
export async function findLearnt(db: Db, user: User, typeId: string, taskId: string) {
  const row = await db
    .selectFrom('task')
    .innerJoin('taskItem', 'taskItem.taskId', 'task.id')
    .innerJoin('meter', 'meter.id', 'taskItem.meterId')
    .where('task.id', '=', taskId)
    .where('task.kind', '=', 'learn')
    .where(sql<boolean>`task.params ->> 'typeId' = ${typeId}`)
    .where(visible('meter.transformerId', user))
    .select(['taskItem.result', 'meter.sn'])
    .executeTakeFirst();
  return row;
}

export const findDictionary = (db: Db) =>
  db.selectFrom('obisCode').where('kind', '=', 'attribute').select(['key', 'obis', 'classId', 'attribute', 'nameEn', 'nameZh']).execute();
