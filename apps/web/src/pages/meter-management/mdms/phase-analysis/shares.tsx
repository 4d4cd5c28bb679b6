import type { PhaseShare } from '@hes/contract/analysis/phase.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { texts } from './messages.ts';
import { PhaseMark } from './phase-mark.tsx';
import styles from './phase.module.css';

const ORDER = ['a', 'b', 'c', 'abc', 'unknown'] as const;

/** Meters per phase, by number and by energy. */
export function Shares({ shares }: { shares: PhaseShare[] }) {
  const t = useMessages(texts);
  const meters = shares.reduce((sum, share) => sum + share.meters, 0);
  const kwh = shares.reduce((sum, share) => sum + share.kwh, 0);
  const bar = (part: number, whole: number, phase: string) => (
    <span className={styles['bar']} data-phase={phase}>
      <i style={{ width: `${whole > 0 ? (100 * part) / whole : 0}%` }} />
    </span>
  );
  return (
    <section className={styles['sharePart']} aria-label={t('shares')}>
      <header>
        <h3>{t('shares')}</h3>
        <small>{t('sharesNote')}</small>
      </header>
      <table className={styles['shares']} aria-label={t('shares')}>
        <thead>
          <tr>
            <td>
              <span className="visually-hidden">{t('phase')}</span>
            </td>
            <th scope="col" colSpan={2}>
              {t('meters')}
            </th>
            <th scope="col" colSpan={2}>
              {t('energy')} (kWh)
            </th>
          </tr>
        </thead>
        <tbody>
          {ORDER.flatMap((phase) => shares.filter((share) => share.phase === phase)).map((share) => (
            <tr key={share.phase}>
              <th scope="row">
                <PhaseMark phase={share.phase} />
              </th>
              <td data-value={share.meters}>{figure(share.meters)}</td>
              <td>{bar(share.meters, meters, share.phase)}</td>
              <td data-value={share.kwh}>{figure(share.kwh)}</td>
              <td>{bar(share.kwh, kwh, share.phase)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
