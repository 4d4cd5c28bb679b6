import { z } from 'zod';
import { id, idParams, instant, listOf, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import type { Text } from '../core/text.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { senderFailure, senderState } from '../states/sender.ts';
import { FEED_KINDS, feedKind, type FeedKind } from './feed.ts';
import { senderKindName } from './kinds/every-kind.ts';

export const FEED_KIND_TEXT: Record<FeedKind, Text> = {
  readings: { en: 'Readings', zh: '抄表数据' },
  events: { en: 'Events', zh: '事件' },
  commands: { en: 'Outcomes of orders', zh: '指令结果' },
  assets: { en: 'Master data', zh: '档案变更' },
};

const MAX_LEVELS = 100;

/** Values of a kind by the names in its declaration, which checks them. */
const settingValues = z.record(z.string().max(32), z.union([z.string().max(65_536), z.number(), z.boolean()]));
const secretValues = z.record(z.string().max(32), z.string().max(16_384));

export const senderRow = z.object({
  id,
  name: z.string(),
  kind: senderKindName,
  /** Receiver and place there in one line. */
  target: z.string(),
  settings: settingValues,
  contents: z.array(feedKind),
  levelIds: z.array(id),
  state: senderState,
  /** Announcements that were not delivered yet, of all areas. */
  waiting: z.number().int(),
  /** Age of the oldest of them in seconds. */
  lagSeconds: z.number().int(),
  /** Items delivered since the sender was added. */
  sent: z.number().int(),
  deadLetters: z.number().int(),
  lastSuccessAt: instant.nullable(),
  lastFailureAt: instant.nullable(),
  /** Of the last failure, if no success followed. */
  failure: senderFailure.nullable(),
  failureDetail: z.string().nullable(),
  nextTryAt: instant.nullable(),
  createdAt: instant,
  version: z.number().int(),
});
export type SenderRow = z.infer<typeof senderRow>;

export const deadLetter = z.object({
  id,
  at: instant,
  messageId: z.string(),
  kind: feedKind,
  reason: z.string(),
  /** The message as it was sent. */
  content: z.unknown(),
});
export type DeadLetter = z.infer<typeof deadLetter>;

/** What all kinds have. */
export const senderFields = z.object({
  name: z.string().trim().min(1).max(64),
  settings: settingValues,
  contents: z.array(feedKind).min(1).max(FEED_KINDS.length),
  /** Levels with all that is below them; none: the whole network. */
  levelIds: z.array(id).max(MAX_LEVELS).default([]),
});
export const newSender = senderFields.extend({ kind: senderKindName, secrets: secretValues.default({}) });
/** Secrets that are empty or absent stay as they are. The kind stays, too. */
export const senderChange = senderFields.extend({ secrets: secretValues.default({}), version: z.number().int() });
export const senderReplay = z.object({ since: instant });

const page = PAGE_PATH.deliveries;
const change = { allow: { page, action: 'edit' }, endangers: 'settings', params: idParams } as const;
const DONE = { response: z.void(), status: 204 } as const;

/**
 * Senders deliver stored rows to other systems. All routes need a role for the whole network, and contents need the right to view them there:
 * to add and to change a sender, to send again, and to read what was put aside.
 */
export const sender = {
  list: route({
    method: 'GET',
    path: '/manager/sender',
    summary: 'Senders with their lag and last failure',
    allow: { page, action: 'view' },
    query: pageQuery.extend({ search: z.string().max(64).optional() }),
    response: pageOf(senderRow),
    errors: ['WHOLE_NETWORK_ONLY'],
  }),
  get: route({
    method: 'GET',
    path: '/manager/sender/{id}',
    summary: 'One sender',
    allow: { page, action: 'view' },
    params: idParams,
    response: senderRow,
    errors: ['NOT_FOUND', 'WHOLE_NETWORK_ONLY'],
  }),
  deadLetters: route({
    method: 'GET',
    path: '/manager/sender/{id}/dead-letter',
    summary: 'The newest messages that the receiver refused for good',
    allow: { page, action: 'view' },
    params: idParams,
    response: listOf(deadLetter),
    errors: ['NOT_FOUND', 'WHOLE_NETWORK_ONLY'],
  }),
  create: route({
    method: 'POST',
    path: '/manager/sender',
    summary: 'Add a sender, which begins with what is stored from now on',
    allow: { page, action: 'add' },
    endangers: 'settings',
    body: newSender,
    response: senderRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'WHOLE_NETWORK_ONLY', 'OUTBOX_BUSY'],
  }),
  update: route({
    ...change,
    method: 'PUT',
    path: '/manager/sender/{id}',
    summary: 'Change a sender; a kind that is added begins now',
    body: senderChange,
    response: senderRow,
    errors: [
      'VALIDATION',
      'NOT_FOUND',
      'STALE',
      'DUPLICATE',
      'UNKNOWN_REFERENCE',
      'SECRETS_OF_RECEIVER',
      'WHOLE_NETWORK_ONLY',
      'OUTBOX_BUSY',
    ],
  }),
  remove: route({
    ...change,
    ...DONE,
    allow: { page, action: 'delete' },
    method: 'DELETE',
    path: '/manager/sender/{id}',
    summary: 'Delete a sender with its position and its dead letters',
    errors: ['NOT_FOUND', 'WHOLE_NETWORK_ONLY'],
  }),
  pause: route({
    ...change,
    ...DONE,
    method: 'POST',
    path: '/manager/sender/{id}/pause',
    summary: 'Pause a sender; what is stored meanwhile follows when it is resumed',
    errors: ['NOT_FOUND', 'NOTHING_TO_DO', 'WHOLE_NETWORK_ONLY'],
  }),
  resume: route({
    ...change,
    ...DONE,
    method: 'POST',
    path: '/manager/sender/{id}/resume',
    summary: 'Resume a paused sender, or retry a failing one at once',
    errors: ['NOT_FOUND', 'NOTHING_TO_DO', 'WHOLE_NETWORK_ONLY'],
  }),
  replay: route({
    ...change,
    ...DONE,
    method: 'POST',
    path: '/manager/sender/{id}/replay',
    summary: 'Send again what was stored since an instant, with the same ids',
    body: senderReplay,
    errors: ['VALIDATION', 'NOT_FOUND', 'FEED_GONE', 'WHOLE_NETWORK_ONLY'],
  }),
  test: route({
    ...change,
    method: 'POST',
    path: '/manager/sender/{id}/test',
    summary: 'Send one test message now and return what the receiver did',
    response: z.object({ isDelivered: z.boolean(), failure: senderFailure.nullable(), detail: z.string().nullable() }),
    errors: ['NOT_FOUND', 'WHOLE_NETWORK_ONLY'],
  }),
};
