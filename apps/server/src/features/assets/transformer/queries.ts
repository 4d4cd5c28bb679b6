import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import type { TransformerDcu, TransformerDot, TransformerRow } from '@hes/contract/asset/transformer.ts';
import { sql, type RawBuilder } from 'kysely';
import { DAY, lossPercentOf } from '#db/loss-percent.ts';
import { containing, countUpTo, iso, numberOrNull, orderOf, pageAfter, type CursoredQuery } from '#db/paging.ts';
import { levelWithin, visible } from '#db/scope.ts';
import { isTaken } from '#db/export-cursor.ts';
import type { Db, Tx, User } from '#db/context.ts';

export interface TransformerFilter {
  search?: string | undefined;
  node?: NodeKey | undefined;
  hasDcu?: boolean | undefined;
  hasPosition?: boolean | undefined;
  state?: readonly string[] | undefined;
}

const SORT_COLUMNS = {
  name: 'transformer.name',
  code: 'transformer.code',
  levelName: 'networkLevel.name',
  capacityKva: 'transformer.capacityKva',
  updatedAt: 'transformer.updatedAt',
} as const;

/** Condition for the transformers at or below a node. The node of a device means its transformer. */
function transformerUnder(key: NodeKey): RawBuilder<boolean> {
  const { kind, id } = nodeOf(key);
  if (kind === 'level') return sql<boolean>`network_level.path @> array[${id}]::bigint[]`;
  if (kind === 'transformer') return sql<boolean>`transformer.id = ${id}`;
  return kind === 'dcu'
    ? sql<boolean>`transformer.id = (select transformer_id from dcu where dcu.id = ${id})`
    : sql<boolean>`transformer.id = (select transformer_id from meter where meter.id = ${id})`;
}

const dcusOf = sql<number>`(select count(*)::int from dcu where dcu.transformer_id = transformer.id)`;
const onlineOf = sql<number>`(select count(*)::int from dcu where dcu.transformer_id = transformer.id and online_status = 'online')`;
const stateOf = sql<TransformerRow['state']>`case
  when not exists (select from dcu where dcu.transformer_id = transformer.id) then 'no_dcu'
  when exists (select from dcu where dcu.transformer_id = transformer.id and online_status in ('offline', 'never')) then 'some_offline'
  when exists (select from dcu where dcu.transformer_id = transformer.id and online_status = 'unknown') then 'unknown'
  else 'all_online' end`;

export function transformers(db: Db, user: User, filter: TransformerFilter) {
  let rows = db
    .selectFrom('transformer')
    .innerJoin('networkLevel', 'networkLevel.id', 'transformer.levelId')
    .leftJoin('meter as master', 'master.id', 'transformer.masterMeterId')
    .where(visible('transformer.id', user));
  if (filter.node) rows = rows.where(transformerUnder(filter.node));
  if (filter.search) {
    const like = containing(filter.search);
    rows = rows.where((where) =>
      where.or([
        where('transformer.name', 'ilike', like),
        where('transformer.code', 'ilike', like),
        where('transformer.address', 'ilike', like),
      ]),
    );
  }
  if (filter.hasDcu !== undefined)
    rows = rows.where(sql<boolean>`exists (select from dcu where dcu.transformer_id = transformer.id) = ${filter.hasDcu}`);
  if (filter.hasPosition !== undefined) rows = rows.where('transformer.longitude', filter.hasPosition ? 'is not' : 'is', null);
  return filter.state ? rows.where(sql<boolean>`${stateOf} = any(${[...filter.state]}::text[])`) : rows;
}

/** Day or loss in percent of the newest balance with a known supply; its loss may be unknown. */
const lastBalance = <T>(what: 'day' | 'percent') =>
  sql<T | null>`(select ${what === 'day' ? sql`day::text` : lossPercentOf(DAY)}
    from energy_balance where transformer_id = transformer.id and supply_kwh > 0 order by day desc limit 1)`;

