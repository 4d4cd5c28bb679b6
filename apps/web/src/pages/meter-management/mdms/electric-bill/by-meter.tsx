import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { bill, billExport, type BillLine } from '@hes/contract/analysis/bill.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { BILL_FLAG_TEXT } from '@hes/contract/states/bill.ts';
import { App, Button, Select } from 'antd';
import { Calculator, ScanSearch } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useOneMoment } from '#core/api/one-moment.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { FilterBar, ListFooter } from '#kit/page/list-page.tsx';
import { useRowSteps } from '#core/keys/use-row-steps.ts';
import { TableTools } from '#kit/table/table-tools.tsx';
import { useTableView } from '#kit/table/table-view.ts';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { refilter } from '#core/url/url-state.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num, Sn } from '#kit/basics/text.tsx';
import { RefreshButton } from '#kit/page/refresh-button.tsx';
import { ANOMALY, ANOMALY_ORDER } from '#domain/states/anomaly-tables.ts';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { FacetStrip } from '#kit/page/facet-strip.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { tariffColumns, totalColumn } from './energy-columns.tsx';
import { texts, type T } from './messages.ts';
import type { Period } from './period.ts';
import { STATUS, STATUS_ORDER } from './signs.ts';
import styles from './bill.module.css';

export interface TabUrl {
  page: string | undefined;
  size: string | undefined;
  sort: string | undefined;
  node: NodeKey | undefined;
  search: string | undefined;
  status: string | undefined;
  anomaly: string | undefined;
  class: string | undefined;
  decision: string | undefined;
  energy: string | undefined;
  view: string | undefined;
  sel: string | undefined;
}

export interface TabProps {
  period: Period;
  url: TabUrl;
  setUrl: (change: Partial<TabUrl>) => void;
}

/** Beside the open pane there is room for the consumption only: the other columns become low, but stay in the chooser and in files. */
function useColumns(t: T, isPaneOpen: boolean): Column<BillLine>[] {
  const say = useSay();
  return useMemo(() => {
    const reading = (key: 'opening' | 'closing'): Column<BillLine> => ({
      key,
      title: t(key),
      width: 106,
      align: 'right',
      cell: (row) => <Num value={row[key]} decimals={2} />,
    });
    const first: Column<BillLine>[] = [
      { key: 'sn', title: t('sn'), width: 140, sort: 'sn', cell: (row) => <Sn sn={row.sn} /> },
      {
        key: 'customer',
        title: t('customer'),
        width: 130,
        sort: 'customer',
        low: isPaneOpen,
        cell: (row) => (row.isMaster ? <em>{t('master')}</em> : (row.customerName ?? row.customerNo ?? '—')),
      },
    ];
    const wide: Column<BillLine>[] = [
      { key: 'transformer', title: t('transformer'), width: 160, sort: 'transformer', cell: (row) => row.transformerName },
      { key: 'ratio', title: t('ratio'), width: 62, align: 'right', cell: (row) => <Num value={row.ratio} /> },
      reading('opening'),
      reading('closing'),
    ];
    const last: Column<BillLine>[] = [
      { ...totalColumn<BillLine>(t, 'plus', true), sort: 'plus' },
      { ...totalColumn<BillLine>(t, 'minus', false), sort: 'minus' },
      { key: 'status', title: t('status'), width: 122, sort: 'status', cell: (row) => <StateOf sign={STATUS[row.status]} /> },
      { key: 'anomaly', title: t('anomaly'), width: 158, cell: (row) => <StateOf sign={ANOMALY[row.anomaly]} /> },
      {
        key: 'amount',
        title: t('amount'),
        width: 110,
        align: 'right',
        sort: 'amount',
        cell: (row) => <Num value={row.amount} decimals={2} {...(row.currency ? { unit: row.currency } : {})} />,
      },
    ];
    const rest: Column<BillLine>[] = [
      ...tariffColumns<BillLine>(t),
      {
        key: 'maxDemand',
        title: `${t('maxDemand')} (kW)`,
        width: 148,
        align: 'right',
        cell: (row) => <Num value={row.maxDemandKw} decimals={3} />,
      },
      {
        key: 'flags',
        title: t('remarks'),
        width: 220,
        cell: (row) => (row.flags.length === 0 ? '—' : row.flags.map((flag) => say(BILL_FLAG_TEXT[flag])).join(' · ')),
      },
      { key: 'period', title: t('period'), width: 190, low: true, cell: (row) => `${row.firstDay} – ${row.lastDay}` },
    ];
    const low = (columns: Column<BillLine>[]) => (isPaneOpen ? columns.map((column) => ({ ...column, low: true })) : columns);
    return [...first, ...low(wide), ...last, ...low(rest)];
  }, [t, say, isPaneOpen]);
}

const filtersOf = ({ from, to }: Period, { node, search, status, anomaly }: TabUrl) => ({ from, to, node, search, status, anomaly });

/** The displayed page of bill lines. */
export const useLines = (period: Period, url: TabUrl, enabled: boolean) =>
  useApiQuery(bill.list, {
    query: { ...filtersOf(period, url), page: url.page, size: url.size, sort: url.sort ?? 'sn,asc' },
    keep: true,
    enabled,
  });

