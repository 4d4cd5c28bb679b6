import type { Text } from '@hes/contract/core/text.ts';
import type { AuthenticationType } from '@hes/contract/states/device.ts';
import { offered, SECRETS_OF, SPOKEN, type Spoken } from '@hes/contract/states/spoken.ts';
import { AUTHENTICATION_TEXT } from '@hes/contract/states/type-text.ts';
import { offeredTexts } from './offered.messages.ts';

type Say = (text: Text, params?: Record<string, string | number>) => string;

/** The choices of a form: the values that the field engine acts on. */
export const offeredChoices = <K extends string>(spoken: Record<K, Spoken>, texts: Record<K, Text>, say: Say) =>
  offered(spoken).map((value) => ({ value, label: say(texts[value]) }));

/** Names the values that a form does not offer; undefined: it offers all of them. */
export function notOffered<K extends string>(spoken: Record<K, Spoken>, texts: Record<K, Text>, say: Say): string | undefined {
  const left = (Object.keys(texts) as K[]).filter((value) => spoken[value] !== true); // as: keys of that very table
  return left.length === 0
    ? undefined
    : say(offeredTexts.later, { words: left.map((value) => say(texts[value])).join(say(offeredTexts.joint)) });
}

/** What an authentication means for what is exchanged after it, and which ones are not offered. */
export const authenticationHelp = (chosen: AuthenticationType, say: Say): string =>
  [SECRETS_OF[chosen].includes('ek') ? undefined : say(offeredTexts.plain), notOffered(SPOKEN.authenticationType, AUTHENTICATION_TEXT, say)]
    .filter((sentence) => sentence !== undefined)
    .join(' ');
