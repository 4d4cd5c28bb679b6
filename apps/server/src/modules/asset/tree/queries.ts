import type { TreeNode } from '@hes/contract/asset/tree.ts';
import { sql } from 'kysely';
import { metersByTransformer } from '#db/fleet-count.ts';
import { containing } from '#db/paging.ts';
import { nodeOf, visible } from '#db/scope.ts';
import type { Db, User } from '#platform/context.ts';

const SEARCH_LIMIT = 100;
const CHILD_LIMIT = 2000;

type Until = 'level' | 'transformer' | 'dcu' | 'meter';
const DEPTH: Record<Until, number> = { level: 0, transformer: 1, dcu: 2, meter: 3 };
const shows = (until: Until, kind: Until) => DEPTH[kind] <= DEPTH[until];

/** Levels a limited user may walk through: those above, at and under the levels of the scope. */
const walkable = (user: User) =>
  user.scope.length === 0
    ? sql<boolean>`true`
    : sql<boolean>`(network_level.path && ${[...user.scope]}::bigint[] or exists (
        select from network_level as own where own.id = any(${[...user.scope]}::bigint[]) and own.path @> array[network_level.id]))`;

async function levels(db: Db, user: User, parentId: string | null): Promise<TreeNode[]> {
  const { rows } = await sql<{ id: string; name: string; parentId: string | null; meters: number }>`
    with total as (
      select above.id, sum(m.meters)::int as meters
      from ${await metersByTransformer(db)} as m (transformer_id, meters)
      join transformer on transformer.id = m.transformer_id join network_level at on at.id = transformer.level_id, unnest(at.path) as above (id)
      group by above.id
    )
    select network_level.id, network_level.name, parent_id, coalesce(total.meters, 0) as meters
    from network_level left join total on total.id = network_level.id
    where parent_id is not distinct from ${parentId} and ${walkable(user)} order by sort, name limit ${CHILD_LIMIT}`.execute(db);
  return rows.map((row) => ({
    key: `level:${row.id}`,
    kind: 'level',
    id: row.id,
    title: row.name,
    parentKey: row.parentId === null ? null : `level:${row.parentId}`,
    isLeaf: false,
    meters: row.meters,
    onlineStatus: null,
  }));
}

async function transformers(db: Db, user: User, levelId: string, until: Until): Promise<TreeNode[]> {
  const rows = await db
    .selectFrom('transformer')
    .where('levelId', '=', levelId)
    .where(visible('transformer.id', user))
    .select([
      'id',
      'name',
      'levelId',
      sql<number>`(select count(*)::int from meter where meter.transformer_id = transformer.id)`.as('meters'),
    ])
    .orderBy('name')
    .limit(CHILD_LIMIT)
    .execute();
  return rows.map((row) => ({
    key: `transformer:${row.id}`,
    kind: 'transformer',
    id: row.id,
    title: row.name,
    parentKey: `level:${row.levelId}`,
    isLeaf: !shows(until, 'dcu'),
    meters: row.meters,
    onlineStatus: null,
  }));
}

async function dcus(db: Db, user: User, transformerId: string, until: Until): Promise<TreeNode[]> {
  const rows = await db
    .selectFrom('dcu')
    .where('transformerId', '=', transformerId)
    .where(visible('dcu.transformerId', user))
    .select(['id', 'sn', 'onlineStatus', sql<number>`(select count(*)::int from meter where meter.dcu_id = dcu.id)`.as('meters')])
    .orderBy('sn')
    .execute();
  return rows.map((row) => ({
    key: `dcu:${row.id}`,
    kind: 'dcu',
    id: row.id,
    title: row.sn,
    parentKey: `transformer:${transformerId}`,
    isLeaf: !shows(until, 'meter') || row.meters === 0,
    meters: row.meters,
    onlineStatus: row.onlineStatus,
  }));
}

async function meters(db: Db, user: User, dcuId: string): Promise<TreeNode[]> {
  const rows = await db
    .selectFrom('meter')
    .where('dcuId', '=', dcuId)
    .where(visible('meter.transformerId', user))
    .select(['id', 'sn'])
    .orderBy('isMaster', 'desc')
    .orderBy('sn')
    .limit(CHILD_LIMIT)
    .execute();
  return rows.map((row) => ({
    key: `meter:${row.id}`,
    kind: 'meter',
    id: row.id,
    title: row.sn,
    parentKey: `dcu:${dcuId}`,
    isLeaf: true,
    meters: 1,
    onlineStatus: null,
  }));
}

/** Direct children of a node, or the roots; a level's own sub-levels come before its transformers. */
export async function findChildren(db: Db, user: User, root: string | undefined, until: Until): Promise<TreeNode[]> {
  if (root === undefined) return levels(db, user, null);
  const { kind, id } = nodeOf(root);
  if (kind === 'level') {
    const below = await levels(db, user, id);
    return shows(until, 'transformer') ? [...below, ...(await transformers(db, user, id, until))] : below;
  }
  if (kind === 'transformer') return shows(until, 'dcu') ? dcus(db, user, id, until) : [];
  return kind === 'dcu' && shows(until, 'meter') ? meters(db, user, id) : [];
}

/** Nodes whose name or serial number holds the text: transformers, DCUs and meters in one short list. */
export async function searchNodes(db: Db, user: User, text: string): Promise<TreeNode[]> {
  const like = containing(text);
  const found = await sql<{ kind: 'transformer' | 'dcu' | 'meter'; id: string; title: string; parentKey: string | null; meters: number }>`
    (select 'transformer' as kind, transformer.id, transformer.name as title, 'level:' || level_id as parent_key,
        (select count(*)::int from meter where meter.transformer_id = transformer.id) as meters
      from transformer where transformer.name ilike ${like} and ${visible('transformer.id', user)} order by name limit ${SEARCH_LIMIT})
    union all
    (select 'dcu', dcu.id, dcu.sn, 'transformer:' || transformer_id, (select count(*)::int from meter where meter.dcu_id = dcu.id)
      from dcu where dcu.sn like upper(${like}) and ${visible('dcu.transformerId', user)} order by sn limit ${SEARCH_LIMIT})
    union all
    (select 'meter', meter.id, meter.sn, 'dcu:' || dcu_id, 1
      from meter where meter.sn like upper(${like}) and ${visible('meter.transformerId', user)} order by sn limit ${SEARCH_LIMIT})`.execute(
    db,
  );
  return found.rows.map((row) => ({ ...row, key: `${row.kind}:${row.id}`, isLeaf: row.kind === 'meter', onlineStatus: null }));
}
