import type { LevelRow, LevelType } from '@hes/contract/asset/level.ts';
import { sql, type RawBuilder } from 'kysely';
import { metersByTransformer } from '#db/fleet-count.ts';
import { iso, numberOrNull } from '#db/paging.ts';
import { levelWalkable, levelWithin, transformerWithin } from '#db/scope.ts';
import { isInArray } from '#db/in-array.ts';
import type { Db, Tx, User } from '#db/context.ts';

const LIST_LIMIT = 20_000;

/** Path of a level that is being inserted: the ids above it, then its own id. */
const pathBelow = (above: readonly string[]) =>
  sql<string[]>`${[...above]}::bigint[] || currval(pg_get_serial_sequence('network_level', 'id'))`;

interface Selected extends Omit<LevelRow, 'longitude' | 'latitude' | 'updatedAt'> {
  longitude: string | null;
  latitude: string | null;
  updatedAt: Date;
}

/** Levels with totals of all transformers below them in the user's area. `meters` yields the number of meters of each transformer. */
async function levels(db: Db, user: User, only: string | undefined, meters: RawBuilder<unknown>): Promise<LevelRow[]> {
  const { rows } = await sql<Selected>`
    with device as (
      select t.level_id, count(*)::int as transformers, coalesce(sum(d.dcus), 0)::int as dcus, coalesce(sum(d.online), 0)::int as online,
        coalesce(sum(m.meters), 0)::int as meters
      from transformer t
      left join (select transformer_id, count(*) as dcus, count(*) filter (where online_status = 'online') as online from dcu group by 1) d
        on d.transformer_id = t.id
      left join ${meters} as m (transformer_id, meters) on m.transformer_id = t.id
      where ${transformerWithin(sql`t.id`, user.scope)} group by t.level_id
    ), total as (
      select above.id, sum(device.transformers)::int as transformers, sum(dcus)::int as dcus, sum(online)::int as online, sum(meters)::int as meters
      from device join network_level at on at.id = device.level_id, unnest(at.path) as above (id) group by above.id
    )
    select l.id, l.parent_id, (select p.code from network_level p where p.id = l.parent_id) as parent_code, l.name, l.code, l.type, l.sort, cardinality(l.path) as depth, l.longitude, l.latitude, l.note,
      coalesce(total.transformers, 0) as transformers, coalesce(total.dcus, 0) as dcus, coalesce(total.online, 0) as dcus_online,
      coalesce(total.meters, 0) as meters, ${levelWithin(sql`l.path`, user)} as is_within, l.updated_at, l.version
    from network_level l left join total on total.id = l.id
    where ${levelWalkable({ id: sql`l.id`, path: sql`l.path` }, user)} and ${only === undefined ? sql`true` : sql`l.id = ${only}`}
    order by cardinality(l.path), l.sort, l.name limit ${LIST_LIMIT}`.execute(db);
  return rows.map((row) => ({
    ...row,
    longitude: numberOrNull(row.longitude),
    latitude: numberOrNull(row.latitude),
    updatedAt: iso(row.updatedAt),
  }));
}

export const listLevels = async (db: Db, user: User): Promise<LevelRow[]> => levels(db, user, undefined, await metersByTransformer(db));

const metersUnder = (id: string) => sql`(
  select meter.transformer_id, count(*) from network_level under join transformer t on t.level_id = under.id join meter on meter.transformer_id = t.id
  where under.path @> array[${id}]::bigint[] group by 1)`;

/** Undefined if the level is outside the user's area. Levels above the area are visible in the tree but cannot be changed. */
export async function findLevel(db: Db, user: User, id: string): Promise<LevelRow | undefined> {
  const [row] = await levels(db, user, id, metersUnder(id));
  return row?.isWithin ? row : undefined;
}

export async function pathOf(tx: Tx, id: string): Promise<string[]> {
  const row = await tx.selectFrom('networkLevel').where('id', '=', id).select('path').executeTakeFirst();
  return row?.path ?? [];
}

