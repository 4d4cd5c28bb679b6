import { useSay } from '#shared/i18n/use-messages.ts';
import { Glyph } from './glyphs.tsx';
import type { Sign } from './tables.ts';
import styles from './state-of.module.css';

/** A state: glyph and word. `tag` puts it on its soft ground; only there the arc turns, a table full of turning arcs costs frames. */
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
