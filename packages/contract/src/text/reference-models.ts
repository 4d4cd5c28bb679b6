import { inEveryLanguage, nameText, type Text } from '../core/text.ts';

/** Names of the built-in supplier and types by key. */
export const REFERENCE_MODELS = {
  supplier: { en: 'HES Reference', zh: 'HES 参考型号' },
  dcu: { en: 'Reference DCU', zh: '参考集中器' },
  gateway: { en: 'Plain gateway', zh: '透传网关' },
  meter_1p2w: { en: 'Reference 1P2W', zh: '参考电表 1P2W' },
  meter_3p4w: { en: 'Reference 3P4W', zh: '参考电表 3P4W' },
} as const satisfies Record<string, Text>;

const EVERY: readonly Text[] = Object.values(REFERENCE_MODELS);

/** Name of a supplier or type; names given by users are the same in all languages. */
export const modelName = (name: string): Text => EVERY.find(({ en }) => en === name) ?? nameText(name);

/** Stored names of the built-in models whose name contains a text in any language. */
export const modelsCalled = (part: string): string[] =>
  EVERY.filter((name) => Object.values(inEveryLanguage(name)).some((version) => version.includes(part))).map(({ en }) => en);
