import { RULES } from '../core/rules.ts';
import type { Text } from '../core/text.ts';
import { SPOKEN_SENTENCES } from '../asset/spoken.ts';

/** Messages of the contract's own rules by their English text in the schemas; all other messages come from zod. */
export const ruleBySentence: ReadonlyMap<string, Text> = new Map(
  [...Object.values<Text>(RULES), ...SPOKEN_SENTENCES].map((sentence) => [sentence.en, sentence]),
);
