import type { Text } from '../core/text.ts';

/** Supplier and types that come with the head-end, by their keys: what they are called. */
export const REFERENCE_MODELS = {
  supplier: { en: 'HES Reference', zh: 'HES 参考型号' },
  dcu: { en: 'Reference DCU', zh: '参考集中器' },
  meter_1p2w: { en: 'Reference 1P2W', zh: '参考电表 1P2W' },
  meter_3p4w: { en: 'Reference 3P4W', zh: '参考电表 3P4W' },
} as const satisfies Record<string, Text>;

const EVERY: readonly Text[] = Object.values(REFERENCE_MODELS);

/** A name of a supplier or a type in both languages; what somebody has named is called as he wrote it. */
export const modelName = (name: string): Text => EVERY.find(({ en }) => en === name) ?? { en: name, zh: name };

/** Names under which those are kept whose Chinese name has this part. */
export const modelsCalled = (part: string): string[] => EVERY.filter(({ zh }) => zh.includes(part)).map(({ en }) => en);
