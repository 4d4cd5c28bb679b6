import { useSay } from '#core/i18n/use-messages.ts';
import { Glyph } from './glyphs.tsx';
import type { Sign } from './sign.ts';
import styles from './state-of.module.css';

/** A state as glyph and text. `tag` adds a background; only there the arc is animated, because a table full of animations drops frames. */
export function StateOf({ sign, tag, extra }: { sign: Sign; tag?: boolean; extra?: string }) {
  const say = useSay();
  const colour = sign.quiet && !tag ? undefined : `var(--${sign.tone}-fg)`;
  return (
    <span
      className={tag ? styles['tag'] : styles['state']}
      title={sign.hint && say(sign.hint)}
      style={{ color: colour, background: tag ? `var(--${sign.tone}-soft)` : undefined }}
    >
      <Glyph shape={sign.shape} tone={sign.tone} size={14} spin={(tag && sign.spin) ?? false} />
      <span className={styles['word']}>
        {say(sign.text)}
        {extra ? ` ${extra}` : ''}
      </span>
    </span>
  );
}
