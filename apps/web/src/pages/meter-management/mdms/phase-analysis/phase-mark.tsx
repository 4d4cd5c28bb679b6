import type { PhaseRow } from '@hes/contract/analysis/phase.ts';
import type { RecordedPhase } from '@hes/contract/states/device.ts';
import { conflictText, SURE } from '@hes/contract/states/phase.ts';
import { RECORDED_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { figure } from '#core/time/number.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { Meter } from '#kit/chart/bars.tsx';
import styles from './phase.module.css';

/** Rounded down, so that no value below a limit is shown as the limit. */
export const percentOf = (share: number): string => figure(Math.floor(share * 1000) / 10, 1);

/** A phase: its colour and its letter. */
export function PhaseMark({ phase, strong }: { phase: RecordedPhase | null | undefined; strong?: boolean }) {
  const say = useSay();
  if (phase === null || phase === undefined) return <span className={styles['none']}>—</span>;
  return (
    <span className={styles['mark']} data-phase={phase} data-strong={strong}>
      <i />
      {say(RECORDED_PHASE_TEXT[phase])}
    </span>
  );
}

/** What contradicts the phase of a meter; nothing if all agree. */
export function Conflict({ of: row }: { of: PhaseRow }) {
  const say = useSay();
  const text = conflictText(row);
  return text ? <span className={styles[row.isConflict ? 'conflict' : 'contradiction']}>{say(text)}</span> : null;
}

export function Confidence({ value }: { value: number | null }) {
  if (value === null) return <span className={styles['none']}>—</span>;
  const percent = `${percentOf(value)} %`;
  return (
    <span className={styles['confidence']}>
      <Meter value={value} max={1} tone={value >= SURE ? 'ok' : 'amber'} label={percent} />
      {percent}
    </span>
  );
}
