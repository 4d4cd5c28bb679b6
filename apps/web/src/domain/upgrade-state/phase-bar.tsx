import { UPGRADE_PHASES, UPGRADE_PLAIN_TEXT, type UpgradeState } from '@hes/contract/states/upgrade.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { segmentsOf } from './phases.ts';
import styles from './phase-bar.module.css';

interface PhaseBarProps {
  status: UpgradeState;
  failedIn: UpgradeState | null;
  /** Percentage of the whole upgrade. */
  process: number;
  /** Shows the names of the phases below. */
  named?: boolean;
}

/** Five phases: done, running (striped), or failed in the phase of the failure. */
export function PhaseBar({ status, failedIn, process, named }: PhaseBarProps) {
  const say = useSay();
  const segments = segmentsOf(status, failedIn);
  return (
    <span className={styles['bar']} role="img" aria-label={`${say(UPGRADE_PLAIN_TEXT[status])}, ${Math.floor(process)} %`}>
      {UPGRADE_PHASES.map((phase, index) => (
        <span key={phase.key} className={styles['phase']} title={say(phase)}>
          <i data-segment={segments[index]} />
          {named ? <small>{say(phase)}</small> : null}
        </span>
      ))}
    </span>
  );
}
