import type { Text } from '../core/text.ts';

const table = <const K extends string>(texts: Record<K, Text>): Record<K, Text> => texts;
const keysOf = <K extends string>(texts: Record<K, Text>) => Object.keys(texts) as [K, ...K[]]; // keys of that very object

export const OBIS_CATEGORY_TEXT = table({
  energy: { en: 'Energy', zh: '电能' },
  demand: { en: 'Demand', zh: '需量' },
  power: { en: 'Power', zh: '功率' },
  voltage: { en: 'Voltage', zh: '电压' },
  current: { en: 'Current', zh: '电流' },
  quality: { en: 'Power quality', zh: '电能质量' },
  profile: { en: 'Profile', zh: '曲线' },
  event: { en: 'Event', zh: '事件' },
  clock: { en: 'Clock', zh: '时钟' },
  identity: { en: 'Identity', zh: '标识' },
  status: { en: 'Status', zh: '状态' },
  parameter: { en: 'Parameter', zh: '参数' },
  control: { en: 'Control', zh: '控制' },
  dcu: { en: 'DCU', zh: '集中器' },
});
export type ObisCategory = keyof typeof OBIS_CATEGORY_TEXT;
export const OBIS_CATEGORIES = keysOf(OBIS_CATEGORY_TEXT);

export const OBIS_KIND_TEXT = table({ attribute: { en: 'Attribute', zh: '属性' }, method: { en: 'Method', zh: '方法' } });
export const OBIS_KINDS = keysOf(OBIS_KIND_TEXT);

export const OBIS_DECODER_TEXT = table({
  plain: { en: 'As it is', zh: '原值' },
  bit_map: { en: 'Bit map', zh: '位图' },
  enum: { en: 'Enumeration', zh: '枚举' },
  date_time: { en: 'Date and time', zh: '日期时间' },
  octet_ascii: { en: 'Octets as text', zh: '八位组（文本）' },
  octet_hex: { en: 'Octets as hex', zh: '八位组（十六进制）' },
});
export type ObisDecoder = keyof typeof OBIS_DECODER_TEXT;
export const OBIS_DECODERS = keysOf(OBIS_DECODER_TEXT);

export const OBIS_ACCESS_TEXT = table({ r: { en: 'Read', zh: '读' }, w: { en: 'Write', zh: '写' }, x: { en: 'Execute', zh: '执行' } });
export const OBIS_ACCESSES = keysOf(OBIS_ACCESS_TEXT);

/** Data types by their names in the standard. */
export const DATA_TYPES = [
  'array',
  'structure',
  'boolean',
  'bit-string',
  'double-long',
  'double-long-unsigned',
  'octet-string',
  'visible-string',
  'utf8-string',
  'bcd',
  'integer',
  'long',
  'unsigned',
  'long-unsigned',
  'compact-array',
  'long64',
  'long64-unsigned',
  'enum',
  'float32',
  'float64',
  'date-time',
  'date',
  'time',
] as const;
