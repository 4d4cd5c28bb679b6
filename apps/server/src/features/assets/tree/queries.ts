import { nodeOf, type NodeKey, type NodeKind, type TreeNode } from '@hes/contract/asset/tree.ts';
import { sql, type RawBuilder } from 'kysely';
import { metersByTransformer } from '#db/fleet-count.ts';
import { containing } from '#db/paging.ts';
import { levelWalkable, visible } from '#db/scope.ts';
import type { Db, User } from '#db/context.ts';

const SEARCH_LIMIT = 100;
const CHILD_LIMIT = 2000;

type Until = NodeKind;
const DEPTH: Record<Until, number> = { level: 0, transformer: 1, dcu: 2, meter: 3 };
const shows = (until: Until, kind: Until) => DEPTH[kind] <= DEPTH[until];

/** Levels visible to the user that meet a condition on `network_level`, with the number of meters below them in the user's area. */
async function levels(db: Db, user: User, condition: RawBuilder<boolean>, limit: number): Promise<TreeNode[]> {
  const walkable = levelWalkable({ id: sql`network_level.id`, path: sql`network_level.path` }, user);
  const { rows } = await sql<{ id: string; name: string; parentId: string | null; meters: number }>`
    with total as (
      select above.id, sum(m.meters)::int as meters
      from ${await metersByTransformer(db)} as m (transformer_id, meters)
      join transformer on transformer.id = m.transformer_id join network_level at on at.id = transformer.level_id, unnest(at.path) as above (id)
      where ${visible('transformer.id', user)} group by above.id
    )
    select network_level.id, network_level.name, parent_id, coalesce(total.meters, 0) as meters
    from network_level left join total on total.id = network_level.id
    where ${condition} and ${walkable} order by sort, name limit ${limit}`.execute(db);
  return rows.map((row) => ({
    key: `level:${row.id}`,
    kind: 'level',
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
    title: row.name,
    parentKey: `level:${row.levelId}`,
    isLeaf: !shows(until, 'dcu'),
    meters: row.meters,
    onlineStatus: null,
  }));
}

/** Number of meters of a DCU in the user's area. A meter may have another transformer than its DCU. */
const metersOfDcu = (user: User) =>
  sql<number>`(select count(*)::int from meter where meter.dcu_id = dcu.id and ${visible('meter.transformerId', user)})`;

async function dcus(db: Db, user: User, transformerId: string, until: Until): Promise<TreeNode[]> {
  const rows = await db
    .selectFrom('dcu')
    .where('transformerId', '=', transformerId)
    .where(visible('dcu.transformerId', user))
    .select(['id', 'sn', 'onlineStatus', metersOfDcu(user).as('meters')])
    .orderBy('sn')
    .execute();
  return rows.map((row) => ({
    key: `dcu:${row.id}`,
    kind: 'dcu',
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
    title: row.sn,
    parentKey: `dcu:${dcuId}`,
    isLeaf: true,
    meters: 1,
    onlineStatus: null,
  }));
}

const below = (parentId: string | null) => sql<boolean>`parent_id is not distinct from ${parentId}`;

/** Direct children of a node, or the roots. Sublevels come before transformers. */
export async function findChildren(db: Db, user: User, root: NodeKey | undefined, until: Until): Promise<TreeNode[]> {
  if (root === undefined) return levels(db, user, below(null), CHILD_LIMIT);
  const { kind, id } = nodeOf(root);
  if (kind === 'level') {
    const subLevels = await levels(db, user, below(id), CHILD_LIMIT);
    return shows(until, 'transformer') ? [...subLevels, ...(await transformers(db, user, id, until))] : subLevels;
  }
  if (kind === 'transformer') return shows(until, 'dcu') ? dcus(db, user, id, until) : [];
  return kind === 'dcu' && shows(until, 'meter') ? meters(db, user, id) : [];
}

