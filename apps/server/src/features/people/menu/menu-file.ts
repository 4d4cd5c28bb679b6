import type { ModuleFile, ModuleRow } from '@hes/contract/manager/module.ts';
import { commitChanges, noticeOf } from '#db/changes.ts';
import { writeAudit } from '#db/audit.ts';
import { changePages } from '#db/right-seals.ts';
import { MODULES } from '#db/seed/modules.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { isFixed } from './fixed.ts';
import { isKept, requireMayHide } from './hiding.ts';
import { deleteModules, grantToAdministrators, hideModules, insertModule, listModules, lockMenu, putModule } from './queries.ts';

type Entry = ModuleFile['modules'][number];

const PATH = { en: 'Path', zh: '路径' };

export async function exportMenu(ctx: Context): Promise<ModuleFile> {
  const modules = await listModules(ctx.db);
  const pathOf = new Map(modules.map(({ id, path }) => [id, path]));
  return {
    modules: modules.map(({ parentId, nameEn, nameZh, path, icon, type, visible }) => {
      const parentPath = parentId === null ? null : (pathOf.get(parentId) ?? null);
      return { nameEn, nameZh, path, icon, type, visible, parentPath };
    }),
  };
}

/** The delivered menu. */
function delivered(): ModuleFile {
  const pathOf = new Map(MODULES.map(({ id, path }) => [id, path]));
  return {
    modules: MODULES.map(({ id: _, parentId, ...module }) => ({
      ...module,
      parentPath: parentId === null ? null : (pathOf.get(parentId) ?? null),
    })),
  };
}

/** Rejects a menu with a duplicate path, with a parent that is not a preceding group, or without a fixed page. */
function check(modules: readonly Entry[], before: readonly ModuleRow[]): void {
  const seen = new Map<string, Entry>();
  for (const module of modules) {
    if (seen.has(module.path)) throw new ApiError('DUPLICATE', { field: PATH, value: module.path }, 'modules');
    if (module.parentPath !== null && seen.get(module.parentPath)?.type !== 'group') throw new ApiError('MODULE_PARENT', {}, 'modules');
    seen.set(module.path, module);
  }
  for (const { path, type } of before.filter((module) => module.isFixed)) {
    const after = seen.get(path);
    if (after === undefined || after.type !== type || after.parentPath === null) throw new ApiError('ADMIN_KEEPS_SYSTEM', {}, 'modules');
  }
  // A new module below a fixed path would be permanently fixed, too.
  const known = new Set(before.map((module) => module.path));
  if (modules.some(({ path }) => isFixed(path) && !known.has(path))) throw new ApiError('ADMIN_KEEPS_SYSTEM', {}, 'modules');
}

/** Throws unless the user may hide every page with rights that the file hides or omits. */
function checkHiding(user: User, modules: readonly Entry[], before: readonly ModuleRow[]): void {
  const shown = new Set(modules.filter(({ visible }) => visible).map(({ path }) => path));
  for (const module of before) if (isKept(module) && module.visible && !shown.has(module.path)) requireMayHide(user, module.path);
}

async function layOut(tx: Tx, modules: readonly Entry[], before: readonly ModuleRow[], now: Date): Promise<void> {
  const kept = new Map(before.map((module) => [module.path, module.id]));
  const ids = new Map<string, string>();
  for (const [sort, { parentPath, ...module }] of modules.entries()) {
    const parentId = parentPath === null ? null : (ids.get(parentPath) ?? null);
    const known = kept.get(module.path);
    const id = known ?? (await insertModule(tx, { ...module, parentId })).id;
    if (known === undefined) await grantToAdministrators(tx, id);
    await putModule(tx, id, { ...module, parentId, sort: sort + 1 }, now);
    ids.set(module.path, id);
  }
  const gone = before.filter(({ path }) => !ids.has(path));
  await hideModules(
    tx,
    gone.filter(isKept).map(({ id }) => id),
    now,
  );
  // Children follow their parents in the list, so deletion runs backwards.
  for (const { id } of gone.filter((module) => !isKept(module)).toReversed()) await deleteModules(tx, [id]);
}

/** Replaces the whole menu. The path identifies a module, which keeps its rights. Hides pages with rights that the file omits. */
export async function replaceMenu(ctx: Context, { user, ip }: Who, file: ModuleFile, from: 'file' | 'delivered') {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      await lockMenu(tx);
      const before = await listModules(tx);
      check(file.modules, before);
      checkHiding(user, file.modules, before);
      await changePages(tx, () => layOut(tx, file.modules, before, new Date(now)));
      const paths = new Set(file.modules.map(({ path }) => path));
      const known = new Set(before.map(({ path }) => path));
      const detail = {
        from,
        added: [...paths].filter((path) => !known.has(path)),
        deleted: before.filter((module) => !paths.has(module.path) && !isKept(module)).map(({ path }) => path),
        hidden: before.filter((module) => !paths.has(module.path) && isKept(module)).map(({ path }) => path),
      };
      await writeAudit(tx, { userId: user.id, action: 'menu_replaced', entity: 'module', entityId: null, detail, ip }, now);
    },
    () => [noticeOf('modules')],
  );
  return { items: await listModules(ctx.db) };
}

export const restoreMenu = (ctx: Context, who: Who) => replaceMenu(ctx, who, delivered(), 'delivered');
