import { z } from 'zod';
import { csv, id, idParams, instant, listOf, pageOf, pageQuery } from '../core/page.ts';
import { reasonGiven } from '../core/reason.ts';
import { ACTIONS, route } from '../core/route.ts';
import { email, nameOf, password, phone, RULES, USERNAME } from '../core/rules.ts';
import { LOCALES } from '../core/text.ts';
import { area } from './area.ts';

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
  /** A second factor is required and not set up yet: nothing else is answered before. */
  mustEnrol: z.boolean(),
  lastLoginAt: instant.nullable(),
  roles: z.array(roleRef),
  /** `path → actions` on the pages of the module tree. */
  actions: z.record(z.string(), z.array(z.enum(ACTIONS))),
  /** What the roles together let the user see of the network. */
  scope: area,
  /** Characters of the shortest password that may be set here. */
  passwordMin: z.number().int(),
  /** Release of the head-end: known after signing in only. */
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
  /** By an administrator, or by wrong passwords. */
  lock: z.boolean(),
  lockReason: z.string().nullable(),
  /** Locked by too many wrong passwords: until then, by itself. */
  lockedUntil: instant.nullable(),
  mustChangePassword: z.boolean(),
  hasSecondFactor: z.boolean(),
  lastLoginAt: instant.nullable(),
  createdAt: instant,
  /** Has a session that was used a moment ago. */
  online: z.boolean(),
  /** False: changed outside the product; signs in again once an administrator has sealed it again. */
  isSealed: z.boolean(),
  version: z.number().int(),
});
export type UserRow = z.infer<typeof userRow>;

export const userDetail = userRow.extend({
  /** Sessions that stand, newest first. */
  sessions: z.array(z.object({ issuedAt: instant, lastUsedAt: instant, ip: z.string().nullable(), agent: z.string().nullable() })),
});
export type UserDetail = z.infer<typeof userDetail>;

/** What a form of a user holds beside the name to sign in with, which never changes. */
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
});
export const userChange = userFields.extend({ mustChangePassword: z.boolean().optional(), version: z.number().int() });

export const userLock = z
  .object({ lock: z.boolean(), lockReason: z.string().trim().max(128).default('') })
  .refine((value) => !value.lock || value.lockReason !== '', { path: ['lockReason'], message: RULES.lockReason.en });

const page = '/system/system-management/user-management';

/** What I may change of myself; another phone number or e-mail address takes the own proof. */
export const ownChange = z.object({
  name: nameOf(32).optional(),
  phone: phone.optional(),
  email: email.optional(),
  locale: z.enum(LOCALES).optional(),
  theme: z.enum(['light', 'dark']).optional(),
});
export const passwordReset = z.object({ newPassword: password, mustChange: z.boolean().default(true) });

export const user = {
  me: route({ method: 'GET', path: '/manager/user/me', summary: 'Who am I, and what may I do', allow: 'signed-in', response: ownUser }),
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
  /** For the form: the roles there are, and whether the caller may give them away. */
  roles: route({
    method: 'GET',
    path: '/manager/user/role',
    summary: 'Roles a user can be given',
    allow: { page, action: 'view' },
    response: listOf(roleRef.extend({ canGrant: z.boolean() })),
  }),
  get: route({
    method: 'GET',
    path: '/manager/user/{id}',
    summary: 'One user with the sessions that stand',
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
    errors: ['VALIDATION', 'PASSWORD_COMMON', 'PASSWORD_SHORT', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'BEYOND_OWN_RIGHTS'],
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
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'UNKNOWN_REFERENCE', 'BEYOND_OWN_RIGHTS', 'LAST_ADMIN', 'CHANGED_OUTSIDE'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/manager/user/{id}',
    summary: 'Delete a user; sessions end at once',
    allow: { page, action: 'delete' },
    endangers: 'rights',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'SELF', 'LAST_ADMIN', 'BEYOND_OWN_RIGHTS', 'CHANGED_OUTSIDE'],
  }),
  lock: route({
    method: 'PUT',
    path: '/manager/user/{id}/lock',
    summary: 'Lock a user with a reason, or unlock; sessions end at once',
    allow: { page, action: 'edit' },
    endangers: 'rights',
    params: idParams,
    body: userLock,
    response: userDetail,
    errors: ['VALIDATION', 'NOT_FOUND', 'SELF', 'LAST_ADMIN', 'BEYOND_OWN_RIGHTS', 'CHANGED_OUTSIDE'],
  }),
  resetPassword: route({
    method: 'PUT',
    path: '/manager/user/{id}/reset-password',
    summary: "Set somebody else's password; sessions end at once",
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
    summary: "Take away somebody else's second factor; sessions end at once",
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
    summary: 'Confirm a user who was changed outside the product, as it stands; all rights rest for a day',
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
