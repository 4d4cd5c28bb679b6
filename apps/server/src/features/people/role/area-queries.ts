import { idIn, nodeOf, type AreaKey, type KeyOf } from '@hes/contract/asset/tree.ts';
import type { AreaNode, RoleArea, RoleAreaChoice } from '@hes/contract/manager/area.ts';
import { sql, type RawBuilder } from 'kysely';
import { metersByTransformer } from '#db/fleet-count.ts';
import { levelWalkable, levelWithin, transformerWithin } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';

export const areaKind = (seesWhole: boolean, nodes: number): RoleArea['kind'] => (seesWhole ? 'whole' : nodes > 0 ? 'nodes' : 'none');

const isLevel = (key: AreaKey): key is KeyOf<'level'> => nodeOf(key).kind === 'level';

/** Splits keys into the ids of levels and of transformers. */
function idsOf(keys: readonly AreaKey[]): { levelIds: string[]; transformerIds: string[] } {
  const levelIds = new Set<string>();
  const transformerIds = new Set<string>();
  for (const key of keys)
    if (isLevel(key)) levelIds.add(idIn('level', key));
    else transformerIds.add(idIn('transformer', key));
  return { levelIds: [...levelIds], transformerIds: [...transformerIds] };
}

interface NodeRow {
  kind: 'level' | 'transformer';
  id: string;
  title: string;
  above: { id: string; title: string }[];
  meters: number;
  /** The caller's area includes or touches the node: its name may be shown. */
  isKnown: boolean;
  /** The caller's area includes the whole node. */
  isWithin: boolean;
}

/** Existing nodes with these ids: levels first, sorted by name. */
async function findNodes(db: Db, caller: User, keys: readonly AreaKey[]): Promise<NodeRow[]> {
  const { levelIds, transformerIds } = idsOf(keys);
  const levelsOn = (path: RawBuilder<unknown>) =>
    sql`(select coalesce(jsonb_agg(jsonb_build_object('id', p.id::text, 'title', p.name) order by u.depth), '[]')
      from unnest(${path}) with ordinality as u (id, depth) join network_level p on p.id = u.id)`;
  const within = (
    condition: RawBuilder<boolean>,
  ) => sql`(select coalesce(sum(m.meters), 0)::int from counted m join transformer own on own.id = m.transformer_id
    join network_level at on at.id = own.level_id where ${condition} and ${transformerWithin(sql`own.id`, caller.scope)})`;
  const { rows } = await sql<NodeRow>`
    with counted (transformer_id, meters) as (select * from ${await metersByTransformer(db)})
    select 'level' as kind, l.id, l.name as title, ${levelsOn(sql`l.path[:cardinality(l.path) - 1]`)} as above,
      ${within(sql`at.path @> array[l.id]`)} as meters,
      ${levelWalkable({ id: sql`l.id`, path: sql`l.path` }, caller)} as is_known, ${levelWithin(sql`l.path`, caller)} as is_within
    from network_level l where l.id = any(${levelIds}::bigint[])
    union all
    select 'transformer', t.id, t.name, ${levelsOn(sql`l.path`)},
      ${within(sql`own.id = t.id`)},
      ${transformerWithin(sql`t.id`, caller.scope)}, ${transformerWithin(sql`t.id`, caller.scope)}
    from transformer t join network_level l on l.id = t.level_id where t.id = any(${transformerIds}::bigint[])
    order by 1, 3, 2`.execute(db);
  return rows;
}

const keyOf = ({ kind, id }: NodeRow): AreaKey => `${kind}:${id}`;

export interface JudgedNodes {
  /** Keys of nodes that do not exist. */
  unknown: AreaKey[];
  /** Number of nodes outside the caller's area. */
  foreign: number;
}

export async function judgeNodes(db: Db, caller: User, keys: readonly AreaKey[]): Promise<JudgedNodes> {
  const rows = await findNodes(db, caller, keys);
  const known = new Set(rows.map((row) => nodeNumber(keyOf(row))));
  return { unknown: keys.filter((key) => !known.has(nodeNumber(key))), foreign: rows.filter((row) => !row.isWithin).length };
}

