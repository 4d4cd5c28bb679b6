import { z } from 'zod';
import { id, idParams, instant } from '../core/page.ts';
import { ACTIONS, route } from '../core/route.ts';
import { LOCALES } from '../core/text.ts';

/** At least 7 characters: one lower, one upper, one digit, one special, no whitespace. @spec seed §5 */
export const PASSWORD_RULE = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^\w\s]|.*_)\S{7,}$/;
export const password = z.string().max(256).regex(PASSWORD_RULE);

export const ownUser = z.object({
  id,
  username: z.string(),
  name: z.string(),
  phone: z.string().nullable(),
  email: z.string().nullable(),
  locale: z.enum(LOCALES),
  theme: z.enum(['light', 'dark']),
  mustChangePassword: z.boolean(),
  lastLoginAt: instant.nullable(),
  roles: z.array(z.object({ id, code: z.string(), name: z.string() })),
  /** `path → actions` on the pages of the module tree. */
  actions: z.record(z.string(), z.array(z.enum(ACTIONS))),
  /** Network levels the user is limited to; empty: the whole network. */
  scope: z.array(id),
});
export type OwnUser = z.infer<typeof ownUser>;

export const user = {
  me: route({ method: 'GET', path: '/manager/user/me', summary: 'Who am I, and what may I do', allow: 'signed-in', response: ownUser }),
  updateMe: route({
    method: 'PUT',
    path: '/manager/user/me',
    summary: 'Change my own name, contact, language and theme',
    allow: 'signed-in',
    body: z.object({
      name: z.string().min(1).max(64).optional(),
      phone: z
        .string()
        .regex(/^\+?[0-9 ()-]{5,20}$/)
        .or(z.literal(''))
        .optional(),
      email: z.email().or(z.literal('')).optional(),
      locale: z.enum(LOCALES).optional(),
      theme: z.enum(['light', 'dark']).optional(),
    }),
    response: ownUser,
    errors: ['VALIDATION'],
  }),
  changePassword: route({
    method: 'PUT',
    path: '/manager/user/{id}/password',
    summary: 'Change my own password',
    allow: 'signed-in',
    params: idParams,
    body: z.object({ oldPassword: z.string().min(1).max(256), newPassword: z.string().min(1).max(256) }),
    response: z.undefined(),
    status: 204,
    errors: ['VALIDATION', 'OLD_PASSWORD_WRONG', 'PASSWORD_WEAK', 'PASSWORD_COMMON', 'FORBIDDEN', 'RATE_LIMIT'],
  }),
};
