import { HISTOGRAM_EDGES_S } from '@hes/contract/action/clock.ts';
import type { SettingValues } from '@hes/contract/setting/settings.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { texts } from './messages.ts';
import styles from './clock.module.css';

type Limits = Pick<SettingValues['thresholds'], 'clockFineS' | 'clockAdjustS' | 'clockSetS'>;

const edgeText = (edge: number | undefined): string => (edge === undefined ? '∞' : edge > 0 ? `+${edge}` : String(edge).replace('-', '−'));

/** The class of a bar is that of its edge nearest to zero. */
function toneOf(bar: number, { clockFineS, clockAdjustS, clockSetS }: Limits): string {
  const low = HISTOGRAM_EDGES_S[bar - 1];
  const high = HISTOGRAM_EDGES_S[bar];
  const nearest = low !== undefined && low >= 0 ? low : high !== undefined && high <= 0 ? -high : 0;
  if (nearest < clockFineS) return 'ok';
  if (nearest < clockAdjustS) return 'amber';
  return nearest < clockSetS ? 'orange' : 'red';
}

/** Distribution of the clock deviations. */
export function Histogram({ bars, limits }: { bars: number[]; limits: Limits }) {
  const t = useMessages(texts);
  const most = Math.max(0, ...bars);
  if (most === 0) {
    return (
      <Panel title={t('histogram')} note={t('histogramNote')} className={styles['histogramPanel']}>
        <Empty small text={t('noneRead')} hint={t('noneReadHint')} />
      </Panel>
    );
  }
  return (
    <Panel title={t('histogram')} note={t('histogramNote')} className={styles['histogramPanel']}>
      <ol className={styles['histogram']} aria-label={t('histogram')}>
        {bars.map((count, bar) => {
          const from = bar === 0 ? '−∞' : edgeText(HISTOGRAM_EDGES_S[bar - 1]);
          const to = edgeText(HISTOGRAM_EDGES_S[bar]);
          return (
            <li key={from} title={t('bar', { from, to, count })} aria-label={t('bar', { from, to, count })} data-value={count}>
              <b>{count > 0 ? figure(count) : ''}</b>
              <i
                style={{ height: `${(count / most) * 100}%`, background: `var(--${toneOf(bar, limits)}-solid)` }}
                data-none={count === 0}
              />
              <span>{bar === bars.length - 1 ? '' : to}</span>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