/** Normalizes a key: `level:007` and `level:7` are the same node. */
const nodeNumber = (key: AreaKey): string => `${nodeOf(key).kind}:${BigInt(nodeOf(key).id)}`;

/** Names of existing nodes, levels first. Those that the caller's area does not reach are left out. */
export const findNodeNames = async (db: Db, caller: User, keys: readonly AreaKey[]): Promise<string[]> =>
  (await findNodes(db, caller, keys)).flatMap(({ title, isKnown }) => (isKnown ? [title] : []));

/** Whether an area consists of these nodes. */
export function isAreaOf(area: RoleArea, keys: readonly AreaKey[]): boolean {
  if (area.kind !== 'nodes') return false;
  const wanted = new Set(keys.map(nodeNumber));
  return area.nodes.length === wanted.size && area.nodes.every(({ key }) => wanted.has(nodeNumber(key)));
}

/** Area of a role. Nodes that the caller's area does not reach have no name. */
export async function findArea(db: Db, caller: User, roleId: string): Promise<RoleArea> {
  const [role, scope] = await Promise.all([
    db.selectFrom('role').where('id', '=', roleId).select('seesWholeNetwork').executeTakeFirstOrThrow(),
    db.selectFrom('roleScope').where('roleId', '=', roleId).select(['levelId', 'transformerId']).execute(),
  ]);
  const kind = areaKind(role.seesWholeNetwork, scope.length);
  if (kind !== 'nodes') return { kind };
  const keys = scope.map(({ levelId, transformerId }): AreaKey =>
    levelId === null ? `transformer:${transformerId ?? ''}` : `level:${levelId}`,
  );
  const rows = await findNodes(db, caller, keys);
  return {
    kind,
    nodes: rows.map((row): AreaNode => {
      const { title, meters, isKnown } = row;
      const above = row.above.map((level) => ({ key: `level:${level.id}` as const, title: level.title }));
      return isKnown ? { key: keyOf(row), title, above, meters } : { key: keyOf(row), title: null, above: [], meters: 0 };
    }),
  };
}

/** Whether an area includes a node that the previous one does not name. */
function isWider(before: RoleArea, after: RoleAreaChoice): boolean {
  if (before.kind === 'whole' || after.kind === 'none') return false;
  if (before.kind === 'none' || after.kind === 'whole') return true;
  const known = new Set(before.nodes.map(({ key }) => nodeNumber(key)));
  return !after.nodes.every((key) => known.has(nodeNumber(key)));
}

export interface AreaChange {
  before: RoleArea;
  area: RoleAreaChoice;
  by: string;
  now: Date;
}

/** Replaces the area of a role. `judgeNodes` has checked the nodes in this transaction. A wider area counts as a new grant, with its user and time. */
export async function replaceArea(tx: Tx, roleId: string, { before, area, by, now }: AreaChange): Promise<void> {
  await tx.deleteFrom('roleScope').where('roleId', '=', roleId).execute();
  await tx
    .updateTable('role')
    .set({ seesWholeNetwork: area.kind === 'whole', ...(isWider(before, area) ? { areaWidenedAt: now, areaWidenedBy: by } : {}) })
    .where('id', '=', roleId)
    .execute();
  const { levelIds, transformerIds } = idsOf(area.kind === 'nodes' ? area.nodes : []);
  await sql`insert into role_scope (role_id, level_id, transformer_id)
    select ${roleId}::bigint, unnest(${levelIds}::bigint[]), null::bigint
    union select ${roleId}::bigint, null::bigint, unnest(${transformerIds}::bigint[])`.execute(tx);
}

/** Starts the waiting time of a role's rights again, as if its area had been widened by this user. */
export const setAreaWidened = (db: Db, roleId: string, { at, by }: { at: Date; by: string }) =>
  db.updateTable('role').set({ areaWidenedAt: at, areaWidenedBy: by }).where('id', '=', roleId).execute();
