import { bill } from '@hes/contract/analysis/bill.ts';
import { useApiQuery } from '#shared/api/hooks.ts';
import { LineChart } from '#shared/chart/line-chart.tsx';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { addDays, startOfDay } from '#shared/time/format.ts';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { Figures, Num } from '#shared/ui/text.tsx';
import type { TabProps } from './by-meter.tsx';
import { texts } from './messages.ts';
import styles from './bill.module.css';

const MONTH_DAYS = 31;

/** Consumption by day. One day has no course: the thirty before it are shown too. */
export function Trend({ period, url }: TabProps) {
  const t = useMessages(texts);
  const from = period.kind === 'day' ? addDays(period.to, 1 - MONTH_DAYS) : period.from;
  const query = useApiQuery(bill.trend, { query: { from, to: period.to, node: url.node }, keep: true });
  return (
    <PanelState
      query={query}
      lines={12}
      isEmpty={(data) => data.items.every((day) => day.plus === null)}
      empty={<Empty text={t('noTrend')} />}
    >
      {({ items }) => {
        const known = items.filter((day) => day.plus !== null);
        const sum = (key: 'plus' | 'minus') => known.reduce((total, day) => total + (day[key] ?? 0), 0);
        return (
          <div className={styles['trend']}>
            <Figures
              items={[
                { label: `${t('trendTotal')}, ${t('plus')}`, value: <Num value={sum('plus')} decimals={1} /> },
                { label: `${t('trendTotal')}, ${t('minus')}`, value: <Num value={sum('minus')} decimals={1} /> },
                { label: t('trendMean'), value: <Num value={sum('plus') / known.length} decimals={1} unit="kWh" /> },
                { label: t('metersData'), value: <Num value={Math.max(...known.map((day) => day.metersData))} /> },
              ]}
            />
            <div className={styles['trendChart']}>
              <LineChart
                bars
                days
                name="consumption"
                label={t('trendTitle')}
                times={items.map(({ day }) => Date.parse(startOfDay(day)) / 1000)}
                unit="kWh"
                decimals={1}
                timeLabel={t('time')}
                series={[
                  { label: t('plus'), colour: 'primary', values: items.map((day) => day.plus) },
                  { label: t('minus'), colour: 'teal', values: items.map((day) => day.minus) },
                ]}
              />
            </div>
          </div>
        );
      }}
    </PanelState>
  );
}
