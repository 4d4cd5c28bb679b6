import type { ObisFields, ObisRow, TemplateRow } from '@hes/contract/reading/obis.ts';
import { unitSymbol } from '@hes/dlms/cosem/unit.ts';
import { sql } from 'kysely';
import { containing, countUpTo, iso, type PageQuery, sortColumn } from '#db/paging.ts';
import { visible } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';
import { listTemplates } from './templates.ts';

type Columns = ObisFields & { id: string; isBuiltin: boolean; updatedAt: Date; version: number; plans: string[]; unsupportedOn: string[] };

const COLUMNS = sql`o.id, o.key, o.obis, o.class_id, o.attribute, o.kind, o.name_en, o.name_zh, o.data_type, o.unit, o.scaler, o.precision,
  o.category, o.access, o.decoder, o.enum_map, o.enabled, o.is_builtin, o.updated_at, o.version,
  array(select p.name from collect_plan_item i join collect_plan p on p.id = i.plan_id where i.obis_id = o.id order by p.name) as plans,
  array(select t.name from unsupported_object u join meter_type t on t.id = u.meter_type_id
    where u.is_learnt and u.class_id = o.class_id and u.obis = o.obis and u.attribute = o.attribute and o.kind = 'attribute' order by t.name) as unsupported_on`;

const toRow = (row: Columns, templates: readonly TemplateRow[]): ObisRow => ({
  ...row,
  unitSymbol: unitSymbol(row.unit),
  templates: templates.filter((template) => template.keys.includes(row.key)).map((template) => template.name),
  updatedAt: iso(row.updatedAt),
});

const SORT: Record<string, string> = { obis: 'o.obis', key: 'o.key', nameEn: 'o.name_en', classId: 'o.class_id', category: 'o.category' };

export interface ObisQuery extends PageQuery {
  search?: string | undefined;
  classId?: number | undefined;
  category?: readonly string[] | undefined;
  access?: string | undefined;
  templateId?: string | undefined;
  enabled?: boolean | undefined;
}

export async function listObis(db: Db, query: ObisQuery) {
  const templates = await listTemplates(db);
  const template = templates.find(({ id }) => id === query.templateId);
  const text = containing(query.search ?? '');
  // The dictionary writes codes with dots only: 1.0.1.8.0.255 instead of 1-0:1.8.0*255.
  const code = containing((query.search ?? '').replaceAll(/[-:*]/g, '.'));
  const base = [
    sql<boolean>`true`,
    ...(query.search
      ? [sql<boolean>`(o.obis like ${code} or o.key ilike ${text} or o.name_en ilike ${text} or o.name_zh like ${text})`]
      : []),
    ...(query.classId === undefined ? [] : [sql<boolean>`o.class_id = ${query.classId}`]),
    ...(query.access === undefined ? [] : [sql<boolean>`${query.access} = any(o.access)`]),
    ...(query.templateId === undefined ? [] : [sql<boolean>`o.key = any(${template?.keys ?? []}::text[])`]),
    ...(query.enabled === undefined ? [] : [sql<boolean>`o.enabled = ${query.enabled}`]),
  ];
  const without = sql.join(base, sql` and `);
  const where = query.category === undefined ? without : sql`${without} and o.category = any(${[...query.category]}::text[])`;
  const [field = '', direction] = (query.sort ?? '').split(',');
  const order = sql.raw(`${sortColumn(SORT, field) ?? 'o.sort'} ${direction === 'desc' ? 'desc' : 'asc'}`);
  const [found, counted, counts] = await Promise.all([
    sql<Columns>`select ${COLUMNS} from obis_code o where ${where} order by ${order}, o.id limit ${query.size} offset ${(query.page - 1) * query.size}`.execute(
      db,
    ),
    countUpTo(db, sql`select from obis_code o where ${where}`),
    sql<{
      category: string;
      count: number;
    }>`select o.category, count(*)::int as count from obis_code o where ${without} group by o.category`.execute(db),
  ]);
  return {
    items: found.rows.map((row) => toRow(row, templates)),
    ...counted,
    page: query.page,
    size: query.size,
    categories: Object.fromEntries(counts.rows.map((row) => [row.category, row.count])),
  };
}

export async function findObis(db: Db, id: string): Promise<ObisRow | undefined> {
  const { rows } = await sql<Columns>`select ${COLUMNS} from obis_code o where o.id = ${id}`.execute(db);
  const [row] = rows;
  return row && toRow(row, await listTemplates(db));
}

