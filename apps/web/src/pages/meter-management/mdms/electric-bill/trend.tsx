import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { bill, consumptionExport, type TrendDay } from '@hes/contract/analysis/bill.ts';
import { Segmented } from 'antd';
import { useApiQuery } from '#core/api/hooks.ts';
import { LineChart, type Series } from '#kit/chart/line-chart.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { startOfDay } from '#core/time/format.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Figures, Num } from '#kit/basics/text.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { useUrl } from '#core/url/use-url.ts';
import type { ListColumn } from '#kit/list/list-declaration.ts';
import { useDeclaredColumns } from '#kit/list/use-list.ts';
import { tariffColumns, totalColumn } from './energy-columns.tsx';
import { ListPage } from '#kit/page/list-page.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import type { BillFrame } from './bill-frame.tsx';
import { texts, type T } from './messages.ts';
import { courseOf, isTooLong, type Period } from './period.ts';
import styles from './bill.module.css';

const ENERGIES = ['total', 'plusTariffs', 'minusTariffs'] as const;
const TARIFFS = [
  [1, 'primary'],
  [2, 'teal'],
  [3, 'violet'],
  [4, 'orange'],
] as const;

/** The chart shows the same values as the table. */
function seriesOf(t: T, days: TrendDay[], energy: (typeof ENERGIES)[number]): Series[] {
  if (energy === 'total')
    return [
      { label: t('plus'), colour: 'primary', values: days.map((day) => day.plus) },
      { label: t('minus'), colour: 'teal', values: days.map((day) => day.minus) },
    ];
  const direction = energy === 'plusTariffs' ? 'plus' : 'minus';
  return TARIFFS.map(([n, colour]) => ({
    label: t(`${direction}Tariff`, { n }),
    colour,
    values: days.map((day) => day[`${direction}T${n}`]),
  }));
}

const COLUMNS: readonly ListColumn<TrendDay>[] = [
  { key: 'day', title: texts.time, width: 104, value: (row) => row.day },
  totalColumn('plus', true),
  totalColumn('minus', false),
  ...tariffColumns<TrendDay>(),
  { key: 'metersData', title: texts.metersData, width: 130, align: 'right', value: (row) => row.metersData },
];

const VIEWS = ['chart', 'table'] as const;
const DEFAULTS = { energy: 'total', view: 'chart' } as const;

/** The tab with the consumption by day; without it for a period that is too long. */
export function TrendTab({ head, bar, period }: BillFrame & { period: Period }) {
  const t = useMessages(texts);
  return (
    <ListPage title={t('title')} purpose={t('purpose')} actions={head}>
      {bar}
      {isTooLong(period) ? null : (
        <Panel flush className={styles['list']} label={t('title')}>
          <Trend period={period} />
        </Panel>
      )}
    </ListPage>
  );
}

/** Consumption per day, in total and by tariff; newest day first in the table. */
function Trend({ period }: { period: Period }) {
  const t = useMessages(texts);
  const [url, setUrl] = useUrl(PAGE_WORDS.bills, DEFAULTS);
  const from = courseOf(period);
  const filter = { from, to: period.to, node: url.node };
  const query = useApiQuery(bill.trend, { query: filter });
  const columns = useDeclaredColumns(COLUMNS);
  const energy = url.energy;
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
                { label: t('trendTotal', { of: t('plus') }), value: <Num value={sum('plus')} decimals={1} /> },
                { label: t('trendTotal', { of: t('minus') }), value: <Num value={sum('minus')} decimals={1} /> },
                { label: t('trendMean'), value: <Num value={sum('plus') / known.length} decimals={1} unit="kWh" /> },
                { label: t('metersDataMax'), value: <Num value={Math.max(...known.map((day) => day.metersData))} /> },
              ]}
            />
            <div className={styles['trendHead']}>
              {url.view === 'table' ? (
                <ExportButton small routes={consumptionExport} filter={filter} columns={columns} />
              ) : (
                <Segmented
                  size="small"
                  aria-label={t('energy')}
                  value={energy}
                  options={ENERGIES.map((value) => ({ value, label: t(value) }))}
                  onChange={(value) => setUrl({ energy: value })}
                />
              )}
              <Segmented
                size="small"
                aria-label={t('trendTitle')}
                value={url.view}
                options={VIEWS.map((value) => ({ value, label: t(value) }))}
                onChange={(view) => setUrl({ view })}
              />
            </div>
            <div className={styles['trendChart']}>
              {url.view === 'table' ? (
                <DataTable
                  label={t('trendTitle')}
                  columns={columns}
                  rows={items.toReversed()}
                  rowKey={(row) => row.day}
                  density="compact"
                />
              ) : (
                <LineChart
                  // Daily amounts are bars; four series of bars would overlap.
                  bars={energy === 'total'}
                  days
                  name={`consumption-${energy}`}
                  label={t('trendTitle')}
                  times={items.map(({ day }) => Date.parse(startOfDay(day)) / 1000)}
                  unit="kWh"
                  decimals={1}
                  timeLabel={t('time')}
                  series={seriesOf(t, items, energy)}
                />
              )}
            </div>
          </div>
        );
      }}
    </PanelState>
  );
}
