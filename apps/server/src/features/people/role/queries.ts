import { ADMIN_ROLE, type RoleRow } from '@hes/contract/manager/role.ts';
import type { Action } from '@hes/contract/core/route.ts';
import { deliveredCalled } from '@hes/contract/text/roles.ts';
import { sql, type RawBuilder } from 'kysely';
import { containing, countUpTo, orderOf, type PageQuery } from '#db/paging.ts';
import { isIntact, sealFacts } from '#db/right-seals.ts';
import { scopeRowWithin } from '#db/user-scope.ts';
import type { Db, User } from '#db/context.ts';
import { areaKind } from './area-queries.ts';

const SORT_COLUMNS = { code: 'role.code', name: 'role.name', updatedAt: 'role.updatedAt' } as const;

const withColumns = (db: Db) =>
  db
    .selectFrom('role')
    .select([
      'role.id',
      'role.code',
      'role.name',
      'role.description',
      'role.isBuiltin',
      sql<number>`(select count(*)::int from user_role where user_role.role_id = role.id)`.as('users'),
      sql<number>`(select count(*)::int from role_module rm join module m on m.id = rm.module_id and m.type = 'page' where rm.role_id = role.id)`.as(
        'modules',
      ),
      'role.seesWholeNetwork',
      sql<number>`(select count(*)::int from role_scope where role_scope.role_id = role.id)`.as('nodes'),
      'role.updatedAt',
      'role.version',
      sealFacts('role', sql`role.id`).as('facts'),
    ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];
const toRow = (db: Db, { seesWholeNetwork: isWhole, nodes, facts, ...row }: Selected): RoleRow => ({
  ...row,
  isSealed: isIntact(db, { kind: 'role', id: row.id }, facts),
  area: { kind: areaKind(isWhole, nodes), nodes: isWhole ? 0 : nodes },
  updatedAt: row.updatedAt.toISOString(),
});

/** Matches part of the displayed name in either language: delivered roles are stored in one language and displayed in both. */
function isCalled(part: string): RawBuilder<boolean> {
  const shown = deliveredCalled(part);
  return sql<boolean>`(role.name ilike ${containing(part)} or exists (
    select from unnest(${shown.map(({ code }) => code)}::text[], ${shown.map(({ name }) => name)}::text[]) as d (code, name)
    where d.code = role.code and d.name = role.name))`;
}

export async function listRoles(db: Db, query: PageQuery & { code?: string | undefined; name?: string | undefined }) {
  let rows = withColumns(db);
  if (query.code) rows = rows.where('role.code', 'ilike', containing(query.code));
  if (query.name) rows = rows.where(isCalled(query.name));
  const { column, direction } = orderOf(query.sort, SORT_COLUMNS, 'role.code');
  const [items, counted] = await Promise.all([
    rows
      .orderBy(column, direction)
      .orderBy('role.id')
      .limit(query.size)
      .offset((query.page - 1) * query.size)
      .execute(),
    countUpTo(db, rows),
  ]);
  return { items: items.map((row) => toRow(db, row)), ...counted, page: query.page, size: query.size };
}

export async function findRole(db: Db, id: string): Promise<RoleRow | undefined> {
  const row = await withColumns(db).where('role.id', '=', id).executeTakeFirst();
  return row && toRow(db, row);
}

/** Locks a role against changes and assignments until the transaction ends. */
export const lockRole = (db: Db, id: string) => db.selectFrom('role').where('id', '=', id).select('id').forUpdate().execute();

export const findRoleNames = (db: Db) => db.selectFrom('role').select(['id', 'code', 'name']).orderBy('code').execute();

export async function insertRole(db: Db, role: { code: string; name: string; description: string | null }, now: Date): Promise<string> {
  const { id } = await db
    .insertInto('role')
    .values({ ...role, createdAt: now, updatedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const updateRole = (db: Db, id: string, change: { name?: string; description?: string | null }, now: Date) =>
  db
    .updateTable('role')
    .set((expression) => ({ ...change, updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

export const deleteRole = (db: Db, id: string) => db.deleteFrom('role').where('id', '=', id).execute();

export async function findHolders(db: Db, roleId: string): Promise<string[]> {
  const rows = await db.selectFrom('userRole').where('roleId', '=', roleId).select('userId').execute();
  return rows.map((row) => row.userId);
}

export interface Grants {
  moduleIds: string[];
  actions: { moduleId: string; actions: Action[] }[];
}

/** Pages and actions of a role, without groups, which follow from the pages. */
export async function findGrants(db: Db, roleId: string): Promise<Grants> {
  const [modules, actions] = await Promise.all([
    db
      .selectFrom('roleModule')
      .innerJoin('module', 'module.id', 'roleModule.moduleId')
      .where('roleModule.roleId', '=', roleId)
      .where('module.type', '=', 'page')
      .select('module.id')
      .orderBy('module.id')
      .execute(),
    db.selectFrom('roleAction').where('roleId', '=', roleId).select(['moduleId', 'action']).orderBy('moduleId').orderBy('action').execute(),
  ]);
  return {
    moduleIds: modules.map((row) => row.id),
    actions: [...Map.groupBy(actions, (row) => row.moduleId)].map(([moduleId, rows]) => ({
      moduleId,
      actions: rows.map((row) => row.action),
    })),
  };
}

/** Replaces the rights of a role. Rights that stay keep the user and the time of their grant. */
export async function replaceGrants(
  db: Db,
  roleId: string,
  grants: Grants,
  grant: { grantedBy: string | null; grantedAt: Date },
): Promise<void> {
  const columns = ['moduleId', 'action', 'grantedAt', 'grantedBy'] as const;
  const held = await db.selectFrom('roleAction').where('roleId', '=', roleId).select(columns).execute();
  const given = new Map(held.map((row) => [`${row.moduleId} ${row.action}`, { grantedAt: row.grantedAt, grantedBy: row.grantedBy }]));
  for (const table of ['roleAction', 'roleModule'] as const) await db.deleteFrom(table).where('roleId', '=', roleId).execute();
  if (grants.moduleIds.length > 0)
    await db
      .insertInto('roleModule')
      .values(grants.moduleIds.map((moduleId) => ({ roleId, moduleId })))
      .execute();
  const actions = grants.actions.flatMap(({ moduleId, actions: words }) =>
    words.map((action) => ({ roleId, moduleId, action, ...(given.get(`${moduleId} ${action}`) ?? grant) })),
  );
  if (actions.length > 0) await db.insertInto('roleAction').values(actions).execute();
}

/** Whether the user has the role of administrators. A role with a broken seal does not count. */
export async function isAdministrator(db: Db, userId: string): Promise<boolean> {
  const role = await db
    .selectFrom('userRole')
    .innerJoin('role', 'role.id', 'userRole.roleId')
    .where('userRole.userId', '=', userId)
    .where('role.code', '=', ADMIN_ROLE)
    .select(['role.id', sealFacts('role', sql`role.id`).as('facts')])
    .executeTakeFirst();
  return role !== undefined && isIntact(db, { kind: 'role', id: role.id }, role.facts);
}

export interface RoleReach {
  id: string;
  code: string;
  /** Rights of the role as `path action`. */
  rights: string[];
  /** The role sees the whole network. */
  isUnlimited: boolean;
  /** Number of nodes of the role's area that are outside the caller's area. */
  foreignNodes: number;
}

/** Rights and areas of roles for the comparison with the caller's own rights. */
export async function findReach(db: Db, caller: User, roleIds: readonly string[] | undefined): Promise<RoleReach[]> {
  const wanted = roleIds === undefined ? sql`true` : sql`r.id = any(${[...roleIds]}::bigint[])`;
  const { rows } = await sql<RoleReach>`
    select r.id, r.code,
      coalesce((select array_agg(m.path || ' ' || ra.action) from role_action ra join module m on m.id = ra.module_id where ra.role_id = r.id), '{}') as rights,
      r.sees_whole_network as is_unlimited,
      (select count(*)::int from role_scope rs where rs.role_id = r.id and not ${scopeRowWithin(caller)}) as foreign_nodes
    from role r where ${wanted}`.execute(db);
  return rows;
}