/** The entries with these keys. */
export async function findByKeys(
  db: Db,
  keys: readonly string[],
): Promise<Map<string, { id: string; version: number; isBuiltin: boolean }>> {
  const { rows } = await sql<{ id: string; key: string; version: number; isBuiltin: boolean }>`
    select id, key, version, is_builtin from obis_code where key = any(${[...keys]}::text[])`.execute(db);
  return new Map(rows.map(({ key, ...row }) => [key, row]));
}

export const lockObis = (tx: Tx, id: string) => tx.selectFrom('obisCode').where('id', '=', id).select('id').forUpdate().execute();

const valuesOf = (fields: ObisFields, now: Date) => ({
  ...fields,
  enumMap: fields.enumMap === null ? null : JSON.stringify(fields.enumMap),
  updatedAt: now,
});

export async function insertObis(tx: Tx, fields: ObisFields, now: Date): Promise<string> {
  const { id } = await tx
    .insertInto('obisCode')
    .values({ ...valuesOf(fields, now), sort: sql<number>`(select coalesce(max(sort), 0) + 1 from obis_code)` })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const updateObis = (tx: Tx, id: string, fields: ObisFields, now: Date) =>
  tx
    .updateTable('obisCode')
    .set((expression) => ({ ...valuesOf(fields, now), version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

export const deleteObis = (tx: Tx, id: string) => tx.deleteFrom('obisCode').where('id', '=', id).execute();

/** Identity of an object at a device, independent of its key. */
export const ownerOf = (object: Pick<ObisFields, 'obis' | 'classId' | 'attribute' | 'kind'>): string =>
  `${object.obis}/${object.classId}/${object.attribute}/${object.kind}`;

/** Keys of the objects with these codes. */
export async function findOwners(db: Db, codes: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<Pick<ObisFields, 'key' | 'obis' | 'classId' | 'attribute' | 'kind'>>`
    select key, obis, class_id, attribute, kind from obis_code where obis = any(${[...codes]}::text[])`.execute(db);
  return new Map(rows.map((row) => [ownerOf(row), row.key]));
}

/** Inserts or updates many entries in one statement. */
export async function upsertObis(tx: Tx, rows: readonly Omit<ObisFields, 'enumMap'>[], now: Date): Promise<void> {
  const list = rows.map(({ access, ...row }) => ({ ...row, access: [...access] }));
  await sql`
    insert into obis_code as o (key, obis, class_id, attribute, kind, name_en, name_zh, category, data_type, unit, scaler, precision, access, decoder, enabled, sort, updated_at)
    select n.key, n.obis, n."classId", n.attribute, n.kind, n."nameEn", n."nameZh", n.category, n."dataType", n.unit, n.scaler, n.precision,
      array(select jsonb_array_elements_text(n.access)), n.decoder, n.enabled, (select coalesce(max(sort), 0) + 1 from obis_code), ${now}
    from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as n (key text, obis text, "classId" int, attribute int, kind text, "nameEn" text, "nameZh" text,
      category text, "dataType" text, unit int, scaler int, precision int, access jsonb, decoder text, enabled boolean)
    on conflict (key) do update set obis = excluded.obis, class_id = excluded.class_id, attribute = excluded.attribute, kind = excluded.kind,
      name_en = excluded.name_en, name_zh = excluded.name_zh, category = excluded.category, data_type = excluded.data_type, unit = excluded.unit,
      scaler = excluded.scaler, precision = excluded.precision, access = excluded.access, decoder = excluded.decoder, enabled = excluded.enabled,
      updated_at = excluded.updated_at, version = o.version + 1`.execute(tx);
}

const MOST_METERS = 30;

/** Bound and direct meters, those that are connected first. */
export async function findTestMeters(db: Db, user: User, search = '') {
  return db
    .selectFrom('meter')
    .innerJoin('endpoint', 'endpoint.id', 'meter.dcuId')
    .leftJoin('dcu', 'dcu.id', 'meter.dcuId')
    .innerJoin('meterType', 'meterType.id', 'meter.meterTypeId')
    .where(visible('meter.transformerId', user))
    .where('meter.sn', 'like', containing(search).toUpperCase())
    .select([
      'meter.id',
      'meter.sn',
      'dcu.sn as dcuSn',
      sql<boolean>`endpoint.online_status = 'online'`.as('isOnline'),
      'meterType.name as typeName',
    ])
    .orderBy(sql`endpoint.online_status = 'online'`, 'desc')
    .orderBy('meter.sn')
    .limit(MOST_METERS)
    .execute();
}
