import { useMessages } from '#core/i18n/use-messages.ts';
import { phaseText, texts, type AnyPhase } from './messages.ts';
import styles from './phase.module.css';

/** A phase: its colour and its letter. */
export function PhaseMark({ phase, strong }: { phase: AnyPhase | null | undefined; strong?: boolean }) {
  const t = useMessages(texts);
  if (phase === null || phase === undefined) return <span className={styles['none']}>—</span>;
  return (
    <span className={styles['mark']} data-phase={phase} data-strong={strong}>
      <i />
      {phaseText(t, phase)}
    </span>
  );
}
