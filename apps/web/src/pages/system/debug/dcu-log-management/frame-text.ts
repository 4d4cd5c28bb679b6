import type { Text } from '@hes/contract/core/text.ts';
import { texts } from './messages.ts';

const HEX_SHOWN = 160;

/** The first octets of a frame, apart from each other. */
export const spaced = (hex: string): string =>
  hex.slice(0, HEX_SHOWN).replaceAll(/(..)(?=.)/g, '$1 ') + (hex.length > HEX_SHOWN ? ' …' : '');

export const resultText = (result: string | null, say: (text: Text) => string): string =>
  result === null ? '' : result === 'noAnswer' ? say(texts.noAnswer) : result;
