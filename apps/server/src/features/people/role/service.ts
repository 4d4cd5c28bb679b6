import { fill } from '@hes/contract/core/text.ts';
import { relay } from '@hes/contract/action/relay.ts';
import type { ModuleRow } from '@hes/contract/manager/module.ts';
import type { RoleArea, RoleAreaChoice } from '@hes/contract/manager/area.ts';
import { ADMIN_ROLE, type Permission, type PermissionChange, type RoleRow } from '@hes/contract/manager/role.ts';
import { ACTIONS } from '@hes/contract/core/route.ts';
import { commitChanges, noticeOf } from '#db/changes.ts';
import { changedFields, writeAudit, type AuditEntry } from '#db/audit.ts';
import { changeWithStopHolder } from '#db/right-holders.ts';
import { changeRights, sealAsFound } from '#db/right-seals.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { findProviders } from '#features/people/external/provider-queries.ts';
import { listModules } from '#features/people/menu/queries.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, Db, Scope, Tx, User, Who } from '#db/context.ts';
import {
  deleteRole,
  findGrants,
  findHolders,
  findRole,
  insertRole,
  isAdministrator,
  lockRole,
  replaceGrants,
  updateRole,
  type Grants,
} from './queries.ts';
import { findArea, judgeNodes, replaceArea, setAreaWidened } from './area-queries.ts';
import { isWithinOwn, requireReach } from './reach.ts';

const CODE = { en: 'Role code', zh: '角色编码' };

export async function getRole(db: Db, id: string): Promise<RoleRow> {
  const role = await findRole(db, id);
  if (role === undefined) throw new ApiError('NOT_FOUND');
  return role;
}

/** Reads and locks a role. Throws `STALE` if its version is not the version of the form. */
async function takeRole(tx: Tx, id: string, version?: number): Promise<RoleRow> {
  await lockRole(tx, id);
  const role = await getRole(tx, id);
  if (version !== undefined && role.version !== version) throw stale(role);
  return role;
}

const audit = (tx: Tx, { user, ip }: Who, entry: Pick<AuditEntry, 'action' | 'entityId' | 'detail'>, now: number) =>
  writeAudit(tx, { userId: user.id, entity: 'role', ip, ...entry }, now);

interface NewRole {
  code: string;
  name: string;
  description: string | null;
}

/** Adds a role without permissions within a transaction. */
export async function addRole(tx: Tx, who: Who, fields: NewRole, now: number): Promise<RoleRow> {
  const id = await refuseDuplicate({ field: 'code', label: CODE, value: fields.code }, insertRole(tx, fields, new Date(now)));
  await sealAsFound(tx, [{ kind: 'role', id }]);
  await audit(tx, who, { action: 'role_created', entityId: id, detail: { after: fields } }, now);
  return getRole(tx, id);
}

export const createRole = (ctx: Context, who: Who, fields: NewRole): Promise<RoleRow> =>
  ctx.db.transaction().execute((tx) => addRole(tx, who, fields, ctx.clock.now()));

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

/** Refuses a role that groups of an identity provider give: their users would lose it at the next sign-in. */
async function requireNoProvider(ctx: Context, tx: Tx, id: string): Promise<void> {
  const givers = (await findProviders({ ...ctx, db: tx })).filter(({ content }) =>
    content?.mapping.some(({ roleIds }) => roleIds.includes(id)),
  );
  if (givers.length === 0) return;
  const names = givers.map(({ name }) => name).join(', ');
  throw new ApiError('IN_USE', {
    by: fill({ en: 'identity providers whose groups give this role: {names}', zh: '其用户组对应此角色的身份提供方：{names}' }, { names }),
  });
}

export async function removeRole(ctx: Context, who: Who, id: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const role = await takeRole(tx, id);
    if (role.isBuiltin) throw new ApiError('BUILT_IN');
    if (role.users > 0)
      throw new ApiError('IN_USE', {
        by: fill({ en: 'users who hold this role: {count}', zh: '{count}个用户拥有此角色' }, { count: role.users }),
      });
    await requireReach(tx, who.user, [id]);
    await requireNoProvider(ctx, tx, id);
    const before = { code: role.code, name: role.name, ...(await spokenGrants(tx, who.user, id, await listModules(tx))) };
    await changeRights(tx, [{ kind: 'role', id }], () => deleteRole(tx, id));
    await audit(tx, who, { action: 'role_deleted', entityId: id, detail: { before } }, now);
  });
}

/** Seals a role that was changed outside the product. Its rights count as new: dangerous actions are blocked for one day. */
export async function sealRole(ctx: Context, who: Who, { id, reason }: { id: string; reason: string }): Promise<RoleRow> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const role = await takeRole(tx, id);
      if (role.isSealed) throw new ApiError('NOTHING_TO_DO');
      await requireReach(tx, who.user, [id]);
      await setAreaWidened(tx, id, { at: new Date(now), by: who.user.id });
      await updateRole(tx, id, {}, new Date(now));
      await sealAsFound(tx, [{ kind: 'role', id }]);
      await audit(tx, who, { action: 'role_sealed', entityId: id, detail: { code: role.code, reason } }, now);
      return findHolders(tx, id);
    },
    (done) => [noticeOf('permissions', done)],
  );
  return getRole(ctx.db, id);
}