/** Number of levels from this one down to its deepest descendant: 0 for a leaf. */
export async function heightOf(tx: Tx, id: string): Promise<number> {
  const { rows } = await sql<{ height: number }>`
    select max(cardinality(below.path)) - cardinality(own.path) as height
    from network_level own join network_level below on below.path @> array[own.id] where own.id = ${id} group by own.path`.execute(tx);
  return rows[0]?.height ?? 0;
}

export async function nextSort(tx: Tx, parentId: string | null): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select max(sort) as last from network_level where parent_id is not distinct from ${parentId}`.execute(tx);
  return Math.min(9999, (rows[0]?.last ?? 0) + 10);
}

/** Moves a level before a sibling, or to the end, and renumbers all siblings. */
export async function sortBefore(tx: Tx, id: string, parentId: string | null, beforeId: string | null): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from network_level where parent_id is not distinct from ${parentId} and id <> ${id} order by sort, name`.execute(tx);
  const ids = rows.map((row) => row.id);
  const at = beforeId === null ? -1 : ids.indexOf(beforeId);
  ids.splice(at === -1 ? ids.length : at, 0, id);
  await sql`update network_level l set sort = least(9999, n.k * 10) from unnest(${ids}::bigint[]) with ordinality as n (id, k) where l.id = n.id`.execute(
    tx,
  );
}

/** Moves a level with its whole subtree below another parent in one statement. */
export const hangBelow = (tx: Tx, id: string, parentId: string | null, parentPath: readonly string[], now: Date) =>
  sql`
    with own as (select id, path from network_level where id = ${id})
    update network_level l set
      path = ${[...parentPath]}::bigint[] || l.path[cardinality(own.path):],
      parent_id = case when l.id = own.id then ${parentId}::bigint else l.parent_id end,
      version = case when l.id = own.id then l.version + 1 else l.version end,
      updated_at = case when l.id = own.id then ${now}::timestamptz else l.updated_at end
    from own where l.path @> array[own.id]`.execute(tx);

interface LevelUsers {
  levels: number;
  transformers: number;
  roles: number;
  senders: number;
  rules: number;
}

export async function countUsers(tx: Tx, id: string): Promise<LevelUsers> {
  const { rows } = await sql<LevelUsers>`select
    (select count(*)::int from network_level where parent_id = ${id}) as levels,
    (select count(*)::int from transformer where level_id = ${id}) as transformers,
    (select count(*)::int from role_scope where level_id = ${id}) as roles,
    (select count(*)::int from sender where ${id}::bigint = any(level_ids)) as senders,
    (select count(*)::int from alarm_rule where criteria @> jsonb_build_object('levelIds', jsonb_build_array(${id}::text))) as rules`.execute(
    tx,
  );
  return rows[0] ?? { levels: 0, transformers: 0, roles: 0, senders: 0, rules: 0 };
}

export const lockLevel = (tx: Tx, id: string) => tx.selectFrom('networkLevel').where('id', '=', id).select('id').forUpdate().execute();

export const findLevelCodes = (tx: Tx, codes: readonly string[]) =>
  tx
    .selectFrom('networkLevel')
    .where(isInArray('code', 'text', codes))
    .select(['id', 'code'])
    .execute();

interface LevelColumns {
  name: string;
  code: string;
  type: LevelType;
  sort: number;
  longitude: number | null;
  latitude: number | null;
  note: string | null;
}

/** Inserts a level below the levels of `above`, the ids from the top of the tree to its parent. */
export async function insertLevel(
  tx: Tx,
  columns: LevelColumns & { parentId: string | null },
  above: readonly string[],
  now: Date,
): Promise<string> {
  const { id } = await tx
    .insertInto('networkLevel')
    .values({ ...columns, path: pathBelow(above), createdAt: now, updatedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const updateLevel = (tx: Tx, id: string, change: Partial<LevelColumns>, now: Date) =>
  tx
    .updateTable('networkLevel')
    .set((expression) => ({ ...change, updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

export const deleteLevel = (tx: Tx, id: string) => tx.deleteFrom('networkLevel').where('id', '=', id).execute();
