import type { ModuleRow } from '@hes/contract/manager/module.ts';
import { ADMIN_ROLE } from '@hes/contract/manager/role.ts';
import { ACTIONS } from '@hes/contract/core/route.ts';
import { actionsOfPage } from '@hes/contract/page-actions.ts';
import { sql } from 'kysely';
import type { Db } from '#db/context.ts';
import { isFixed } from './fixed.ts';

export interface MenuRow {
  id: string;
  parentId: string | null;
  path: string;
  nameEn: string;
  nameZh: string;
  icon: string;
  sort: number;
  visible: boolean;
}

/** Pages of a user's roles in the order of the menu, with their groups. Groups without such a page are omitted. */
export async function findModulesOf(db: Db, userId: string): Promise<MenuRow[]> {
  const { rows } = await sql<MenuRow>`
    with recursive mine as (
      select m.* from module m where m.type = 'page'
        and exists (select from role_module rm join user_role ur on ur.role_id = rm.role_id where rm.module_id = m.id and ur.user_id = ${userId})
      union
      select above.* from module above join mine on mine.parent_id = above.id
    )
    select id, parent_id, path, name_en, name_zh, icon, sort, visible from mine order by sort, id`.execute(db);
  return rows;
}

const COLUMNS = ['id', 'parentId', 'path', 'nameEn', 'nameZh', 'icon', 'type', 'sort', 'visible', 'version'] as const;

type Stored = Omit<ModuleRow, 'isFixed' | 'actions'>;
const toRow = (row: Stored): ModuleRow => ({
  ...row,
  isFixed: isFixed(row.path),
  actions: row.type === 'page' ? actionsOfPage(row.path) : [],
});

/** All modules, parents before children, siblings in the order of the menu. */
export async function listModules(db: Db): Promise<ModuleRow[]> {
  const rows = (await db.selectFrom('module').select(COLUMNS).orderBy('sort').orderBy('id').execute()).map(toRow);
  const children = Map.groupBy(rows, (row) => row.parentId);
  const inOrder = (parentId: string | null): ModuleRow[] => (children.get(parentId) ?? []).flatMap((row) => [row, ...inOrder(row.id)]);
  return inOrder(null);
}

/** Reads a module and locks it until the transaction ends. */
export async function findModuleForUpdate(db: Db, id: string): Promise<ModuleRow | undefined> {
  const row = await db.selectFrom('module').where('id', '=', id).select(COLUMNS).forUpdate().executeTakeFirst();
  return row && toRow(row);
}

export const hasChildren = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('module').where('parentId', '=', id).select('id').limit(1).executeTakeFirst()) !== undefined;

/** Whether `id` equals `below` or is one of its descendants. */
export async function isBelow(db: Db, id: string, below: string): Promise<boolean> {
  const { rows } = await sql`
    with recursive above as (
      select id, parent_id from module where id = ${id}
      union
      select m.id, m.parent_id from module m join above on above.parent_id = m.id
    )
    select from above where id = ${below}`.execute(db);
  return rows.length > 0;
}

/** Serializes moves in the menu: two concurrent moves could form a cycle. */
export const lockMenu = (db: Db) => sql`lock table module in share row exclusive mode`.execute(db);

const lastSort = (parentId: string | null) =>
  sql<number>`(select coalesce(max(sort), 0) + 1 from module where parent_id is not distinct from ${parentId})`;

export type NewModule = Omit<Stored, 'id' | 'sort' | 'version'>;

export async function insertModule(db: Db, module: NewModule): Promise<ModuleRow> {
  const row = await db
    .insertInto('module')
    .values({ ...module, sort: lastSort(module.parentId) })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return toRow(row);
}

/** Grants a new page with all actions to the role of administrators. */
export async function grantToAdministrators(db: Db, moduleId: string): Promise<void> {
  await sql`insert into role_module (role_id, module_id) select id, ${moduleId} from role where code = ${ADMIN_ROLE}`.execute(db);
  await sql`
    insert into role_action (role_id, module_id, action)
    select id, ${moduleId}, unnest(${[...ACTIONS]}::text[]) from role where code = ${ADMIN_ROLE}`.execute(db);
}

export interface ModuleChange {
  nameEn: string;
  nameZh: string;
  path: string;
  icon: string;
  visible: boolean;
}

export const updateModule = (db: Db, id: string, change: ModuleChange, now: Date) =>
  db
    .updateTable('module')
    .set((expression) => ({ ...change, updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

export const deleteModule = (db: Db, id: string) => db.deleteFrom('module').where('id', '=', id).execute();

/** Moves a module below `parentId` in front of `beforeId`, and renumbers the siblings. */
export async function placeModule(
  db: Db,
  id: string,
  place: { parentId: string | null; beforeId: string | null },
  now: Date,
): Promise<void> {
  const siblings = await db
    .selectFrom('module')
    .where(sql<boolean>`parent_id is not distinct from ${place.parentId}`)
    .where('id', '<>', id)
    .select('id')
    .orderBy('sort')
    .orderBy('id')
    .execute();
  const ids = siblings.map((row) => row.id);
  const at = place.beforeId === null ? -1 : ids.indexOf(place.beforeId);
  ids.splice(at === -1 ? ids.length : at, 0, id);
  await db
    .updateTable('module')
    .set((expression) => ({ parentId: place.parentId, updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
  await sql`update module set sort = place.number from unnest(${ids}::bigint[]) with ordinality as place (id, number) where module.id = place.id`.execute(
    db,
  );
}

/** Hides modules and removes them from their groups, so that the groups can be deleted. */
export async function hideModules(db: Db, ids: readonly string[], now: Date): Promise<void> {
  await db
    .updateTable('module')
    .set((expression) => ({ parentId: null, visible: false, updatedAt: now, version: expression('version', '+', 1) }))
    .where(sql<boolean>`id = any(${[...ids]}::bigint[])`)
    .execute();
}

/** Deletes modules within the transaction that replaces the menu. */
export const deleteModules = (db: Db, ids: readonly string[]) =>
  db
    .deleteFrom('module')
    .where(sql<boolean>`id = any(${[...ids]}::bigint[])`)
    .execute();

export const putModule = (db: Db, id: string, module: ModuleChange & { parentId: string | null; type: string; sort: number }, now: Date) =>
  db
    .updateTable('module')
    // as: the contract allows groups and pages only.
    .set((expression) => ({ ...module, type: module.type as 'group' | 'page', updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
