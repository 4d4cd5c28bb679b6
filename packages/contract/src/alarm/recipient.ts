import { z } from 'zod';
import { id, idParams, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { email, phone, RULES } from '../core/rules.ts';
import { LOCALES } from '../core/text.ts';
import { PAGE_PATH } from '../page/paths.ts';

const fields = z.object({
  name: z.string().trim().min(1).max(64),
  email,
  phone,
  locale: z.enum(LOCALES),
});
export type RecipientFields = z.infer<typeof fields>;

function checkRecipient(recipient: RecipientFields, ctx: z.RefinementCtx): void {
  if (recipient.email === null && recipient.phone === null) ctx.addIssue({ code: 'custom', path: ['email'], message: RULES.email.en });
}
export const newRecipient = fields.superRefine(checkRecipient);
export const recipientChange = fields.extend({ version: z.number().int() }).superRefine(checkRecipient);

export const recipientRow = z.object({
  id,
  name: z.string(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  locale: z.enum(LOCALES),
  /** Number of rules with this recipient. */
  rules: z.number().int(),
  version: z.number().int(),
});
export type RecipientRow = z.infer<typeof recipientRow>;

const page = PAGE_PATH.alarms;
const change = { allow: { page, action: 'edit' }, endangers: 'settings', params: idParams } as const;

/** Persons and groups that alarms reach, with the language of their messages. All routes need a role for the whole network. */
export const alarmRecipient = {
  list: route({
    method: 'GET',
    path: '/manager/alarm/recipient',
    summary: 'Recipients of alarms',
    allow: { page, action: 'view' },
    query: pageQuery.extend({ search: z.string().max(64).optional() }),
    response: pageOf(recipientRow),
    errors: ['WHOLE_NETWORK_ONLY'],
  }),
  create: route({
    method: 'POST',
    path: '/manager/alarm/recipient',
    summary: 'Add a recipient',
    allow: { page, action: 'add' },
    endangers: 'settings',
    body: newRecipient,
    response: recipientRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE', 'WHOLE_NETWORK_ONLY'],
  }),
  update: route({
    ...change,
    method: 'PUT',
    path: '/manager/alarm/recipient/{id}',
    summary: 'Change a recipient; messages that wait use the new address',
    body: recipientChange,
    response: recipientRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'DUPLICATE', 'WHOLE_NETWORK_ONLY'],
  }),
  remove: route({
    ...change,
    allow: { page, action: 'delete' },
    response: z.void(),
    status: 204,
    method: 'DELETE',
    path: '/manager/alarm/recipient/{id}',
    summary: 'Delete a recipient that no rule uses',
    errors: ['NOT_FOUND', 'IN_USE', 'WHOLE_NETWORK_ONLY'],
  }),
};
