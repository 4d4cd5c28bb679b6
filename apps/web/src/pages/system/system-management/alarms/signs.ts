import {
  ALARM_RULE_STATE_TEXT,
  ALARM_STATE_TEXT,
  DELIVERY_STATE_TEXT,
  MESSAGE_STATE_TEXT,
  RECIPIENT_STATE_TEXT,
  type AlarmRuleState,
  type AlarmState,
  type DeliveryState,
  type MessageState,
  type RecipientState,
} from '@hes/contract/states/alarm.ts';
import { SENDER_STATE_TEXT, type SenderState } from '@hes/contract/states/sender.ts';
import type { Sign } from '#kit/state/sign.ts';

export const ALARM: Record<AlarmState, Sign> = {
  waiting: { shape: 'clock', tone: 'wait', text: ALARM_STATE_TEXT.waiting },
  sent: { shape: 'disc', tone: 'amber', text: ALARM_STATE_TEXT.sent },
  escalated: { shape: 'cross', tone: 'red', text: ALARM_STATE_TEXT.escalated },
  failed: { shape: 'cross', tone: 'red', text: ALARM_STATE_TEXT.failed },
  acknowledged: { shape: 'disc', tone: 'ok', text: ALARM_STATE_TEXT.acknowledged },
  closed: { shape: 'dashed', tone: 'none', text: ALARM_STATE_TEXT.closed, quiet: true },
};

export const MESSAGE: Record<MessageState, Sign> = {
  waiting: { shape: 'clock', tone: 'wait', text: MESSAGE_STATE_TEXT.waiting },
  sent: { shape: 'disc', tone: 'ok', text: MESSAGE_STATE_TEXT.sent, quiet: true },
  partly: { shape: 'disc', tone: 'amber', text: MESSAGE_STATE_TEXT.partly },
  failed: { shape: 'cross', tone: 'red', text: MESSAGE_STATE_TEXT.failed },
  unknown: { shape: 'dashed', tone: 'amber', text: MESSAGE_STATE_TEXT.unknown },
  dropped: { shape: 'dashed', tone: 'none', text: MESSAGE_STATE_TEXT.dropped, quiet: true },
};

export const DELIVERY: Record<DeliveryState, Sign> = {
  none: { shape: 'dashed', tone: 'none', text: DELIVERY_STATE_TEXT.none, quiet: true },
  ...MESSAGE,
};

export const RECIPIENT: Record<RecipientState, Sign> = {
  waiting: MESSAGE.waiting,
  sent: { ...MESSAGE.sent, text: RECIPIENT_STATE_TEXT.sent },
  failed: { ...MESSAGE.failed, text: RECIPIENT_STATE_TEXT.failed },
  unknown: MESSAGE.unknown,
  dropped: MESSAGE.dropped,
  removed: { ...MESSAGE.dropped, text: RECIPIENT_STATE_TEXT.removed },
};

export const RULE: Record<AlarmRuleState, Sign> = {
  running: { shape: 'disc', tone: 'ok', text: ALARM_RULE_STATE_TEXT.running, quiet: true },
  paused: { shape: 'paused', tone: 'amber', text: ALARM_RULE_STATE_TEXT.paused },
};

export const CHANNEL: Record<SenderState, Sign> = {
  running: { shape: 'disc', tone: 'ok', text: SENDER_STATE_TEXT.running, quiet: true },
  failing: { shape: 'cross', tone: 'red', text: SENDER_STATE_TEXT.failing },
  paused: { shape: 'paused', tone: 'amber', text: SENDER_STATE_TEXT.paused },
};
