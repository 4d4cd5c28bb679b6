import { Suspense } from 'react';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState, Skeleton } from '#shared/ui/states.tsx';
import { LineChart } from './late.tsx';
import { slotHours } from './load.ts';
import { texts } from './texts.ts';
import { useChoice } from './use-cards.ts';
import { useSummary, type Summary } from './use-summary.ts';
import styles from './dashboard.module.css';

const isEmpty = ({ load }: Summary): boolean => [...load.today, ...load.yesterday].every((value) => value === null);

/** Load of all transformers on a day against the one before. */
export function LoadPanel() {
  const t = useMessages(texts);
  const query = useSummary();
  const [{ date }] = useChoice();
  return (
    <Panel title={t('load')} note={t('loadNote')} className={styles['load']}>
      <PanelState query={query} lines={6} isEmpty={isEmpty} empty={<Empty text={t('noLoad')} />}>
        {({ load }) => {
          const slots = Math.max(load.today.length, load.yesterday.length);
          const padded = (values: (number | null)[]) => Array.from({ length: slots }, (_, slot) => values[slot] ?? null);
          return (
            <Suspense fallback={<Skeleton lines={6} />}>
              <LineChart
                hours
                timeLabel={t('time')}
                label={t('load')}
                unit="kW"
                decimals={1}
                times={slotHours(slots)}
                series={[
                  { label: date ? t('dayBefore') : t('yesterday'), colour: 'reference', values: padded(load.yesterday) },
                  { label: date ?? t('today'), colour: 'primary', values: padded(load.today), fill: true },
                ]}
              />
            </Suspense>
          );
        }}
      </PanelState>
    </Panel>
  );
}
