import type { Text } from '@hes/contract/core/text.ts';
import { meaningTexts, wordTexts } from './messages.ts';

interface Entry {
  word: Text;
  meaning: Text;
}

export type TermName = keyof typeof wordTexts;

/** The words that the console uses in a meaning of its own, by the name with which help texts refer to them. */
export const GLOSSARY: Readonly<Record<TermName, Entry>> = Object.fromEntries(
  Object.entries(wordTexts).map(([name, word]) => [name, { word, meaning: meaningTexts[name as TermName] }]), // as: both tables have the same keys
) as Record<TermName, Entry>;

export const isTerm = (name: string): name is TermName => Object.hasOwn(GLOSSARY, name);
