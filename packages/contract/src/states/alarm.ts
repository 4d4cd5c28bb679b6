import { z } from 'zod';
import type { Text } from '../core/text.ts';
import { SENDER_FAILURE_TEXT } from './sender.ts';

export const ALARM_SOURCES = ['device', 'head_end'] as const;
export const alarmSource = z.enum(ALARM_SOURCES);
export type AlarmSource = z.infer<typeof alarmSource>;
export const ALARM_SOURCE_TEXT: Record<AlarmSource, Text> = {
  device: { en: 'Events of devices', zh: '设备事件' },
  head_end: { en: 'Alarms of the head-end itself', zh: '主站自身告警' },
};

export const alarmRuleKind = z.enum(['alarm', 'digest']);
export type AlarmRuleKind = z.infer<typeof alarmRuleKind>;
export const ALARM_RULE_KIND_TEXT: Record<AlarmRuleKind, Text> = {
  alarm: { en: 'Alarm', zh: '告警' },
  digest: { en: 'Daily digest', zh: '每日摘要' },
};

export const alarmRuleState = z.enum(['running', 'paused']);
export type AlarmRuleState = z.infer<typeof alarmRuleState>;
export const ALARM_RULE_STATE_TEXT: Record<AlarmRuleState, Text> = {
  running: { en: 'Running', zh: '运行中' },
  paused: { en: 'Paused', zh: '已暂停' },
};

export const channelKind = z.enum(['email', 'webhook']);
export type ChannelKind = z.infer<typeof channelKind>;
export const CHANNEL_KIND_TEXT: Record<ChannelKind, Text> = {
  email: { en: 'E-mail', zh: '电子邮件' },
  webhook: { en: 'Webhook', zh: 'Webhook' },
};

/** Encryption of the connection to a mail server: from the first octet, by STARTTLS, or none. */
export const mailSecurity = z.enum(['starttls', 'tls', 'none']);
export type MailSecurity = z.infer<typeof mailSecurity>;
export const MAIL_SECURITY_TEXT: Record<MailSecurity, Text> = {
  starttls: { en: 'STARTTLS', zh: 'STARTTLS' },
  tls: { en: 'TLS', zh: 'TLS' },
  none: { en: 'None (permitted networks only)', zh: '不加密（仅限允许的网络）' },
};

/**
 * State of a message, by what its server did. `partly`: a part of the recipients was refused. `unknown`: it is given up, and an attempt ended
 * after the message had left and before the answer. `dropped`: its alarm was acknowledged or closed before it was sent.
 */
export const MESSAGE_STATES = ['waiting', 'sent', 'partly', 'failed', 'unknown', 'dropped'] as const;
export const messageState = z.enum(MESSAGE_STATES);
export type MessageState = z.infer<typeof messageState>;
export const MESSAGE_STATE_TEXT: Record<MessageState, Text> = {
  waiting: { en: 'Waiting', zh: '待发送' },
  sent: { en: 'Sent', zh: '已发送' },
  partly: { en: 'Refused in part', zh: '部分被拒' },
  failed: { en: 'Given up', zh: '已放弃' },
  unknown: { en: 'Outcome unknown', zh: '结果未知' },
  dropped: { en: 'Not needed', zh: '无需发送' },
};

/** What became of a message for one recipient. `removed`: the recipient was deleted, or taken out of the rule, before the message was sent. */
export const RECIPIENT_STATES = ['waiting', 'sent', 'failed', 'unknown', 'dropped', 'removed'] as const;
export const recipientState = z.enum(RECIPIENT_STATES);
export type RecipientState = z.infer<typeof recipientState>;
export const RECIPIENT_STATE_TEXT: Record<RecipientState, Text> = {
  waiting: MESSAGE_STATE_TEXT.waiting,
  sent: { en: 'Accepted', zh: '已接受' },
  failed: { en: 'Not accepted', zh: '未接受' },
  unknown: MESSAGE_STATE_TEXT.unknown,
  dropped: MESSAGE_STATE_TEXT.dropped,
  removed: { en: 'Removed from the rule', zh: '已从规则移除' },
};

