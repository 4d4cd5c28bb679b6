import type { Text } from '@hes/contract/core/text.ts';
import type { Tone } from '#core/theme/tokens.ts';
import type { Shape } from './glyphs.tsx';

/** Shape, tone and text of a state. The shape alone identifies the state in greyscale. */
export interface Sign {
  shape: Shape;
  tone: Tone;
  text: Text;
  /** Explains the state where the label is not enough. */
  hint?: Text;
  /** Keeps the text colour: an ordinary state needs no emphasis. */
  quiet?: boolean;
  spin?: boolean;
}

/** Next to a count: a state with count 0 is grey, so that colour marks only states that occur. */
export const counted = (sign: Sign, count: number | undefined): Sign => (count === 0 ? { ...sign, tone: 'none', quiet: false } : sign);
