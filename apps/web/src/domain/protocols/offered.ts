import type { Text } from '@hes/contract/core/text.ts';
import type { AuthenticationType } from '@hes/contract/states/device.ts';
import { offered, SECRETS_OF, SPOKEN, type Spoken } from '@hes/contract/asset/spoken.ts';
import { AUTHENTICATION_TEXT } from '@hes/contract/text/type-text.ts';
import { offeredTexts } from './messages.ts';

type Say = (text: Text, params?: Record<string, string | number>) => string;

/** The choices of a form: only values that the field engine supports. */
export const offeredChoices = <K extends string>(spoken: Record<K, Spoken>, texts: Record<K, Text>, say: Say) =>
  offered(spoken).map((value) => ({ value, label: say(texts[value]) }));

/** Names the values that a form does not offer; undefined when it offers all. */
export function notOffered<K extends string>(spoken: Record<K, Spoken>, texts: Record<K, Text>, say: Say): string | undefined {
  const left = (Object.keys(texts) as K[]).filter((value) => spoken[value] !== true); // as: keys of that very table
  return left.length === 0
    ? undefined
    : say(offeredTexts.later, { words: left.map((value) => say(texts[value])).join(say(offeredTexts.joint)) });
}

/** Says whether messages are encrypted after the chosen authentication, its limits, and which authentications are not offered. */
export const authenticationHelp = (chosen: AuthenticationType, say: Say): string =>
  [
    SECRETS_OF[chosen].includes('ek') ? undefined : say(offeredTexts.plain),
    chosen === 'high' ? say(offeredTexts.short) : undefined,
    notOffered(SPOKEN.authenticationType, AUTHENTICATION_TEXT, say),
  ]
    .filter((sentence) => sentence !== undefined)
    .join(' ');
