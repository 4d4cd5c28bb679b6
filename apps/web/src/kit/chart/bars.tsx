import type { Tone } from '#core/theme/tokens.ts';
import styles from './bars.module.css';

export interface Part {
  value: number;
  tone: Tone;
  label: string;
}

/** Parts of a whole in one bar. Every part above zero stays visible, however small; `rest` is left empty. */
export function StackBar({ parts, label, height = 8, rest = 0 }: { parts: Part[]; label: string; height?: number; rest?: number }) {
  return (
    <div
      className={styles['stack']}
      style={{ height }}
      role="img"
      aria-label={`${label}: ${parts.map((part) => `${part.label} ${part.value}`).join(', ')}`}
    >
      {parts
        .filter((part) => part.value > 0)
        .map((part) => (
          <span
            key={part.label}
            title={`${part.label} ${part.value}`}
            data-tone={part.tone}
            style={{ flexGrow: part.value, background: `var(--${part.tone}-solid)` }}
          />
        ))}
      {rest > 0 ? <i style={{ flexGrow: rest }} /> : null}
    </div>
  );
}

/** A bar for a share of a maximum. */
export function Meter({ value, max, tone = 'ok', label }: { value: number; max: number; tone?: Tone; label: string }) {
  return (
    <span className={styles['meter']} role="img" aria-label={label}>
      <span style={{ width: `${max > 0 ? Math.min(100, (value / max) * 100) : 0}%`, background: `var(--${tone}-solid)` }} />
    </span>
  );
}
