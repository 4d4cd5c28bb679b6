import { z } from 'zod';
import { id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { storedLevel } from '../event/event.ts';
import {
  ALARM_STATES,
  alarmEnd,
  alarmFailure,
  alarmRuleKind,
  alarmState,
  deliveryState,
  messageState,
  recipientState,
} from '../states/alarm.ts';
import { eventLog } from '../states/event.ts';
import { exportOf } from '../transfer/export.ts';

/** What became of a message for one recipient, with the name and address of that time. */
export const recipientOutcome = z.object({
  name: z.string(),
  /** Null: it was not tried yet, or the recipient has none for the channel. */
  address: z.string().nullable(),
  state: recipientState,
  failure: alarmFailure.nullable(),
  /** Answer of the server about this recipient. */
  answer: z.string().nullable(),
});
export type RecipientOutcome = z.infer<typeof recipientOutcome>;

export const alarmMessage = z.object({
  id,
  channelName: z.string(),
  /** The step that it belongs to, from 1. */
  step: z.number().int(),
  /** Names of the recipients, separated by commas. */
  recipients: z.string(),
  outcomes: z.array(recipientOutcome),
  state: messageState,
  attempts: z.number().int(),
  createdAt: instant,
  sentAt: instant.nullable(),
  failure: alarmFailure.nullable(),
  /** Answer of the server to the last attempt. */
  answer: z.string().nullable(),
});
export type AlarmMessage = z.infer<typeof alarmMessage>;

export const alarmRow = z.object({
  id,
  ruleName: z.string(),
  kind: alarmRuleKind,
  /** Null: a digest. */
  log: eventLog.nullable(),
  code: z.number().int().nullable(),
  nameEn: z.string().nullable(),
  nameZh: z.string().nullable(),
  level: storedLevel,
  state: alarmState,
  /** What became of its messages. */
  delivery: deliveryState,
  /** Null: it is open, or was closed when it was calm. */
  endReason: alarmEnd.nullable(),
  openedAt: instant,
  lastAt: instant,
  events: z.number().int(),
  meters: z.number().int(),
  dcus: z.number().int(),
  acknowledgedAt: instant.nullable(),
  acknowledgedByName: z.string().nullable(),
  nextStepAt: instant.nullable(),
  messages: z.array(alarmMessage),
});
export type AlarmRow = z.infer<typeof alarmRow>;

const page = PAGE_PATH.alarms;

/** Alarms and their messages. All routes need a role for the whole network. */
export const alarm = {
  list: route({
    method: 'GET',
    path: '/manager/alarm',
    summary: 'Alarms with their messages, newest first',
    allow: { page, action: 'view' },
    query: pageQuery.extend({ state: z.enum(ALARM_STATES).optional(), search: z.string().max(64).optional() }),
    response: pageOf(alarmRow),
    errors: ['WHOLE_NETWORK_ONLY'],
  }),
  acknowledge: route({
    method: 'POST',
    path: '/manager/alarm/{id}/acknowledge',
    summary: 'Acknowledge an alarm, which ends its escalation',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    announces: '/manager/alarm',
    params: idParams,
    response: z.void(),
    status: 204,
    errors: ['NOT_FOUND', 'NOTHING_TO_DO', 'WHOLE_NETWORK_ONLY'],
  }),
  acknowledgeByLink: route({
    method: 'POST',
    path: '/manager/alarm/acknowledge',
    summary: 'Acknowledge an alarm by the signed link of a message',
    allow: { page, action: 'view' },
    endangers: 'nothing',
    announces: '/manager/alarm',
    body: z.object({ link: z.string().max(256) }),
    response: z.object({ ruleName: z.string() }),
    errors: ['VALIDATION', 'NOT_FOUND', 'NOTHING_TO_DO'],
  }),
};

export const alarmExport = exportOf('alarm', alarm.list);