/** Reads missing values of a calculated period from the meters. */
function ReadMissing({ summary, node }: { summary: ResponseOf<typeof bill.summary>; node: NodeKey | undefined }) {
  const t = useMessages(texts);
  const may = useMay();
  // Notifications render outside of the router, where links do not work.
  const go = useNavigate();
  const { message, notification } = App.useApp();
  const order = useApiMutation(bill.readMissing, {
    success: ({ taskId, meters, left }) =>
      notification.success({
        title: t('reading', { count: meters }),
        description: (
          <>
            {left > 0 ? <p>{t('readingLeft', { count: left })}</p> : null}
            <p>{t('readingHint')}</p>
            <Button type="link" size="small" onClick={() => void go(`/action/on-demand-reading?task=${taskId}`)}>
              {t('openTask')}
            </Button>
          </>
        ),
      }),
    failure: (error) => void message.error(error.message, 0),
  });
  const { period, byStatus } = summary;
  if (period?.state !== 'calculated' || byStatus.missing + byStatus.estimated === 0 || !may(bill.readMissing)) return null;
  return (
    <Button
      icon={<ScanSearch size={14} aria-hidden="true" />}
      loading={order.isPending}
      onClick={() => order.mutate({ params: { id: period.id }, body: { node } })}
    >
      {t('readMissing')}
    </Button>
  );
}

/** All meters of the period with their consumption and its basis. */
export function ByMeter({ period, url, setUrl, list, calculate }: TabProps & { list: ReturnType<typeof useLines>; calculate: ReactNode }) {
  const t = useMessages(texts);
  const say = useSay();
  const range = { from: period.from, to: period.to };
  const filters = filtersOf(period, url);
  const summary = useApiQuery(bill.summary, {
    query: { ...range, node: url.node, search: url.search, anomaly: url.anomaly },
    keep: ['from', 'to', 'node'],
  });
  const updatedAt = useOneMoment(list, summary);
  const rows = useMemo(() => list.data?.items ?? [], [list.data]);
  const view = useTableView('/meter-management/mdms/electric-bill', useColumns(t, url.sel !== undefined));
  useRowSteps({ ids: rows.map((row) => row.meterId), selected: url.sel, select: (sel) => setUrl({ sel }) });
  const isFiltered = [url.search, url.status, url.anomaly].some((value) => value !== undefined);
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter({ search: undefined, status: undefined, anomaly: undefined }))}>
      {t('clearFilters')}
    </Button>
  );
  const { data } = summary;
  const gaps = `/meter/auto-meter-reading?view=gaps&from=${period.from}&to=${period.to}${url.node ? `&node=${url.node}` : ''}`;
  const empty =
    data && !data.hasReadings ? (
      <Empty text={t('noReadings')} action={<Link to={gaps}>{t('openGaps')}</Link>} />
    ) : data && (data.period === null || data.period.state === 'open') ? (
      <Empty text={t('notCalculated')} hint={t('notCalculatedHint')} action={calculate} />
    ) : (
      <Empty text={t('noMatch')} action={isFiltered ? clear : undefined} />
    );
  return (
    <>
      <FacetStrip
        label={t('status')}
        all={t('allLines')}
        total={data?.total}
        facets={STATUS_ORDER.map((key) => ({ key, sign: STATUS[key], count: data?.byStatus[key] }))}
        selected={url.status}
        onSelect={(status) => setUrl(refilter({ status }))}
      />
      <FilterBar
        tools={
          <>
            {data ? <ReadMissing summary={data} node={url.node} /> : null}
            <ExportButton routes={billExport} filter={{ ...filters, sort: url.sort }} columns={view.columns} />
            <TableTools view={view} />
            <RefreshButton busy={list.isFetching} onRefresh={() => void Promise.all([list.refetch(), summary.refetch()])} />
          </>
        }
      >
        <TextFilter label={t('search')} value={url.search} onChange={(search) => setUrl(refilter({ search }))} />
        <Select
          allowClear
          className={styles['choice'] ?? ''}
          placeholder={t('anomaly')}
          aria-label={t('anomaly')}
          value={url.anomaly}
          options={ANOMALY_ORDER.map((value) => ({ value, label: say(ANOMALY[value].text) }))}
          onChange={(anomaly) => setUrl(refilter({ anomaly }))}
        />
        {isFiltered ? clear : null}
        {data && data.total > 0 && url.sel === undefined ? (
          <span className={styles['sums']}>
            <Calculator size={14} aria-hidden="true" />
            {t('sumPlus')} <Num value={data.plus} decimals={1} unit="kWh" strong />
            {data.minus > 0 ? (
              <>
                {t('sumMinus')} <Num value={data.minus} decimals={1} unit="kWh" strong />
              </>
            ) : null}
            {data.amount === null ? null : <Num value={data.amount} decimals={2} unit={data.currency ?? ''} strong />}
          </span>
        ) : null}
      </FilterBar>
      <PanelState query={list} lines={14}>
        {(page) => (
          <>
            <DataTable<BillLine>
              label={t('meters')}
              columns={view.columns}
              density={view.density}
              rows={page.items}
              rowKey={(row) => row.meterId}
              rowName={(row) => row.sn}
              selected={url.sel}
              onSelect={(row) => setUrl({ sel: row.meterId === url.sel ? undefined : row.meterId })}
              sort={url.sort ?? 'sn,asc'}
              onSort={(sort) => setUrl(refilter({ sort }))}
              stale={list.isPlaceholderData}
              empty={empty}
            />
            <ListFooter page={page} updatedAt={updatedAt} onPage={(next, size) => setUrl({ page: next, size })} />
          </>
        )}
      </PanelState>
    </>
  );
}