export async function getPermission(db: Db, user: User, id: string): Promise<Permission> {
  const { version } = await getRole(db, id);
  const [grants, area] = await Promise.all([findGrants(db, id), findArea(db, user, id)]);
  return { ...grants, area, version };
}

type Wanted = Omit<PermissionChange, 'version'>;

/** Converts the selected modules and actions into stored grants: pages only, each with `view`. */
function grantsOf(wanted: Wanted, menu: readonly ModuleRow[]): { grants: Grants; rights: string[] } {
  const modules = new Map(menu.map((module) => [module.id, module]));
  const chosen = new Set(wanted.moduleIds);
  if (![...chosen].every((id) => modules.has(id))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'moduleIds');
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
    },
    rights: actions.flatMap(({ path, actions: words }) => words.map((word) => `${path} ${word}`)),
  };
}

/** Throws if the role of administrators would lose the whole network or a right on the pages of System Management. */
function requireSystemPages(grants: Grants, area: RoleAreaChoice, menu: readonly ModuleRow[]): void {
  const held = new Map(grants.actions.map(({ moduleId, actions }) => [moduleId, actions.length]));
  const pages = menu.filter((module) => module.isFixed && module.type === 'page');
  if (area.kind !== 'whole' || !pages.every((page) => held.get(page.id) === ACTIONS.length)) throw new ApiError('ADMIN_KEEPS_SYSTEM');
}

/** Rights and area of a role for the audit log, by the paths of pages instead of ids. */
async function spokenGrants(tx: Tx, user: User, id: string, menu: readonly ModuleRow[]) {
  const [{ actions }, area] = await Promise.all([findGrants(tx, id), findArea(tx, user, id)]);
  const paths = new Map(menu.map((module) => [module.id, module.path]));
  const rights = Object.fromEntries(actions.map(({ moduleId, actions: words }) => [paths.get(moduleId) ?? moduleId, words]));
  return { rights, ...spokenArea(area) };
}

/** Area for the audit log with the current names of its nodes, which may be renamed later. */
function spokenArea(area: RoleArea): { area: RoleArea['kind']; areaNodes: string[] } {
  if (area.kind !== 'nodes') return { area: area.kind, areaNodes: [] };
  return {
    area: 'nodes',
    areaNodes: area.nodes.map(({ key, title, above }) => `${[...above.map((level) => level.title), title ?? '—'].join(' / ')} (${key})`),
  };
}

/** Replaces rights and area of a locked role within a transaction. */
export async function grantInside(tx: Tx, who: Who, role: Pick<RoleRow, 'id' | 'code'>, wanted: Wanted, now: number): Promise<void> {
  const { id, code } = role;
  const menu = await listModules(tx);
  const { grants, rights } = grantsOf(wanted, menu);
  if (code === ADMIN_ROLE) requireSystemPages(grants, wanted.area, menu);
  await requireReach(tx, who.user, [id]);
  const nodes = wanted.area.kind === 'nodes' ? wanted.area.nodes : [];
  const { unknown } = await judgeNodes(tx, who.user, nodes);
  if (unknown[0] !== undefined) throw new ApiError('UNKNOWN_NODE', { node: unknown[0] }, 'area');
  const isAreaWithin = async (scope: Scope) =>
    scope.kind === 'whole' || (wanted.area.kind !== 'whole' && (await judgeNodes(tx, { ...who.user, scope }, nodes)).foreign === 0);
  if (!(await isAdministrator(tx, who.user.id)) && !(await isWithinOwn(who.user, rights, isAreaWithin)))
    throw new ApiError('BEYOND_OWN_RIGHTS');
  const before = await spokenGrants(tx, who.user, id, menu);
  const area = { before: await findArea(tx, who.user, id), area: wanted.area, by: who.user.id, now: new Date(now) };
  const grant = { grantedBy: who.user.id, grantedAt: new Date(now) };
  await changeWithStopHolder(tx, relay.stop.allow, () =>
    changeRights(tx, [{ kind: 'role', id }], async () => {
      await replaceGrants(tx, id, grants, grant);
      await replaceArea(tx, id, area);
    }),
  );
  await updateRole(tx, id, {}, new Date(now));
  const detail = { code, ...changedFields({ ...before }, { ...(await spokenGrants(tx, who.user, id, menu)) }) };
  await audit(tx, who, { action: 'role_permission_changed', entityId: id, detail }, now);
}

/** Replaces rights and area of a role. They apply from the next call of its users, whose consoles are notified. */
export async function setPermission(
  ctx: Context,
  who: Who,
  { id, version, ...wanted }: { id: string; version: number } & Wanted,
): Promise<Permission> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const role = await takeRole(tx, id);
      if (role.version !== version) throw stale(await getPermission(tx, who.user, id));
      await grantInside(tx, who, role, wanted, now);
      return findHolders(tx, id);
    },
    (done) => [noticeOf('permissions', done)],
  );
  return getPermission(ctx.db, who.user, id);
}
