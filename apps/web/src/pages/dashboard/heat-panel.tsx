import { useMessages } from '#shared/i18n/use-messages.ts';
import { hourMinute } from '#shared/time/format.ts';
import { figure } from '#shared/time/number.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { Link } from 'react-router';
import { texts } from './texts.ts';
import { useSummary, type Summary } from './use-summary.ts';
import styles from './heat.module.css';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Shares from which a cell has its step; normal is nearly pale. */
const STEPS = [0.995, 0.985, 0.97, 0.94, 0.9] as const;

export const stepOf = (share: number): number => {
  const step = STEPS.findIndex((from) => share >= from);
  return step < 0 ? STEPS.length : step;
};

const twoDigits = (hour: number): string => String(hour).padStart(2, '0');

function Row({ level, current }: { level: Summary['heat'][number]; current: number }) {
  const t = useMessages(texts);
  // The hour under way is still being collected: it is shown, but not judged.
  const known = level.hours.filter((share, hour): share is number => share !== null && hour < current);
  const mean = known.length > 0 ? known.reduce((sum, share) => sum + share, 0) / known.length : undefined;
  return (
    <tr>
      <th scope="row">
        <Link to={`/meter/auto-meter-reading?tab=lpa&node=level:${level.levelId}`}>{level.name}</Link>
      </th>
      {HOURS.map((hour) => {
        const share = level.hours[hour] ?? null;
        const params = { name: level.name, hour: twoDigits(hour) };
        const tip = share === null ? t('heatNone', params) : t('heatTip', { ...params, rate: (share * 100).toFixed(1) });
        return (
          <td key={hour} title={tip}>
            <i data-step={share === null ? undefined : hour === current && stepOf(share) > 1 ? 'running' : stepOf(share)}>
              <span className="visually-hidden">{tip}</span>
            </i>
          </td>
        );
      })}
      <td className={styles['mean']} data-low={mean !== undefined && mean < STEPS[1] ? true : undefined}>
        {mean === undefined ? '—' : figure(Math.floor(mean * 1000) / 10, 1)}
      </td>
    </tr>
  );
}

/** One row a level, one cell an hour of today. */
export function HeatPanel() {
  const t = useMessages(texts);
  const query = useSummary();
  return (
    <Panel title={t('heat')} className={styles['panel']}>
      <PanelState query={query} lines={6} isEmpty={(data) => data.heat.length === 0} empty={<Empty text={t('noHeat')} />}>
        {(data) => (
          <>
            <div className={styles['scroll']}>
              <table className={styles['heat']}>
                <thead>
                  <tr>
                    <td />
                    {HOURS.map((hour) => (
                      <th key={hour} scope="col" aria-label={twoDigits(hour)}>
                        {hour % 3 === 0 ? twoDigits(hour) : ''}
                      </th>
                    ))}
                    <th scope="col" className={styles['mean']}>
                      {t('mean')}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {data.heat.map((level) => (
                    <Row key={level.levelId} level={level} current={Number(hourMinute(data.at).slice(0, 2))} />
                  ))}
                </tbody>
              </table>
            </div>
            <p className={styles['legend']}>
              {t('heatLegend')}
              {STEPS.map((from, step) => (
                <span key={from}>
                  <i data-step={step} /> {`≥ ${(from * 100).toFixed(1)}`}
                </span>
              ))}
              <span>
                <i data-step={STEPS.length} /> {`< ${((STEPS.at(-1) ?? 0) * 100).toFixed(1)}`}
              </span>
            </p>
          </>
        )}
      </PanelState>
    </Panel>
  );
}
