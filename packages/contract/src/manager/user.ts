import { z } from 'zod';
import { OWN_USER_EXAMPLE } from '../examples.ts';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery } from '../core/page.ts';
import { reasonGiven } from '../core/reason.ts';
import { ACTIONS, route } from '../core/route.ts';
import { email, nameOf, password, phone, RULES, USERNAME } from '../core/rules.ts';
import { LOCALES } from '../core/text.ts';
import { area, areaNodes } from './area.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const roleRef = z.object({ id, code: z.string(), name: z.string() });
export type RoleRef = z.infer<typeof roleRef>;

export const ownUser = z.object({
  id,
  username: z.string(),
  name: z.string(),
  phone: z.string().nullable(),
  email: z.string().nullable(),
  locale: z.enum(LOCALES),
  theme: z.enum(['light', 'dark']),
  mustChangePassword: z.boolean(),
  hasSecondFactor: z.boolean(),
  /** A second factor is required and not set up yet; other calls are refused until it is. */
  mustEnrol: z.boolean(),
  lastLoginAt: instant.nullable(),
  roles: z.array(roleRef),
  /** Rights of the user: `path → actions`. */
  actions: z.record(z.string(), z.array(z.enum(ACTIONS))),
  /** Union of the network areas of the user's roles. */
  scope: area,
  /** Minimum length of passwords. */
  passwordMin: z.number().int(),
  /** Version of the head-end; disclosed to signed-in users only. */
  headEndVersion: z.string(),
});
export type OwnUser = z.infer<typeof ownUser>;

export const userRow = z.object({
  id,
  username: z.string(),
  name: z.string(),
  phone: z.string().nullable(),
  email: z.string().nullable(),
  roles: z.array(roleRef),
  /** Lock by an administrator or after wrong passwords. */
  lock: z.boolean(),
  lockReason: z.string().nullable(),
  /** End of a lock after wrong passwords, at which it is lifted automatically. */
  lockedUntil: instant.nullable(),
  mustChangePassword: z.boolean(),
  hasSecondFactor: z.boolean(),
  lastLoginAt: instant.nullable(),
  createdAt: instant,
  /** Whether a session of the user was used recently. */
  online: z.boolean(),
  /** False: the user was changed outside the product and cannot sign in until an administrator confirms it. */
  isSealed: z.boolean(),
  version: z.number().int(),
});
export type UserRow = z.infer<typeof userRow>;

export const userDetail = userRow.extend({
  /** Open sessions, newest first. */
  sessions: z.array(z.object({ issuedAt: instant, lastUsedAt: instant, ip: z.string().nullable(), agent: z.string().nullable() })),
});
export type UserDetail = z.infer<typeof userDetail>;

/** Editable fields of a user. The user name is not editable. */
export const userFields = z.object({
  name: nameOf(32),
  phone: phone.optional(),
  email: email.optional(),
  roleIds: z.array(id).min(1, RULES.roles.en).max(50),
});
export const newUser = userFields.extend({
  username: z.string().trim().regex(USERNAME, RULES.username.en),
  password,
  mustChangePassword: z.boolean().default(true),
  /** Limits the roles to these nodes: the user gets roles of the same permissions with this area, which are added where they are missing. */
  areaNodes: areaNodes.optional(),
});
export const userChange = userFields.extend({ mustChangePassword: z.boolean().optional(), version: z.number().int() });

export const userLock = z
  .object({ lock: z.boolean(), lockReason: z.string().trim().max(128).default('') })
  .refine((value) => !value.lock || value.lockReason !== '', { path: ['lockReason'], message: RULES.lockReason.en });

const page = PAGE_PATH.users;

/** Fields that users may change themselves; a new phone number or e-mail address requires own proof. */
export const ownChange = z.object({
  name: nameOf(32).optional(),
  phone: phone.optional(),
  email: email.optional(),
  locale: z.enum(LOCALES).optional(),
  theme: z.enum(['light', 'dark']).optional(),
});
export const passwordReset = z.object({ newPassword: password, mustChange: z.boolean().default(true) });