/** What became of all messages of an alarm. `none`: no step was taken yet. */
export const DELIVERY_STATES = ['none', ...MESSAGE_STATES] as const;
export const deliveryState = z.enum(DELIVERY_STATES);
export type DeliveryState = z.infer<typeof deliveryState>;
export const DELIVERY_STATE_TEXT: Record<DeliveryState, Text> = { none: { en: 'No message yet', zh: '尚无消息' }, ...MESSAGE_STATE_TEXT };

/** Why an alarm was closed before its steps ended. */
export const alarmEnd = z.enum(['rule_paused', 'rule_changed']);
export type AlarmEnd = z.infer<typeof alarmEnd>;
export const ALARM_END_TEXT: Record<AlarmEnd, Text> = {
  rule_paused: { en: 'Its rule was paused; no further message is sent.', zh: '规则已暂停，不再发送消息。' },
  rule_changed: {
    en: 'Its rule was changed and has none of the channels and recipients that were left in its steps.',
    zh: '规则已修改，其剩余步骤中的渠道与接收人均已移除。',
  },
};

/** State of an alarm. `escalated`: a message of a later step was accepted. `failed`: no message was accepted, and none follows. */
export const ALARM_STATES = ['waiting', 'sent', 'escalated', 'failed', 'acknowledged', 'closed'] as const;
export const alarmState = z.enum(ALARM_STATES);
export type AlarmState = z.infer<typeof alarmState>;
export const ALARM_STATE_TEXT: Record<AlarmState, Text> = {
  waiting: { en: 'Waiting', zh: '待发送' },
  sent: { en: 'Sent', zh: '已发送' },
  escalated: { en: 'Escalated', zh: '已升级' },
  failed: { en: 'Not delivered', zh: '未送达' },
  acknowledged: { en: 'Acknowledged', zh: '已确认' },
  closed: { en: 'Closed', zh: '已结束' },
};

/** Why an alarm message was not sent. `{detail}` is a status, an address or the message of the server. */
export const ALARM_FAILURE_TEXT = {
  unreachable: SENDER_FAILURE_TEXT.unreachable,
  timeout: SENDER_FAILURE_TEXT.timeout,
  redirected: SENDER_FAILURE_TEXT.redirected,
  status: SENDER_FAILURE_TEXT.status,
  refused: SENDER_FAILURE_TEXT.refused,
  address_refused: SENDER_FAILURE_TEXT.address_refused,
  not_encrypted: {
    en: 'Unencrypted connections are permitted only to networks in HES_DELIVERY_NETWORKS',
    zh: '仅允许与 HES_DELIVERY_NETWORKS 中的网络建立未加密的连接',
  },
  certificate: { en: 'The certificate of the server is not valid: {detail}', zh: '服务器证书无效：{detail}' },
  sign_in: { en: 'The mail server refused user name or password: {detail}', zh: '邮件服务器拒绝用户名或密码：{detail}' },
  mail_refused: { en: 'The mail server refused the message: {detail}', zh: '邮件服务器拒绝该邮件：{detail}' },
  mail_deferred: { en: 'The mail server deferred the message: {detail}', zh: '邮件服务器暂缓接收：{detail}' },
  no_address: { en: 'No recipient has an address for this channel', zh: '接收人没有适用于该渠道的地址' },
  internal: SENDER_FAILURE_TEXT.internal,
} as const satisfies Record<string, Text>;
export type AlarmFailure = keyof typeof ALARM_FAILURE_TEXT;
// as: an object literal has exactly these keys
export const alarmFailure = z.enum(Object.keys(ALARM_FAILURE_TEXT) as [AlarmFailure, ...AlarmFailure[]]);
