import { z } from 'zod';
import { FEED_KINDS, type FeedKind } from '../feed.ts';
import type { SenderField } from './kind.ts';

export const FILE_FORMATS = ['csv', 'cim'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

const MINUTES_OF_DAY = 1440;

/** Settings of kinds that write files on a schedule. */
export const fileSettings = {
  format: z.enum(FILE_FORMATS).default('csv'),
  /** Files are written at the multiples of this time since midnight UTC. */
  everyMinutes: z.number().int().min(1).max(MINUTES_OF_DAY),
};

export const fileFields = {
  format: {
    label: { en: 'Format', zh: '格式' },
    help: {
      en: 'CIM has messages for readings (MeterReadings) and events (EndDeviceEvents) only.',
      zh: 'CIM 仅支持抄表数据（MeterReadings）与事件（EndDeviceEvents）。',
    },
    control: { csv: { en: 'CSV', zh: 'CSV' }, cim: { en: 'CIM (IEC 61968-9)', zh: 'CIM（IEC 61968-9）' } },
  },
  everyMinutes: {
    label: { en: 'Every (min)', zh: '周期（分钟）' },
    help: { en: 'Counted from midnight UTC; 1440: once a day.', zh: '自 UTC 零点起计；1440 为每天一次。' },
    control: 'number',
    isRequired: true,
  },
} as const satisfies Record<string, SenderField>;

export const START_OF_FILES = { format: 'csv', everyMinutes: 60 } as const;

/** CIM has no messages of ours for outcomes of orders and for master data. */
export const contentsOfFormat = ({ format }: { format: FileFormat }): readonly FeedKind[] =>
  format === 'cim' ? ['readings', 'events'] : FEED_KINDS;
