import { z } from 'zod';
import { id, idParams, instant, listOf, pageOf, pageQuery } from '../core/page.ts';
import { reasonGiven } from '../core/reason.ts';
import { ACTIONS, route } from '../core/route.ts';
import { nameOf, RULES } from '../core/rules.ts';
import { areaSummary, roleArea, roleAreaChoice } from './area.ts';
import { moduleRow } from './module.ts';
import { PAGE_PATH } from '../page/paths.ts';

/** Role that always keeps the whole network and all rights on the pages of System Management. */
export const ADMIN_ROLE = 'ADMIN';

export const roleRow = z.object({
  id,
  code: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  /** Built in: the role cannot be deleted. */
  isBuiltin: z.boolean(),
  users: z.number().int(),
  /** Number of pages of the role. */
  modules: z.number().int(),
  area: areaSummary,
  updatedAt: instant,
  /** False: the role was changed outside the product and gives no rights until an administrator confirms it. */
  isSealed: z.boolean(),
  version: z.number().int(),
});
export type RoleRow = z.infer<typeof roleRow>;

export const ROLE_NAME_MAX = 32;
export const roleFields = z.object({
  name: nameOf(ROLE_NAME_MAX),
  description: z.string().trim().max(256).nullable().default(null),
});
export const newRole = roleFields.extend({
  code: z
    .string()
    .trim()
    .regex(/^[A-Z_]{2,32}$/, RULES.roleCode.en),
});

export const moduleActions = z.object({ moduleId: id, actions: z.array(z.enum(ACTIONS)).max(ACTIONS.length) });

const rights = {
  /** Pages of the role; their groups are added. */
  moduleIds: z.array(id).max(1000),
  /** Actions on the page; `view` is always included. */
  actions: z.array(moduleActions).max(1000),
};

export const permission = z.object({
  ...rights,
  area: roleArea,
  /** Version of the role. */
  version: z.number().int(),
});
export type Permission = z.infer<typeof permission>;

export const permissionChange = z.object({ ...rights, area: roleAreaChoice, version: z.number().int() });
export type PermissionChange = z.infer<typeof permissionChange>;

const page = PAGE_PATH.roles;

export const roleChange = roleFields.extend({ version: z.number().int() });

export const role = {
  list: route({
    method: 'GET',
    path: '/manager/role',
    summary: 'Roles',
    allow: { page, action: 'view' },
    query: pageQuery.extend({ code: z.string().max(64).optional(), name: z.string().max(64).optional() }),
    response: pageOf(roleRow),
  }),
  modules: route({
    method: 'GET',
    path: '/manager/role/module',
    summary: 'All modules that can be assigned to a role',
    allow: { page, action: 'view' },
    response: listOf(moduleRow),
  }),
  get: route({
    method: 'GET',
    path: '/manager/role/{id}',
    summary: 'One role',
    allow: { page, action: 'view' },
    params: idParams,
    response: roleRow,
    errors: ['NOT_FOUND'],
  }),
  create: route({
    method: 'POST',
    path: '/manager/role',
    summary: 'Add a role without permissions and without a network area',
    allow: { page, action: 'add' },
    endangers: 'rights',
    body: newRole,
    response: roleRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE'],
  }),
  update: route({
    method: 'PUT',
    path: '/manager/role/{id}',
    summary: 'Change the name or description of a role',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: roleChange,
    response: roleRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/manager/role/{id}',
    summary: 'Delete a role without users',
    allow: { page, action: 'delete' },
    endangers: 'rights',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE', 'BUILT_IN', 'BEYOND_OWN_RIGHTS', 'CHANGED_OUTSIDE'],
  }),
  permission: route({
    method: 'GET',
    path: '/manager/role/{id}/permission',
    summary: 'Pages, actions and network area of a role',
    allow: { page, action: 'view' },
    params: idParams,
    response: permission,
    errors: ['NOT_FOUND'],
  }),
  setPermission: route({
    method: 'PUT',
    path: '/manager/role/{id}/permission',
    summary: 'Replace pages, actions and network area of a role; the change applies to its users immediately',
    allow: { page, action: 'configure' },
    endangers: 'rights',
    params: idParams,
    body: permissionChange,
    response: permission,
    errors: [
      'VALIDATION',
      'NOT_FOUND',
      'STALE',
      'UNKNOWN_REFERENCE',
      'UNKNOWN_NODE',
      'BEYOND_OWN_RIGHTS',
      'ADMIN_KEEPS_SYSTEM',
      'CHANGED_OUTSIDE',
    ],
  }),
  seal: route({
    method: 'POST',
    path: '/manager/role/{id}/seal',
    summary: 'Confirm the present state of a role that was changed outside the product; its rights must rest for a day',
    allow: { page, action: 'configure' },
    endangers: 'rights',
    params: idParams,
    body: reasonGiven,
    response: roleRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'NOTHING_TO_DO', 'BEYOND_OWN_RIGHTS'],
  }),
};
