import { RULES } from '../core/rules.ts';
import type { Text } from '../core/text.ts';
import { SPOKEN_SENTENCES } from './spoken.ts';

/** Sentences of the contract's own rules, by what a schema says in English; everything else is said by zod. */
export const ruleBySentence: ReadonlyMap<string, Text> = new Map(
  [...Object.values<Text>(RULES), ...SPOKEN_SENTENCES].map((sentence) => [sentence.en, sentence]),
);