export const user = {
  me: route({
    method: 'GET',
    path: '/manager/user/me',
    summary: 'The caller, with roles, rights and scope',
    allow: 'signed-in',
    response: ownUser,
    v1: {
      description:
        'Returns the service account of the token: its roles, the actions it may take on each page, and the part of the network it may see. Call it first to check a token.',
      example: { response: OWN_USER_EXAMPLE },
    },
  }),
  updateMe: route({
    method: 'PUT',
    path: '/manager/user/me',
    summary: 'Change my own name, contact, language and theme',
    allow: 'signed-in',
    endangers: 'account',
    body: ownChange,
    response: ownUser,
    errors: ['VALIDATION', 'OLD_PASSWORD_WRONG', 'OTP_REQUIRED', 'OTP_WRONG', 'RATE_LIMIT', 'TOO_BUSY'],
  }),
  changePassword: route({
    method: 'PUT',
    path: '/manager/user/{id}/password',
    summary: 'Change my own password',
    allow: 'signed-in',
    endangers: 'account',
    params: idParams,
    body: z.object({ oldPassword: z.string().min(1).max(256), newPassword: z.string().min(1).max(256) }),
    response: z.undefined(),
    status: 204,
    errors: [
      'VALIDATION',
      'OLD_PASSWORD_WRONG',
      'PASSWORD_WEAK',
      'PASSWORD_SAME',
      'PASSWORD_COMMON',
      'PASSWORD_SHORT',
      'FORBIDDEN',
      'RATE_LIMIT',
      'TOO_BUSY',
    ],
  }),
  list: route({
    method: 'GET',
    path: '/manager/user',
    summary: 'Users',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      username: z.string().max(64).optional(),
      name: z.string().max(64).optional(),
      roleId: csv(id).optional(),
      lock: z.stringbool().optional(),
      mustChangePassword: z.stringbool().optional(),
      hasSecondFactor: z.stringbool().optional(),
    }),
    response: pageOf(userRow),
  }),
  /** Roles, and whether the caller may grant each. */
  roles: route({
    method: 'GET',
    path: '/manager/user/role',
    summary: 'Roles that can be assigned to a user',
    allow: { page, action: 'view' },
    response: listOf(roleRef.extend({ canGrant: z.boolean() })),
  }),
  get: route({
    method: 'GET',
    path: '/manager/user/{id}',
    summary: 'One user with open sessions',
    allow: { page, action: 'view' },
    params: idParams,
    response: userDetail,
    errors: ['NOT_FOUND'],
  }),
  create: route({
    method: 'POST',
    path: '/manager/user',
    summary: 'Add a user',
    allow: { page, action: 'add' },
    endangers: 'rights',
    body: newUser,
    response: userDetail,
    status: 201,
    errors: [
      'VALIDATION',
      'PASSWORD_COMMON',
      'PASSWORD_SHORT',
      'DUPLICATE',
      'UNKNOWN_REFERENCE',
      'UNKNOWN_NODE',
      'BEYOND_OWN_RIGHTS',
      'CHANGED_OUTSIDE',
    ],
  }),
  update: route({
    method: 'PUT',
    path: '/manager/user/{id}',
    summary: 'Change a user; sessions end when the roles change',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: userChange,
    response: userDetail,
    errors: [
      'VALIDATION',
      'NOT_FOUND',
      'STALE',
      'UNKNOWN_REFERENCE',
      'BEYOND_OWN_RIGHTS',
      'LAST_ADMIN',
      'LAST_EMERGENCY',
      'CHANGED_OUTSIDE',
    ],
  }),
  remove: route({
    method: 'DELETE',
    path: '/manager/user/{id}',
    summary: 'Delete a user; sessions end immediately',
    allow: { page, action: 'delete' },
    endangers: 'rights',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'SELF', 'LAST_ADMIN', 'LAST_EMERGENCY', 'BEYOND_OWN_RIGHTS', 'CHANGED_OUTSIDE'],
  }),
  lock: route({
    method: 'PUT',
    path: '/manager/user/{id}/lock',
    summary: 'Lock a user with a reason, or unlock; sessions of a locked user end immediately',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: userLock,
    response: userDetail,
    errors: ['VALIDATION', 'NOT_FOUND', 'SELF', 'LAST_ADMIN', 'LAST_EMERGENCY', 'BEYOND_OWN_RIGHTS', 'CHANGED_OUTSIDE'],
  }),
  resetPassword: route({
    method: 'PUT',
    path: '/manager/user/{id}/reset-password',
    summary: 'Reset the password of another user; sessions end immediately',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: passwordReset,
    response: z.undefined(),
    status: 204,
    errors: ['VALIDATION', 'NOT_FOUND', 'SELF', 'PASSWORD_COMMON', 'PASSWORD_SHORT', 'BEYOND_OWN_RIGHTS', 'CHANGED_OUTSIDE'],
  }),
  resetSecondFactor: route({
    method: 'PUT',
    path: '/manager/user/{id}/reset-second-factor',
    summary: 'Remove the second factor of another user; sessions end immediately',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: reasonGiven,
    response: z.undefined(),
    status: 204,
    errors: ['VALIDATION', 'NOT_FOUND', 'SELF', 'NOTHING_TO_DO', 'BEYOND_OWN_RIGHTS', 'CHANGED_OUTSIDE'],
  }),
  seal: route({
    method: 'POST',
    path: '/manager/user/{id}/seal',
    summary: 'Confirm the present state of a user that was changed outside the product; all rights must rest for a day',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: reasonGiven,
    response: userDetail,
    errors: ['VALIDATION', 'NOT_FOUND', 'SELF', 'NOTHING_TO_DO', 'BEYOND_OWN_RIGHTS'],
  }),
  logout: route({
    method: 'POST',
    path: '/manager/user/{id}/logout',
    summary: 'End all sessions of a user',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'BEYOND_OWN_RIGHTS'],
  }),
};
