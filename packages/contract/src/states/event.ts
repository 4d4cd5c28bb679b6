import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** Event log of the device. */
export const eventLog = z.enum(['standard', 'fraud', 'disconnector', 'mbus', 'comms', 'quality', 'dcu']);
export type EventLog = z.infer<typeof eventLog>;
export const EVENT_LOG_TEXT: Record<EventLog, Text> = {
  standard: { en: 'Standard', zh: '标准' },
  fraud: { en: 'Fraud', zh: '窃电' },
  disconnector: { en: 'Disconnector', zh: '拉合闸' },
  mbus: { en: 'M-Bus', zh: 'M-Bus' },
  comms: { en: 'Communication', zh: '通信' },
  quality: { en: 'Power quality', zh: '电能质量' },
  dcu: { en: 'DCU', zh: '集中器' },
};

/** Source of an event; `head_end`: the head-end itself, without a device. */
export const eventDevice = z.enum(['dcu', 'meter', 'head_end']);
export type EventDevice = z.infer<typeof eventDevice>;
/** Shown in place of a serial number for events of the head-end. */
export const HEAD_END_NAME = 'HES';

export const EVENT_DIRECTIONS = ['occur', 'recover'] as const;
export const eventDirection = z.enum(EVENT_DIRECTIONS);
export type EventDirection = z.infer<typeof eventDirection>;
export const EVENT_DIRECTION_TEXT: Record<EventDirection, Text> = {
  occur: { en: 'Occur', zh: '发生' },
  recover: { en: 'Recover', zh: '恢复' },
};

/** How an event arrived: pushed by the device, or read from it. */
export const eventSource = z.enum(['push', 'pull']);
export type EventSource = z.infer<typeof eventSource>;
export const EVENT_SOURCE_TEXT: Record<EventSource, Text> = {
  push: { en: 'Reported', zh: '主动上报' },
  pull: { en: 'Read', zh: '抄读' },
};
