import type { Text } from '@hes/contract/core/text.ts';
import type { AuthenticationType } from '@hes/contract/states/device.ts';
import { offered, SECRETS_OF, SPOKEN, type Spoken } from '@hes/contract/states/spoken.ts';
import { AUTHENTICATION_TEXT } from '@hes/contract/states/type-text.ts';

type Say = (text: Text, params?: Record<string, string | number>) => string;

const JOINT: Text = { en: '; ', zh: '；' };
const LATER: Text = { en: 'Not supported yet: {words}', zh: '暂不支持：{words}' };
const PLAIN: Text = {
  en: 'Readings and commands go unencrypted and without proof of origin.',
  zh: '抄读数据和命令均不加密，也不校验来源。',
};

/** The choices of a form: the values that the field engine acts on. */
export const offeredChoices = <K extends string>(spoken: Record<K, Spoken>, texts: Record<K, Text>, say: Say) =>
  offered(spoken).map((value) => ({ value, label: say(texts[value]) }));

/** Names the values that a form does not offer; undefined: it offers all of them. */
export function notOffered<K extends string>(spoken: Record<K, Spoken>, texts: Record<K, Text>, say: Say): string | undefined {
  const left = (Object.keys(texts) as K[]).filter((value) => spoken[value] !== true); // as: keys of that very table
  return left.length === 0 ? undefined : say(LATER, { words: left.map((value) => say(texts[value])).join(say(JOINT)) });
}

/** What an authentication means for what is exchanged after it, and which ones are not offered. */
export const authenticationHelp = (chosen: AuthenticationType, say: Say): string =>
  [SECRETS_OF[chosen].includes('ek') ? undefined : say(PLAIN), notOffered(SPOKEN.authenticationType, AUTHENTICATION_TEXT, say)]
    .filter((sentence) => sentence !== undefined)
    .join(' ');
