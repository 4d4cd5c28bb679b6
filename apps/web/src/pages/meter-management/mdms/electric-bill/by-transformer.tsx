import { balance, balanceExport, type BalanceRow } from '@hes/contract/analysis/balance.ts';
import { Button } from 'antd';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useOneMoment } from '#core/api/one-moment.ts';
import { StackBar } from '#kit/chart/bars.tsx';
import { LineChart } from '#kit/chart/line-chart.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { FilterBar, ListFooter } from '#kit/page/list-page.tsx';
import { TableTools } from '#kit/table/table-tools.tsx';
import { useTableView } from '#kit/table/table-view.ts';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { refilter } from '#core/url/url-state.ts';
import { startOfDay } from '#core/time/format.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Figures, Num } from '#kit/basics/text.tsx';
import { RefreshButton } from '#kit/page/refresh-button.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { FacetStrip } from '#kit/page/facet-strip.tsx';
import { LOSS_ORDER, lossSigns, useLossBounds } from '#domain/states/loss.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import type { TabProps } from './by-meter.tsx';
import { tariffColumns, totalColumn } from './energy-columns.tsx';
import { texts, type T } from './messages.ts';
import { courseOf, type Period } from './period.ts';
import styles from './bill.module.css';

/** Sold energy, missing data and loss in one bar; their sum is the supplied energy. */
function Split({ row, t }: { row: Pick<BalanceRow, 'sold' | 'missing' | 'loss'>; t: T }) {
  const round = (value: number | null) => Math.max(0, Math.round((value ?? 0) * 10) / 10);
  return (
    <StackBar
      label={t('split')}
      parts={[
        { value: round(row.sold), tone: 'ok', label: t('sold') },
        { value: round(row.missing), tone: 'wait', label: t('missing') },
        { value: round(row.loss), tone: 'red', label: t('loss') },
      ]}
    />
  );
}

/** Balanced days of the range, and the reasons for the others. */
function Days({ row, t }: { row: BalanceRow; t: T }) {
  const causes = (['daysWithoutMaster', 'daysNotCalculated'] as const).filter((cause) => row[cause] > 0);
  const text = causes.map((cause) => t(cause, { count: row[cause] })).join(' · ');
  return (
    <span title={text || undefined}>
      <Num value={row.daysBalanced} /> / <Num value={row.days} /> {text ? <span className={styles['why']}>{text}</span> : null}
    </span>
  );
}

function useColumns(t: T, signs: ReturnType<typeof lossSigns>, { kind, from, to }: Period): Column<BalanceRow>[] {
  return useMemo(() => {
    const energy = (key: 'supply' | 'sold' | 'missing' | 'loss'): Column<BalanceRow> => ({
      key,
      title: t(key),
      width: 128,
      align: 'right',
      sort: key,
      value: (row) => row[key],
      unit: 'kWh',
      decimals: 1,
    });
    return [
      {
        key: 'name',
        title: t('transformer'),
        width: 190,
        sort: 'name',
        cell: (row) => (
          <Link to={`?kind=${kind}&from=${from}&to=${to}&node=transformer:${row.transformerId}`} title={t('linesOf', { name: row.code })}>
            {row.name}
          </Link>
        ),
      },
      { key: 'class', title: t('lossClass'), width: 116, cell: (row) => <StateOf sign={signs[row.class]} /> },
      {
        key: 'lossPercent',
        title: t('lossPercent'),
        width: 86,
        align: 'right',
        sort: 'lossPercent',
        value: (row) => row.lossPercent,
        unit: '%',
        cell: (row) => <Num value={row.lossPercent} decimals={2} unit="%" strong />,
      },
      energy('supply'),
      energy('sold'),
      energy('missing'),
      energy('loss'),
      { key: 'split', title: t('split'), width: 170, cell: (row) => (row.supply === null ? '—' : <Split row={row} t={t} />) },
      {
        key: 'metersData',
        title: t('metersDataMin'),
        width: 250,
        align: 'right',
        cell: (row) => (
          <>
            <Num value={row.metersDataMin} /> / <Num value={row.metersExpected} />
          </>
        ),
      },
      {
        key: 'daysBalanced',
        title: t('daysBalanced'),
        width: 300,
        cell: (row) => <Days row={row} t={t} />,
      },
      totalColumn<BalanceRow>(t, 'plus', false),
      totalColumn<BalanceRow>(t, 'minus', false),
      ...tariffColumns<BalanceRow>(t),
    ];
  }, [t, signs, kind, from, to]);
}

