import { module, type ModuleNode } from '@hes/contract/manager/module.ts';
import { isPageInstalled } from '#http/access/existing-pages.ts';
import { implement } from '#http/implement.ts';
import { findModulesOf, listModules, type MenuRow } from './queries.ts';
import { exportMenu, replaceMenu, restoreMenu } from './menu-file.ts';
import { changeModule, createModule, moveModule, removeModule } from './service.ts';

/** Builds a tree of rows. A module whose parent is missing becomes a root. */
function treeOf(rows: MenuRow[]): ModuleNode[] {
  const nodes = new Map(
    rows.map((row): [string, ModuleNode] => [
      row.id,
      {
        id: row.id,
        path: row.path,
        name: { 'zh-CN': row.nameZh, en: row.nameEn },
        meta: { icon: row.icon },
        sort: row.sort,
        visible: row.visible,
        children: [],
      },
    ]),
  );
  const roots: ModuleNode[] = [];
  for (const row of rows) {
    const node = nodes.get(row.id);
    if (node !== undefined) (nodes.get(row.parentId ?? '')?.children ?? roots).push(node);
  }
  return roots;
}

export const moduleRoutes = implement(module, {
  tree: async ({ ctx, user }) => {
    const modules = await findModulesOf(ctx.db, user.id);
    return treeOf(modules.filter(({ path }) => isPageInstalled(path, ctx.settings.rules)));
  },
  list: async ({ ctx }) => ({ items: await listModules(ctx.db) }),
  create: ({ ctx, user, body, wire }) => createModule(ctx, { user, ip: wire.ip }, body),
  update: ({ ctx, user, params, body, wire }) => changeModule(ctx, { user, ip: wire.ip }, params.id, body),
  remove: ({ ctx, user, params, wire }) => removeModule(ctx, { user, ip: wire.ip }, params.id),
  move: async ({ ctx, user, params, body, wire }) => ({ items: await moveModule(ctx, { user, ip: wire.ip }, { id: params.id, ...body }) }),
  exportTree: ({ ctx }) => exportMenu(ctx),
  importTree: ({ ctx, user, body, wire }) => replaceMenu(ctx, { user, ip: wire.ip }, body, 'file'),
  restore: ({ ctx, user, wire }) => restoreMenu(ctx, { user, ip: wire.ip }),
});
