import { z } from 'zod';
import { id, idParams, listOf } from '../core/page.ts';
import { ACTIONS, route } from '../core/route.ts';
import { nameOf, RULES } from '../core/rules.ts';
import { PAGE_PATH } from '../page/paths.ts';

export interface ModuleNode {
  id: string;
  path: string;
  name: { 'zh-CN': string; en: string };
  meta: { icon: string };
  sort: number;
  visible: boolean;
  children: ModuleNode[];
}
export const moduleNode: z.ZodType<ModuleNode> = z.lazy(() =>
  z.object({
    id,
    path: z.string(),
    name: z.object({ 'zh-CN': z.string(), en: z.string() }),
    meta: z.object({ icon: z.string() }),
    sort: z.number().int(),
    visible: z.boolean(),
    children: z.array(moduleNode),
  }),
);

/** A module of the menu: one row of the administrator's tree table. */
export const moduleRow = z.object({
  id,
  parentId: id.nullable(),
  path: z.string(),
  nameEn: z.string(),
  nameZh: z.string(),
  icon: z.string(),
  type: z.enum(['group', 'page']),
  sort: z.number().int(),
  visible: z.boolean(),
  /** Required by the server: it cannot be deleted, and its path, type and group cannot be changed. */
  isFixed: z.boolean(),
  /** Actions that exist on a page; empty for a group. */
  actions: z.array(z.enum(ACTIONS)),
  version: z.number().int(),
});
export type ModuleRow = z.infer<typeof moduleRow>;

export const moduleFields = z.object({
  nameEn: nameOf(64),
  nameZh: nameOf(32),
  path: z
    .string()
    .trim()
    .max(128)
    .regex(/^(\/[a-z0-9][a-z0-9-]*)+$/, RULES.path.en),
  icon: z
    .string()
    .trim()
    .regex(/^[a-z0-9-]{1,32}$/),
  visible: z.boolean().default(true),
});
export const newModule = moduleFields.extend({ type: z.enum(['group', 'page']), parentId: id.nullable() });

/** File format of a menu: parents before children, siblings in display order. Rights refer to paths. */
export const moduleFile = z.object({
  modules: z
    .array(moduleFields.extend({ type: z.enum(['group', 'page']), parentPath: z.string().max(128).nullable() }))
    .min(1)
    .max(500),
});
export type ModuleFile = z.infer<typeof moduleFile>;

const page = PAGE_PATH.modules;

export const moduleChange = moduleFields.extend({ version: z.number().int() });

export const module = {
  /** Pages of the caller's roles as a tree; a bare array as the specification requires. */
  tree: route({
    method: 'GET',
    path: '/manager/module/tree',
    summary: "The caller's modules",
    allow: 'signed-in',
    response: z.array(moduleNode),
  }),
  list: route({
    method: 'GET',
    path: '/manager/module',
    summary: 'All modules in menu order, parents before children',
    allow: { page, action: 'view' },
    response: listOf(moduleRow),
  }),
  create: route({
    method: 'POST',
    path: '/manager/module',
    summary: 'Add a group or page as the last of its siblings; the administrator role gets access to it',
    allow: { page, action: 'add' },
    endangers: 'rights',
    body: newModule,
    response: moduleRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE', 'MODULE_PARENT'],
  }),
  update: route({
    method: 'PUT',
    path: '/manager/module/{id}',
    summary: 'Change names, icon, visibility or path of a module; a page on which roles have rights keeps its path',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: moduleChange,
    response: moduleRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'DUPLICATE', 'ADMIN_KEEPS_SYSTEM', 'BEYOND_OWN_RIGHTS', 'PAGE_KEEPS_PATH'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/manager/module/{id}',
    summary: 'Delete a module without children; a page with rights is hidden instead, and its rights stay',
    allow: { page, action: 'delete' },
    endangers: 'rights',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'HAS_CHILDREN', 'ADMIN_KEEPS_SYSTEM', 'BEYOND_OWN_RIGHTS'],
  }),
  move: route({
    method: 'PUT',
    path: '/manager/module/{id}/move',
    summary: 'Move a module to another group or to another position among its siblings',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: z.object({
      parentId: id.nullable(),
      /** Sibling before which it is placed; null: it becomes the last. */
      beforeId: id.nullable().default(null),
      version: z.number().int(),
    }),
    response: listOf(moduleRow),
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'MODULE_PARENT', 'ADMIN_KEEPS_SYSTEM'],
  }),
  exportTree: route({
    method: 'GET',
    path: '/manager/module/file',
    summary: 'Export the whole menu as a file',
    allow: { page, action: 'export' },
    response: moduleFile,
  }),
  importTree: route({
    method: 'POST',
    path: '/manager/module/file',
    summary:
      'Replace the menu by a file; rights stay with their paths; modules missing in the file are deleted, or hidden if roles have rights on them',
    allow: { page, action: 'import' },
    endangers: 'rights',
    body: moduleFile,
    response: listOf(moduleRow),
    errors: ['VALIDATION', 'MODULE_PARENT', 'DUPLICATE', 'ADMIN_KEEPS_SYSTEM', 'BEYOND_OWN_RIGHTS'],
  }),
  restore: route({
    method: 'POST',
    path: '/manager/module/restore',
    summary: 'Restore the menu to its initial state',
    allow: { page, action: 'configure' },
    endangers: 'rights',
    response: listOf(moduleRow),
    errors: ['ADMIN_KEEPS_SYSTEM'],
  }),
};