const withColumns = (rows: ReturnType<typeof transformers>) =>
  rows.select([
    'transformer.id',
    'transformer.code',
    'transformer.name',
    'transformer.address',
    'transformer.longitude',
    'transformer.latitude',
    'transformer.levelId',
    'networkLevel.name as levelName',
    sql<string | null>`(select feeder.name from network_level feeder where feeder.id = any(network_level.path) and feeder.type = 'feeder'
      order by cardinality(feeder.path) desc limit 1)`.as('feederName'),
    'transformer.capacityKva',
    'transformer.ctRatio',
    'transformer.ptRatio',
    'transformer.publicPrivate',
    'transformer.note',
    dcusOf.as('dcus'),
    onlineOf.as('dcusOnline'),
    sql<number>`(select count(*)::int from meter where meter.transformer_id = transformer.id)`.as('meters'),
    lastBalance<number>('percent').as('lastLossPercent'),
    lastBalance<string>('day').as('lastLossDay'),
    'transformer.masterMeterId',
    'master.sn as masterMeterSn',
    stateOf.as('state'),
    'transformer.updatedAt',
    'transformer.version',
  ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];

const toRow = ({ publicPrivate, ...row }: Selected): TransformerRow => ({
  ...row,
  publicOrPrivate: publicPrivate === 'private' ? 'private' : 'public',
  longitude: numberOrNull(row.longitude),
  latitude: numberOrNull(row.latitude),
  capacityKva: numberOrNull(row.capacityKva),
  ctRatio: Number(row.ctRatio),
  ptRatio: Number(row.ptRatio),
  updatedAt: iso(row.updatedAt),
});

function inOrder<Q extends ReturnType<typeof transformers>>(rows: Q, sort: string | undefined): Q {
  const { column, direction } = orderOf(sort, SORT_COLUMNS, 'transformer.name');
  // as: an order keeps the type of the query
  return rows
    .orderBy(column, (order) => (direction === 'desc' ? order.desc().nullsLast() : order.asc().nullsFirst()))
    .orderBy('transformer.id') as Q;
}

export const findTransformerByCode = (db: Db, user: User, code: string) =>
  transformers(db, user, {}).where('transformer.code', '=', code).select(['transformer.id', 'transformer.version']).executeTakeFirst();

export async function listTransformers(db: Db, user: User, query: CursoredQuery & TransformerFilter) {
  const { after, size } = query;
  if (after !== undefined && query.cursor === undefined) {
    const found = await withColumns(transformers(db, user, query).where('transformer.id', '>', after))
      .orderBy('transformer.id')
      .limit(size)
      .execute();
    return pageAfter(found.map(toRow), { after, size });
  }
  // The columns with subqueries are computed for the rows of the page only.
  const isWanted = await isTaken(db, 'transformer.id', inOrder(transformers(db, user, query), query.sort).select('transformer.id'), query);
  const [items, counted] = await Promise.all([
    withColumns(inOrder(transformers(db, user, {}).where(isWanted), query.sort)).execute(),
    countUpTo(db, transformers(db, user, query).select('transformer.id')),
  ]);
  return { items: items.map(toRow), ...counted, page: query.page, size: query.size, next: null };
}

/** Counts in one statement, so that the states add up to the total. */
export async function countTransformerStates(db: Db, user: User, filter: TransformerFilter) {
  const rows = await transformers(db, user, filter)
    .select([stateOf.as('state'), sql<number>`count(*)::int`.as('count')])
    .groupBy(sql`1`)
    .execute();
  const state = { no_dcu: 0, all_online: 0, some_offline: 0, unknown: 0 };
  for (const row of rows) state[row.state] += row.count;
  return { total: rows.reduce((sum, { count }) => sum + count, 0), state };
}

export async function findTransformer(db: Db, user: User, id: string): Promise<TransformerRow | undefined> {
  const row = await withColumns(transformers(db, user, {}))
    .where('transformer.id', '=', id)
    .executeTakeFirst();
  return row && toRow(row);
}

/** Up to this number of transformers, only overlapping dots are merged. */
const FEW = 400;
/** Size of a map cell in pixels, for few and for many transformers. Transformers in one cell become one dot. */
const CELL_PX = { few: 28, many: 56 };
const TILE_PX = 256;
/** Cells across the map while it shows the whole network. */
const CELLS_ACROSS = 24;
const MAX_DOTS = 4000;

/** Size of a cell in degrees: `CELL_PX` at the zoom of the view, or a fraction of the width of the whole network. */
async function cellDegrees(rows: ReturnType<typeof transformers>, zoom: number | undefined): Promise<number> {
  const seen = await rows
    .select([
      sql<number>`count(*)::int`.as('transformers'),
      sql<number | null>`greatest(max(transformer.longitude) - min(transformer.longitude),
        max(transformer.latitude) - min(transformer.latitude))::float8`.as('degrees'),
    ])
    .executeTakeFirst();
  const isFew = (seen?.transformers ?? 0) <= FEW;
  if (zoom === undefined) return (seen?.degrees || 1) / (isFew ? FEW : CELLS_ACROSS);
  return (360 / (TILE_PX * 2 ** zoom)) * CELL_PX[isFew ? 'few' : 'many'];
}

/** Transformers of a view, merged by cell, at most `MAX_DOTS` dots. */
export async function findDots(
  db: Db,
  user: User,
  query: { node?: NodeKey | undefined; bbox: readonly [number, number, number, number] | undefined; zoom: number },
): Promise<TransformerDot[]> {
  let rows = transformers(db, user, { node: query.node, hasPosition: true });
  if (query.bbox) {
    const [west, south, east, north] = query.bbox;
    rows = rows.where(
      sql<boolean>`transformer.longitude between ${west} and ${east} and transformer.latitude between ${south} and ${north}`,
    );
  }
  const degrees = await cellDegrees(rows, query.bbox && query.zoom);
  const found = await rows
    .select([
      sql<string | null>`case when count(*) = 1 then min(transformer.id) end`.as('id'),
      sql<string | null>`case when count(*) = 1 then min(transformer.name) end`.as('name'),
      sql<string>`avg(transformer.longitude)`.as('longitude'),
      sql<string>`avg(transformer.latitude)`.as('latitude'),
      sql<number>`count(*)::int`.as('transformers'),
      sql<number>`sum(${dcusOf})::int`.as('dcus'),
      sql<number>`sum(${onlineOf})::int`.as('dcusOnline'),
    ])
    .groupBy([sql`floor(transformer.longitude / ${degrees}::numeric)`, sql`floor(transformer.latitude / ${degrees}::numeric)`])
    .limit(MAX_DOTS)
    .execute();
  return found.map((row) => ({ ...row, longitude: Number(row.longitude), latitude: Number(row.latitude) }));
}

const DIALOG_ROWS = 200;

const dcuColumns = (db: Db, user: User) =>
  db
    .selectFrom('dcu')
    .leftJoin('transformer', 'transformer.id', 'dcu.transformerId')
    .where(visible('dcu.transformerId', user))
    .select([
      'dcu.id',
      'dcu.sn',
      'dcu.name',
      'dcu.onlineStatus',
      sql<number>`(select count(*)::int from meter where meter.dcu_id = dcu.id)`.as('meters'),
      'dcu.transformerId',
      'transformer.name as transformerName',
    ]);

/** DCUs for the binding dialog: those without a transformer first, then those of other transformers. */
export const findBindable = (
  db: Db,
  user: User,
  query: { search?: string | undefined; transformerId?: string | undefined },
): Promise<TransformerDcu[]> => {
  const like = containing(query.search ?? '');
  return dcuColumns(db, user)
    .$if(Boolean(query.search), (rows) =>
      rows.where((where) => where.or([where('dcu.sn', 'like', like.toUpperCase()), where('dcu.name', 'ilike', like)])),
    )
    .$if(query.transformerId !== undefined, (rows) => rows.where('dcu.transformerId', 'is distinct from', query.transformerId ?? null))
    .orderBy(sql`dcu.transformer_id is not null`)
    .orderBy('dcu.sn')
    .limit(DIALOG_ROWS)
    .execute();
};

export const findDcusOf = (db: Db, user: User, id: string): Promise<TransformerDcu[]> =>
  dcuColumns(db, user).where('dcu.transformerId', '=', id).orderBy('dcu.sn').limit(DIALOG_ROWS).execute();

export const findMetersOf = (db: Db, id: string, search: string | undefined) =>
  db
    .selectFrom('meter')
    .innerJoin('meterType', 'meterType.id', 'meter.meterTypeId')
    .where('meter.transformerId', '=', id)
    .$if(Boolean(search), (rows) => rows.where('meter.sn', 'like', containing(search ?? '').toUpperCase()))
    .select(['meter.id', 'meter.sn', 'meter.isMaster', 'meterType.phase'])
    .orderBy('meter.isMaster', 'desc')
    .orderBy('meter.sn')
    .limit(DIALOG_ROWS)
    .execute();

/** Locks those of these DCUs that are in the user's area until the transaction ends. */
export const takeDcus = (tx: Tx, user: User, ids: readonly string[]) =>
  tx
    .selectFrom('dcu')
    .where(sql<boolean>`dcu.id = any(${[...ids]}::bigint[])`)
    .where(visible('dcu.transformerId', user))
    .select(['dcu.id', 'dcu.sn', 'dcu.transformerId'])
    .orderBy('dcu.id')
    .forUpdate()
    .execute();

/** Assigns DCUs to a transformer, or to none. Their meters without a transformer follow; the other meters stay. */
export async function placeDcus(tx: Tx, ids: readonly string[], transformerId: string | null, now: Date): Promise<void> {
  await sql`update dcu set transformer_id = ${transformerId}, updated_at = ${now}, version = version + 1 where id = any(${[...ids]}::bigint[])`.execute(
    tx,
  );
  if (transformerId !== null)
    await sql`update meter set transformer_id = ${transformerId} where dcu_id = any(${[...ids]}::bigint[]) and transformer_id is null`.execute(
      tx,
    );
}

export const findMeterOf = (tx: Tx, user: User, meterId: string) =>
  tx
    .selectFrom('meter')
    .where('id', '=', meterId)
    .where(visible('meter.transformerId', user))
    .select(['id', 'sn', 'transformerId'])
    .executeTakeFirst();

export async function setMasterMeter(tx: Tx, id: string, meterId: string | null, now: Date): Promise<void> {
  await sql`update meter set is_master = coalesce(id = ${meterId}::bigint, false), updated_at = ${now}, version = version + 1
    where transformer_id = ${id} and is_master <> coalesce(id = ${meterId}::bigint, false)`.execute(tx);
  await sql`update transformer set master_meter_id = ${meterId}, updated_at = ${now}, version = version + 1 where id = ${id}`.execute(tx);
}

export async function nextCode(tx: Tx): Promise<string> {
  const { rows } = await sql<{ next: string }>`
    select coalesce(max(substring(code from '^TR([0-9]{1,9})$')::bigint), 0) + 1 as next from transformer where code ~ '^TR[0-9]{1,9}$'`.execute(
    tx,
  );
  return `TR${String(rows[0]?.next ?? 1).padStart(6, '0')}`;
}

export async function findLevelOf(tx: Tx, id: string): Promise<string | undefined> {
  const row = await tx.selectFrom('transformer').where('id', '=', id).select('levelId').executeTakeFirst();
  return row?.levelId;
}

/** Number of roles whose area names this transformer. */
export async function countRolesOf(tx: Tx, id: string): Promise<number> {
  const { roles } = await tx
    .selectFrom('roleScope')
    .where('transformerId', '=', id)
    .select(sql<number>`count(*)::int`.as('roles'))
    .executeTakeFirstOrThrow();
  return roles;
}

/** Locks a level in the user's area; undefined if there is none with this id. */
export async function findLevelWithin(tx: Tx, user: User, id: string): Promise<{ id: string; name: string } | undefined> {
  return tx
    .selectFrom('networkLevel')
    .where('id', '=', id)
    .where(levelWithin(sql.ref('networkLevel.path'), user))
    .select(['id', 'name'])
    .forShare()
    .executeTakeFirst();
}

/** The levels that a list names, and the stored transformers with the code or the name of one of its lines. */
export async function findForImport(db: Db, user: User, rows: readonly { code: string; name: string; levelCode: string }[]) {
  const levels = await db
    .selectFrom('networkLevel')
    .where(sql<boolean>`code = any(${[...new Set(rows.map((row) => row.levelCode))]}::text[])`)
    .where(levelWithin(sql.ref('networkLevel.path'), user))
    .select(['id', 'code'])
    .execute();
  const transformers = await db
    .selectFrom('transformer')
    .where((where) =>
      where.or([
        sql<boolean>`transformer.code = any(${rows.map((row) => row.code)}::text[])`,
        sql<boolean>`transformer.level_id = any(${levels.map((level) => level.id)}::bigint[])
          and lower(transformer.name) = any(${rows.map((row) => row.name.toLowerCase())}::text[])`,
      ]),
    )
    .select(['id', 'code', 'levelId', sql<string>`lower(name)`.as('name'), visible('transformer.id', user).as('isVisible')])
    .execute();
  return { levels: new Map(levels.map((level) => [level.code, level.id])), transformers };
}

export const lockTransformer = (tx: Tx, id: string) => tx.selectFrom('transformer').where('id', '=', id).select('id').forUpdate().execute();

interface TransformerColumns {
  name: string;
  code: string;
  address: string | null;
  longitude: number | null;
  latitude: number | null;
  levelId: string;
  capacityKva: number | null;
  ctRatio: number;
  ptRatio: number;
  publicPrivate: 'public' | 'private';
  note: string | null;
}
/** Columns that have a default in the table. */
type Defaulted = 'ctRatio' | 'ptRatio' | 'publicPrivate';

export async function insertTransformer(
  tx: Tx,
  columns: Omit<TransformerColumns, Defaulted> & Partial<Pick<TransformerColumns, Defaulted>>,
  now: Date,
): Promise<string> {
  const { id } = await tx
    .insertInto('transformer')
    .values({ ...columns, createdAt: now, updatedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const updateTransformer = (tx: Tx, id: string, change: Partial<TransformerColumns>, now: Date) =>
  tx
    .updateTable('transformer')
    .set((expression) => ({ ...change, updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

export const deleteTransformer = (tx: Tx, id: string) => tx.deleteFrom('transformer').where('id', '=', id).execute();
