import { z } from 'zod';
import { id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { LOCALES } from '../core/text.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { alarmFailure, channelKind, mailSecurity } from '../states/alarm.ts';
import { senderState } from '../states/sender.ts';
import { templateFault } from './template.ts';

const webAddress = z.url({ protocol: /^https?$/ });
/** An address with user and password would show the password in logs. */
export const isPlainWebAddress = (text: string): boolean => webAddress.safeParse(text).success && !/^[^/?#]*\/\/[^/?#]*@/.test(text);

/** A host name or an address, without port. */
const HOST = /^[A-Za-z0-9.:_-]{1,253}$/;

const config = z.object({
  /** Address of the console in links, such as `https://hes.example.com/hes`; empty: messages have no link. */
  consoleUrl: z
    .string()
    .trim()
    .max(512)
    .refine((text) => text === '' || isPlainWebAddress(text), RULES.webAddress.en)
    .default(''),
  host: z.string().trim().max(253).default(''),
  port: z.number().int().min(1).max(65_535).default(587),
  security: mailSecurity.default('starttls'),
  /** Empty: the mail server needs no sign-in. */
  username: z.string().trim().max(256).default(''),
  /** E-mail address of the sender. */
  from: z.string().trim().max(256).default(''),
  /** Authority of the server's certificate in PEM; empty: those that the machine trusts. */
  ca: z.string().trim().max(20_000).default(''),
  /** JSON with placeholders. */
  template: z.string().max(10_000).default(''),
  /** Language of messages without recipient. */
  locale: z.enum(LOCALES).default('en-US'),
});
export type ChannelConfig = z.infer<typeof config>;

const fields = config.extend({
  name: z.string().trim().min(1).max(64),
  kind: channelKind,
  /** Password of the mail server, or value of the header Authorization; empty: the present one stays. */
  secret: z.string().max(1024).default(''),
  /** Address of the webhook, which is kept as a secret; empty: the present one stays. */
  url: z.string().trim().max(2048).default(''),
});
export type ChannelFields = z.infer<typeof fields>;

function checkChannel(channel: ChannelFields, ctx: z.RefinementCtx): void {
  const refuse = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message });
  if (channel.kind === 'email') {
    if (!HOST.test(channel.host)) refuse('host', RULES.hostName.en);
    if (!z.email().safeParse(channel.from).success) refuse('from', RULES.email.en);
    return;
  }
  if (channel.url !== '' && !isPlainWebAddress(channel.url)) refuse('url', RULES.webAddress.en);
  if (templateFault(channel.template) !== undefined) refuse('template', RULES.template.en);
}

export const newChannel = fields.superRefine((channel, ctx) => {
  checkChannel(channel, ctx);
  if (channel.kind === 'webhook' && channel.url === '') ctx.addIssue({ code: 'custom', path: ['url'], message: RULES.webAddress.en });
});
export const channelChange = fields.extend({ version: z.number().int() }).superRefine(checkChannel);

export const channelRow = config.extend({
  id,
  name: z.string(),
  kind: channelKind,
  /** Mail server with port, or host of the webhook. */
  target: z.string(),
  hasSecret: z.boolean(),
  state: senderState,
  waiting: z.number().int(),
  lastSuccessAt: instant.nullable(),
  lastFailureAt: instant.nullable(),
  /** Of the last failure, if no success followed. */
  failure: alarmFailure.nullable(),
  failureDetail: z.string().nullable(),
  version: z.number().int(),
});
export type ChannelRow = z.infer<typeof channelRow>;

const page = PAGE_PATH.alarms;
const change = { allow: { page, action: 'edit' }, endangers: 'settings', params: idParams } as const;
const DONE = { response: z.void(), status: 204 } as const;

/** Ways to recipients. All routes need a role for the whole network. Secrets are written and never shown. */
export const alarmChannel = {
  list: route({
    method: 'GET',
    path: '/manager/alarm/channel',
    summary: 'Channels of alarms with their last failure',
    allow: { page, action: 'view' },
    query: pageQuery.extend({ search: z.string().max(64).optional() }),
    response: pageOf(channelRow),
    errors: ['WHOLE_NETWORK_ONLY'],
  }),
  create: route({
    method: 'POST',
    path: '/manager/alarm/channel',
    summary: 'Add a channel',
    allow: { page, action: 'add' },
    endangers: 'settings',
    body: newChannel,
    response: channelRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE', 'WHOLE_NETWORK_ONLY'],
  }),
  update: route({
    ...change,
    method: 'PUT',
    path: '/manager/alarm/channel/{id}',
    summary: 'Change a channel; without a secret the present one stays',
    body: channelChange,
    response: channelRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'DUPLICATE', 'WHOLE_NETWORK_ONLY'],
  }),
  remove: route({
    ...change,
    ...DONE,
    allow: { page, action: 'delete' },
    method: 'DELETE',
    path: '/manager/alarm/channel/{id}',
    summary: 'Delete a channel that no rule uses',
    errors: ['NOT_FOUND', 'IN_USE', 'WHOLE_NETWORK_ONLY'],
  }),
  pause: route({
    ...change,
    ...DONE,
    method: 'POST',
    path: '/manager/alarm/channel/{id}/pause',
    summary: 'Pause a channel; its messages wait',
    errors: ['NOT_FOUND', 'NOTHING_TO_DO', 'WHOLE_NETWORK_ONLY'],
  }),
  resume: route({
    ...change,
    ...DONE,
    method: 'POST',
    path: '/manager/alarm/channel/{id}/resume',
    summary: 'Resume a paused channel, or retry a failing one at once',
    errors: ['NOT_FOUND', 'NOTHING_TO_DO', 'WHOLE_NETWORK_ONLY'],
  }),
  test: route({
    ...change,
    method: 'POST',
    path: '/manager/alarm/channel/{id}/test',
    summary: 'Send one test message to a recipient now and return what the server did',
    body: z.object({ recipientId: id.nullable() }),
    response: z.object({ isSent: z.boolean(), failure: alarmFailure.nullable(), detail: z.string().nullable() }),
    errors: ['VALIDATION', 'NOT_FOUND', 'UNKNOWN_REFERENCE', 'WHOLE_NETWORK_ONLY'],
  }),
};
