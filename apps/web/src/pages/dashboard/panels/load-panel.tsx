import { Suspense } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dayAxis, onAxis } from '#core/time/day-axis.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState, Skeleton } from '#kit/basics/states.tsx';
import { LineChart } from '#pages/dashboard/late.tsx';
import { texts } from '#pages/dashboard/texts.ts';
import { useChoice } from '#pages/dashboard/use-cards.ts';
import { useSummary, type Summary } from '#pages/dashboard/use-summary.ts';
import styles from '#pages/dashboard/dashboard.module.css';

const momentOf = ({ at }: Summary['load']['today'][number]): number => Date.parse(at);
const isEmpty = ({ load }: Summary): boolean => [...load.today, ...load.yesterday].every(({ kw }) => kw === null);

/** Load of all transformers on a day, compared with the day before. */
export function LoadPanel() {
  const t = useMessages(texts);
  const query = useSummary();
  const [{ date }] = useChoice();
  return (
    <Panel title={t('load')} note={t('loadNote')} className={styles['load']}>
      <PanelState query={query} lines={6} isEmpty={isEmpty} empty={<Empty text={t('noLoad')} />}>
        {({ load }) => {
          const axis = dayAxis([load.today, load.yesterday].map((day) => day.map(momentOf)));
          const valuesOf = (day: Summary['load']['today']) => onAxis(axis, day, momentOf).map((slot) => slot?.kw ?? null);
          return (
            <Suspense fallback={<Skeleton lines={6} />}>
              <LineChart
                dayTimes={axis}
                timeLabel={t('time')}
                label={t('load')}
                unit="kW"
                decimals={1}
                times={axis.map((_, place) => place)}
                series={[
                  { label: date ? t('dayBefore') : t('yesterday'), colour: 'reference', values: valuesOf(load.yesterday) },
                  { label: date ?? t('today'), colour: 'primary', values: valuesOf(load.today), fill: true },
                ]}
              />
            </Suspense>
          );
        }}
      </PanelState>
    </Panel>
  );
}