/** Key of the node above one that is not a level; null if the tree does not contain the node for this user. */
async function parentOf(db: Db, user: User, node: NodeKey): Promise<NodeKey | null> {
  const { kind, id } = nodeOf(node);
  if (kind === 'meter') {
    const meter = await db
      .selectFrom('meter')
      .where('id', '=', id)
      .where(visible('meter.transformerId', user))
      .select('dcuId')
      .executeTakeFirst();
    return meter?.dcuId == null ? null : `dcu:${meter.dcuId}`;
  }
  if (kind === 'dcu') {
    const dcu = await db
      .selectFrom('dcu')
      .where('id', '=', id)
      .where(visible('dcu.transformerId', user))
      .select('transformerId')
      .executeTakeFirst();
    return dcu?.transformerId == null ? null : `transformer:${dcu.transformerId}`;
  }
  const found = await db
    .selectFrom('transformer')
    .where('id', '=', id)
    .where(visible('transformer.id', user))
    .select('levelId')
    .executeTakeFirst();
  return found ? `level:${found.levelId}` : null;
}

/** Keys from the root down to a node. Empty if the node does not exist, is outside the user's area, or is a direct meter. */
export async function findPath(db: Db, user: User, node: NodeKey): Promise<NodeKey[]> {
  const { kind, id } = nodeOf(node);
  if (kind !== 'level') {
    const parent = await parentOf(db, user, node);
    const above = parent === null ? [] : await findPath(db, user, parent);
    return above.length === 0 ? [] : [...above, node];
  }
  const walkable = levelWalkable({ id: sql`network_level.id`, path: sql`network_level.path` }, user);
  const { rows } = await sql<{ path: string[] }>`
    select path::text[] as path from network_level where id = ${id} and ${walkable}`.execute(db);
  return (rows[0]?.path ?? []).map((level) => `level:${level}` as const);
}

interface Found {
  kind: 'transformer' | 'dcu' | 'meter';
  id: string;
  title: string;
  parentId: string | null;
  meters: number;
}

const foundNode = ({ kind, id, title, parentId, meters: count }: Found, until: Until): TreeNode => {
  const node = { title, meters: count, isLeaf: kind === 'meter' || kind === until, onlineStatus: null };
  const under = <K extends NodeKind>(parent: K) => (parentId === null ? null : (`${parent}:${parentId}` as const));
  if (kind === 'transformer') return { ...node, kind, key: `transformer:${id}`, parentKey: under('level') };
  if (kind === 'dcu') return { ...node, kind, key: `dcu:${id}`, parentKey: under('transformer') };
  return { ...node, kind, key: `meter:${id}`, parentKey: under('dcu') };
};

/** Nodes whose name or serial number contains the text, levels first. `until` is the deepest kind of node. */
export async function searchNodes(db: Db, user: User, text: string, until: Until): Promise<TreeNode[]> {
  const like = containing(text);
  const found = await sql<Found>`
    (select 'transformer' as kind, transformer.id, transformer.name as title, level_id as parent_id,
        (select count(*)::int from meter where meter.transformer_id = transformer.id) as meters
      from transformer where ${shows(until, 'transformer')} and transformer.name ilike ${like} and ${visible('transformer.id', user)}
      order by name limit ${SEARCH_LIMIT})
    union all
    (select 'dcu', dcu.id, dcu.sn, transformer_id, ${metersOfDcu(user)}
      from dcu where ${shows(until, 'dcu')} and dcu.sn like upper(${like}) and ${visible('dcu.transformerId', user)} order by sn limit ${SEARCH_LIMIT})
    union all
    (select 'meter', meter.id, meter.sn, dcu_id, 1
      from meter where ${shows(until, 'meter')} and meter.sn like upper(${like}) and ${visible('meter.transformerId', user)}
      order by sn limit ${SEARCH_LIMIT})`.execute(db);
  const named = await levels(db, user, sql<boolean>`network_level.name ilike ${like}`, SEARCH_LIMIT);
  return [...named, ...found.rows.map((row) => foundNode(row, until))];
}