/** Supplied, sold and lost energy by transformer. The difference is split into loss and missing data. */
export function ByTransformer({ period, url, setUrl }: TabProps) {
  const t = useMessages(texts);
  const bounds = useLossBounds();
  const signs = useMemo(() => lossSigns(bounds), [bounds]);
  const filters = { from: period.from, to: period.to, node: url.node, search: url.search };
  const list = useApiQuery(balance.list, {
    query: { ...filters, class: url.class, page: url.page, size: url.size, sort: url.sort ?? 'lossPercent,desc' },
    keep: true,
  });
  const summary = useApiQuery(balance.summary, { query: filters, keep: ['from', 'to', 'node'] });
  const course = useApiQuery(balance.summary, { query: { ...filters, from: courseOf(period) }, keep: ['from', 'to', 'node'] });
  const updatedAt = useOneMoment(list, summary, course);
  const days = course.data?.days ?? [];
  const view = useTableView('/meter-management/mdms/electric-bill/balance', useColumns(t, signs, period));
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter({ search: undefined, class: undefined }))}>
      {t('clearFilters')}
    </Button>
  );
  const isFiltered = url.search !== undefined || url.class !== undefined;
  const { data } = summary;
  const lossPercent = data && data.supply > 0 ? (100 * data.loss) / data.supply : null;
  return (
    <>
      {data && data.supply > 0 ? (
        <div className={styles['balance']}>
          <div>
            <Figures
              items={[
                { label: t('supply'), value: <Num value={data.supply} decimals={1} unit="kWh" /> },
                { label: t('sold'), value: <Num value={data.sold} decimals={1} unit="kWh" /> },
                { label: t('missing'), value: <Num value={data.missing} decimals={1} unit="kWh" /> },
                { label: t('loss'), value: <Num value={data.loss} decimals={1} unit="kWh" /> },
                { label: t('lossPercent'), value: <Num value={lossPercent} decimals={2} unit="%" /> },
              ]}
            />
            <Split row={data} t={t} />
            {days.length > 1 ? (
              <div className={styles['lossChart']}>
                <LineChart
                  label={t('lossByDay')}
                  name="loss"
                  days
                  times={days.map(({ day }) => Date.parse(startOfDay(day)) / 1000)}
                  unit="%"
                  decimals={2}
                  timeLabel={t('time')}
                  series={[{ label: t('lossPercent'), colour: 'orange', values: days.map((day) => day.lossPercent), fill: true }]}
                />
              </div>
            ) : null}
          </div>
          <section aria-label={t('worst')}>
            <h3>{t('worst')}</h3>
            <ol className={styles['worst']}>
              {data.worst.map((row) => (
                <li key={row.transformerId}>
                  <button type="button" onClick={() => setUrl(refilter({ search: row.name }))}>
                    <span>{row.name}</span>
                    <StateOf sign={signs[row.class]} />
                    <Num value={row.lossPercent} decimals={2} unit="%" strong />
                  </button>
                </li>
              ))}
            </ol>
          </section>
        </div>
      ) : null}
      <FacetStrip
        label={t('lossClass')}
        all={t('allLines')}
        total={data?.total}
        facets={LOSS_ORDER.map((key) => ({ key, sign: signs[key], count: data?.byClass[key] }))}
        selected={url.class}
        onSelect={(key) => setUrl(refilter({ class: key }))}
      />
      <FilterBar
        tools={
          <>
            <ExportButton routes={balanceExport} filter={{ ...filters, class: url.class, sort: url.sort }} columns={view.columns} />
            <TableTools view={view} />
            <RefreshButton busy={list.isFetching} onRefresh={() => void Promise.all([list.refetch(), summary.refetch()])} />
          </>
        }
      >
        <TextFilter label={t('searchTransformer')} value={url.search} onChange={(search) => setUrl(refilter({ search }))} />
        {isFiltered ? clear : null}
      </FilterBar>
      <PanelState query={list} lines={12}>
        {(page) => (
          <>
            <DataTable<BalanceRow>
              label={t('balance')}
              columns={view.columns}
              density={view.density}
              rows={page.items}
              rowKey={(row) => row.transformerId}
              rowName={(row) => row.name}
              sort={url.sort ?? 'lossPercent,desc'}
              onSort={(sort) => setUrl(refilter({ sort }))}
              stale={list.isPlaceholderData}
              empty={
                <Empty
                  text={isFiltered ? t('noMatch') : t('noBalance')}
                  hint={t('noBalanceHint')}
                  action={isFiltered ? clear : undefined}
                />
              }
            />
            <ListFooter page={page} updatedAt={updatedAt} onPage={(next, size) => setUrl({ page: next, size })} />
          </>
        )}
      </PanelState>
    </>
  );
}
