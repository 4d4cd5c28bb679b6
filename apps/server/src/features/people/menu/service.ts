import type { ModuleRow } from '@hes/contract/manager/module.ts';
import { commitChanges, noticeOf } from '#db/changes.ts';
import { changedFields, writeAudit } from '#db/audit.ts';
import { changePages } from '#db/right-seals.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { isAdministrator } from '#features/people/role/queries.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, Tx, Who } from '#db/context.ts';
import { isFixed } from './fixed.ts';
import { isKept, requireMayHide } from './hiding.ts';
import {
  deleteModule,
  findModuleForUpdate,
  grantToAdministrators,
  hasChildren,
  insertModule,
  isBelow,
  listModules,
  lockMenu,
  placeModule,
  updateModule,
  type ModuleChange,
} from './queries.ts';

const PATH = { en: 'Path', zh: '路径' };
const uniquePath = (path: string) => ({ field: 'path', label: PATH, value: path });

async function getModule(tx: Tx, id: string, version?: number): Promise<ModuleRow> {
  const module = await findModuleForUpdate(tx, id);
  if (module === undefined) throw new ApiError('NOT_FOUND');
  if (version !== undefined && module.version !== version) throw stale(module);
  return module;
}

async function checkParent(tx: Tx, parentId: string | null): Promise<void> {
  if (parentId !== null && (await findModuleForUpdate(tx, parentId))?.type !== 'group') throw new ApiError('MODULE_PARENT', {}, 'parentId');
}

const audit = (
  tx: Tx,
  { user, ip }: Who,
  entry: { action: 'module_created' | 'module_changed' | 'module_moved' | 'module_deleted'; id: string; detail: Record<string, unknown> },
  now: number,
) => writeAudit(tx, { userId: user.id, action: entry.action, entity: 'module', entityId: entry.id, detail: entry.detail, ip }, now);

export async function createModule(
  ctx: Context,
  who: Who,
  fields: ModuleChange & { type: 'group' | 'page'; parentId: string | null },
): Promise<ModuleRow> {
  const now = ctx.clock.now();
  const module = await commitChanges(
    ctx,
    async (tx) => {
      await lockMenu(tx);
      await checkParent(tx, fields.parentId);
      const created = await changePages(tx, async () => {
        const made = await refuseDuplicate(uniquePath(fields.path), insertModule(tx, fields));
        await grantToAdministrators(tx, made.id);
        return made;
      });
      await audit(tx, who, { action: 'module_created', id: created.id, detail: { after: fields } }, now);
      return created;
    },
    () => [noticeOf('modules')],
  );
  return module;
}

/** Calls are authorized by path, but rights refer to the module: a page with another path moves the rights of every role to that path. */
async function requirePathRight(tx: Tx, who: Who, before: ModuleRow, path: string): Promise<void> {
  if (path === before.path) return;
  if (before.isFixed || isFixed(path)) throw new ApiError('ADMIN_KEEPS_SYSTEM', {}, 'path');
  if (isKept(before)) throw new ApiError('PAGE_KEEPS_PATH', {}, 'path');
  if (before.type === 'page' && !(await isAdministrator(tx, who.user.id))) throw new ApiError('BEYOND_OWN_RIGHTS', {}, 'path');
}

export async function changeModule(ctx: Context, who: Who, id: string, given: ModuleChange & { version: number }): Promise<ModuleRow> {
  const { version, ...change } = given;
  const now = ctx.clock.now();
  const module = await commitChanges(
    ctx,
    async (tx) => {
      const before = await getModule(tx, id, version);
      await requirePathRight(tx, who, before, change.path);
      if (isKept(before) && before.visible && !change.visible) requireMayHide(who.user, before.path);
      await changePages(tx, () => refuseDuplicate(uniquePath(change.path), updateModule(tx, id, change, new Date(now))));
      await audit(tx, who, { action: 'module_changed', id, detail: changedFields({ ...before }, change) }, now);
      return getModule(tx, id);
    },
    () => [noticeOf('modules')],
  );
  return module;
}

const fieldsOf = ({ nameEn, nameZh, path, icon, visible }: ModuleRow): ModuleChange => ({ nameEn, nameZh, path, icon, visible });

/** Hides a page with rights; deletes any other module. */
export async function removeModule(ctx: Context, who: Who, id: string): Promise<void> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      await lockMenu(tx);
      const module = await getModule(tx, id);
      if (module.isFixed) throw new ApiError('ADMIN_KEEPS_SYSTEM');
      if (await hasChildren(tx, id)) throw new ApiError('HAS_CHILDREN');
      if (isKept(module)) {
        requireMayHide(who.user, module.path);
        await updateModule(tx, id, { ...fieldsOf(module), visible: false }, new Date(now));
        await audit(tx, who, { action: 'module_changed', id, detail: changedFields({ visible: module.visible }, { visible: false }) }, now);
        return;
      }
      await changePages(tx, () => deleteModule(tx, id));
      await audit(tx, who, { action: 'module_deleted', id, detail: { before: module } }, now);
    },
    () => [noticeOf('modules')],
  );
}

export interface Move {
  id: string;
  parentId: string | null;
  beforeId: string | null;
  version: number;
}

/** Moves a module. A fixed module stays below a group, because the console does not open pages at the top. */
export async function moveModule(ctx: Context, who: Who, { id, version, ...place }: Move): Promise<ModuleRow[]> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      await lockMenu(tx);
      const before = await getModule(tx, id, version);
      if (before.isFixed && place.parentId === null) throw new ApiError('ADMIN_KEEPS_SYSTEM', {}, 'parentId');
      await checkParent(tx, place.parentId);
      if (place.parentId !== null && (await isBelow(tx, place.parentId, id))) throw new ApiError('MODULE_PARENT', {}, 'parentId');
      await placeModule(tx, id, place, new Date(now));
      const after = await getModule(tx, id);
      await audit(
        tx,
        who,
        { action: 'module_moved', id, detail: changedFields({ ...before }, { parentId: after.parentId, sort: after.sort }) },
        now,
      );
    },
    () => [noticeOf('modules')],
  );
  return listModules(ctx.db);
}
