import { z } from 'zod';
import { id, idParams, listOf } from '../core/page.ts';
import { ACTIONS, route } from '../core/route.ts';
import { nameOf, RULES } from '../core/rules.ts';

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

/** A module as the administrator sees it: one row of the tree table. */
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
  /** The server itself needs it: path, type and place below a group are fixed, and it cannot be deleted. */
  isFixed: z.boolean(),
  /** What can be done on a page; a group has none. */
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

/** A menu as a file: parents before children, siblings in their order. Rights stay with the paths. */
export const moduleFile = z.object({
  modules: z
    .array(moduleFields.extend({ type: z.enum(['group', 'page']), parentPath: z.string().max(128).nullable() }))
    .min(1)
    .max(500),
});
export type ModuleFile = z.infer<typeof moduleFile>;

const page = '/system/system-management/module-management';

export const moduleChange = moduleFields.extend({ version: z.number().int() });

export const module = {
  /** The pages of the caller's roles as a tree; a bare array, as the specification's client reads it. */
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
    summary: 'All modules in the order of the menu, parents before children',
    allow: { page, action: 'view' },
    response: listOf(moduleRow),
  }),
  create: route({
    method: 'POST',
    path: '/manager/module',
    summary: 'Add a group or page as the last of its siblings; administrators may open it at once',
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
    summary: 'Change names, icon or visibility; a page with rights keeps its path, the path of another is changed by administrators',
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
    summary: 'Put a module below another group, or at another place among its siblings',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: z.object({
      parentId: id.nullable(),
      /** The sibling it comes before; null: it becomes the last. */
      beforeId: id.nullable().default(null),
      version: z.number().int(),
    }),
    response: listOf(moduleRow),
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'MODULE_PARENT', 'ADMIN_KEEPS_SYSTEM'],
  }),
  exportTree: route({
    method: 'GET',
    path: '/manager/module/file',
    summary: 'The whole menu, to be carried to another site or kept',
    allow: { page, action: 'export' },
    response: moduleFile,
  }),
  importTree: route({
    method: 'POST',
    path: '/manager/module/file',
    summary:
      'Replace the menu by a file; modules keep the rights of their paths, what the file does not name is deleted, a page with rights hidden',
    allow: { page, action: 'import' },
    endangers: 'rights',
    body: moduleFile,
    response: listOf(moduleRow),
    errors: ['VALIDATION', 'MODULE_PARENT', 'DUPLICATE', 'ADMIN_KEEPS_SYSTEM', 'BEYOND_OWN_RIGHTS'],
  }),
  restore: route({
    method: 'POST',
    path: '/manager/module/restore',
    summary: 'Put the menu back as it was delivered',
    allow: { page, action: 'configure' },
    endangers: 'rights',
    response: listOf(moduleRow),
    errors: ['ADMIN_KEEPS_SYSTEM'],
  }),
};
