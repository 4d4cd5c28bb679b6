import type { ModuleRow } from '@hes/contract/manager/module.ts';
import { ADMIN_ROLE, type Permission, type RoleRow } from '@hes/contract/manager/role.ts';
import { ACTIONS } from '@hes/contract/core/route.ts';
import { changedFields, writeAudit, type AuditEntry } from '#db/audit.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { listModules } from '#modules/manager/module/api.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Db, Tx, Who } from '#platform/context.ts';
import { announce } from '#platform/notices.ts';
import {
  deleteRole,
  findGrants,
  findHolders,
  findLevels,
  findLevelsWithin,
  findRole,
  insertRole,
  isAdministrator,
  lockRole,
  replaceGrants,
  updateRole,
  type Grants,
} from './queries.ts';
import { isWithinOwn, requireReach } from './reach.ts';

const CODE = { en: 'Role Code', zh: '角色编码' };

export async function getRole(db: Db, id: string): Promise<RoleRow> {
  const role = await findRole(db, id);
  if (role === undefined) throw new ApiError('NOT_FOUND');
  return role;
}

/** The role, locked; `STALE` when it is no longer what the form was filled from. */
async function takeRole(tx: Tx, id: string, version?: number): Promise<RoleRow> {
  await lockRole(tx, id);
  const role = await getRole(tx, id);
  if (version !== undefined && role.version !== version) throw new ApiError('STALE', {}, undefined, { ...role });
  return role;
}

const audit = (tx: Tx, { user, ip }: Who, entry: Pick<AuditEntry, 'action' | 'entityId' | 'detail'>, now: number) =>
  writeAudit(tx, { userId: user.id, entity: 'role', ip, ...entry }, now);

export async function createRole(
  ctx: Context,
  who: Who,
  fields: { code: string; name: string; description: string | null },
): Promise<RoleRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const id = await refuseDuplicate({ field: 'code', label: CODE, value: fields.code }, insertRole(tx, fields, new Date(now)));
    await audit(tx, who, { action: 'role_created', entityId: id, detail: { after: fields } }, now);
    return getRole(tx, id);
  });
}

export async function changeRole(
  ctx: Context,
  who: Who,
  { id, version, ...change }: { id: string; version: number; name: string; description: string | null },
): Promise<RoleRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const before = await takeRole(tx, id, version);
    await updateRole(tx, id, change, new Date(now));
    await audit(tx, who, { action: 'role_changed', entityId: id, detail: changedFields({ ...before }, change) }, now);
    return getRole(tx, id);
  });
}

export async function removeRole(ctx: Context, who: Who, id: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const role = await takeRole(tx, id);
    if (role.isBuiltin) throw new ApiError('BUILT_IN');
    if (role.users > 0)
      throw new ApiError('IN_USE', { by: { en: `users who hold this role: ${role.users}`, zh: `${role.users}个用户拥有此角色` } });
    await requireReach(tx, who.user, [id]);
    const before = { code: role.code, name: role.name, ...(await spokenGrants(tx, id, await listModules(tx))) };
    await deleteRole(tx, id);
    await audit(tx, who, { action: 'role_deleted', entityId: id, detail: { before } }, now);
  });
}

export async function getPermission(db: Db, id: string): Promise<Permission> {
  const { version } = await getRole(db, id);
  return { ...(await findGrants(db, id)), version };
}

type Wanted = Omit<Permission, 'version'>;

/** What was ticked, in the form in which it is stored: pages only, with `view` on each of them. */
async function grantsOf(tx: Tx, wanted: Wanted, menu: readonly ModuleRow[]): Promise<{ grants: Grants; rights: string[] }> {
  const modules = new Map(menu.map((module) => [module.id, module]));
  const known = new Set(await findLevels(tx, wanted.levelIds));
  const chosen = new Set(wanted.moduleIds);
  if (![...chosen].every((id) => modules.has(id))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'moduleIds');
  if (!wanted.levelIds.every((id) => known.has(id))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'levelIds');
  if (!wanted.actions.every(({ moduleId }) => chosen.has(moduleId))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'actions');
  const pages = [...chosen].map((id) => modules.get(id)).filter((module) => module?.type === 'page');
  const actions = pages.map((page) => {
    const ticked = new Set(wanted.actions.filter(({ moduleId }) => moduleId === page?.id).flatMap((entry) => entry.actions));
    return {
      moduleId: page?.id ?? '',
      path: page?.path ?? '',
      actions: ACTIONS.filter((action) => action === 'view' || ticked.has(action)),
    };
  });
  return {
    grants: {
      moduleIds: actions.map(({ moduleId }) => moduleId),
      actions: actions.map(({ moduleId, actions: words }) => ({ moduleId, actions: words })),
      levelIds: [...new Set(wanted.levelIds)],
    },
    rights: actions.flatMap(({ path, actions: words }) => words.map((word) => `${path} ${word}`)),
  };
}

/** The administrator sees the whole network and may do everything on the pages of System Management. */
function requireSystemPages(grants: Grants, menu: readonly ModuleRow[]): void {
  const held = new Map(grants.actions.map(({ moduleId, actions }) => [moduleId, actions.length]));
  const pages = menu.filter((module) => module.isFixed && module.type === 'page');
  if (grants.levelIds.length > 0 || !pages.every((page) => held.get(page.id) === ACTIONS.length)) throw new ApiError('ADMIN_KEEPS_SYSTEM');
}

/** What a role may do, for the audit log: by the paths of pages, because their numbers tell a reader nothing. */
async function spokenGrants(
  tx: Tx,
  id: string,
  menu: readonly ModuleRow[],
): Promise<{ rights: Record<string, string[]>; levelIds: string[] }> {
  const { actions, levelIds } = await findGrants(tx, id);
  const paths = new Map(menu.map((module) => [module.id, module.path]));
  return { rights: Object.fromEntries(actions.map(({ moduleId, actions: words }) => [paths.get(moduleId) ?? moduleId, words])), levelIds };
}

/** Replaces what a role may do. Who holds it is limited from the next call on, and told. */
export async function setPermission(
  ctx: Context,
  who: Who,
  { id, version, ...wanted }: { id: string; version: number } & Wanted,
): Promise<Permission> {
  const now = ctx.clock.now();
  const holders = await ctx.db.transaction().execute(async (tx) => {
    const role = await takeRole(tx, id, version);
    const menu = await listModules(tx);
    const { grants, rights } = await grantsOf(tx, wanted, menu);
    if (role.code === ADMIN_ROLE) requireSystemPages(grants, menu);
    await requireReach(tx, who.user, [id]);
    const within = await findLevelsWithin(tx, who.user, grants.levelIds);
    const reach = { rights, isUnlimited: grants.levelIds.length === 0, foreignLevels: grants.levelIds.length - within.length };
    if (!isWithinOwn(who.user, reach) && !(await isAdministrator(tx, who.user.id))) throw new ApiError('BEYOND_OWN_RIGHTS');
    const before = await spokenGrants(tx, id, menu);
    await replaceGrants(tx, id, grants);
    await updateRole(tx, id, {}, new Date(now));
    const detail = { code: role.code, ...changedFields({ ...before }, { ...(await spokenGrants(tx, id, menu)) }) };
    await audit(tx, who, { action: 'role_permission_changed', entityId: id, detail }, now);
    return findHolders(tx, id);
  });
  announce(ctx, 'permissions', holders);
  return getPermission(ctx.db, id);
}
