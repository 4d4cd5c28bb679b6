import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { bill, billExport, type BillLine } from '@hes/contract/analysis/bill.ts';
import type { QueryOf } from '@hes/contract/core/route.ts';
import { BILL_FLAG_TEXT, type BillStatus } from '@hes/contract/states/bill.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { ANOMALY, ANOMALY_ORDER } from '#domain/states/anomaly-tables.ts';
import { Num } from '#kit/basics/text.tsx';
import { choiceFilter, textFilter } from '#kit/list/filters.tsx';
import { defineList, type FacetCounts, type ListColumn } from '#kit/list/list-declaration.ts';
import { StatusLink } from '#domain/states/status-link.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { tariffColumns, totalColumn } from './energy-columns.tsx';
import { LinePane } from './line-pane.tsx';
import { texts } from './messages.ts';
import { scopes } from './period-filter.ts';
import { STATUS, STATUS_ORDER } from './signs.ts';

/** The period with the totals of its lines. */
export const useSummary = ({ from = '', to = '', node, search, anomaly }: Partial<QueryOf<typeof bill.list>>) =>
  useApiQuery(bill.summary, { query: { from, to, node, search, anomaly }, keep: ['from', 'to', 'node'] });

function useCounts(query: Partial<QueryOf<typeof bill.list>>): FacetCounts<BillStatus> {
  const summary = useSummary(query);
  return { total: summary.data?.total, counts: summary.data?.byStatus ?? {}, queries: [summary] };
}

const reading = (key: 'opening' | 'closing'): ListColumn<BillLine> => ({
  key,
  title: texts[key],
  width: 106,
  align: 'right',
  cell: (row) => <Num value={row[key]} decimals={2} />,
});

/** All meters of the period with their consumption and its basis. */
export const meterList = defineList({
  route: bill.list,
  path: PAGE_PATH.bills,
  title: texts.title,
  purpose: texts.purpose,
  label: texts.meters,
  rowId: (row) => row.meterId,
  rowName: (row) => row.sn,
  sort: 'sn,asc',
  facets: {
    key: 'status',
    label: texts.status,
    all: texts.allLines,
    words: STATUS_ORDER,
    signs: STATUS,
    toQuery: (status: BillStatus) => ({ status }),
    useCounts,
  },
  filters: [
    ...scopes,
    textFilter('search', texts.search),
    choiceFilter('anomaly', texts.anomaly, ANOMALY_ORDER, { textOf: (word) => ANOMALY[word].text }),
  ],
  columns: [
    { key: 'sn', title: texts.sn, width: 140, sort: 'sn', cell: (row) => <StatusLink kind="meter" id={row.meterId} sn={row.sn} /> },
    {
      key: 'customer',
      title: texts.customer,
      width: 130,
      sort: 'customer',
      cell: (row, { say }) => (row.isMaster ? <em>{say(texts.master)}</em> : (row.customerName ?? row.customerNo ?? '—')),
    },
    { key: 'transformer', title: texts.transformer, width: 160, sort: 'transformer', value: (row) => row.transformerName },
    { key: 'ratio', title: texts.ratio, width: 62, align: 'right', cell: (row) => <Num value={row.ratio} /> },
    reading('opening'),
    reading('closing'),
    { ...totalColumn<BillLine>('plus', true), sort: 'plus' },
    { ...totalColumn<BillLine>('minus', false), sort: 'minus' },
    { key: 'status', title: texts.status, width: 122, sort: 'status', cell: (row) => <StateOf sign={STATUS[row.status]} /> },
    { key: 'anomaly', title: texts.anomaly, width: 158, cell: (row) => <StateOf sign={ANOMALY[row.anomaly]} /> },
    {
      key: 'amount',
      title: texts.amount,
      width: 110,
      align: 'right',
      sort: 'amount',
      cell: (row) => <Num value={row.amount} decimals={2} {...(row.currency ? { unit: row.currency } : {})} />,
    },
    ...tariffColumns<BillLine>(),
    { key: 'maxDemand', title: texts.maxDemand, width: 190, align: 'right', value: (row) => row.maxDemandKw, unit: 'kW', decimals: 3 },
    {
      key: 'flags',
      title: texts.remarks,
      width: 220,
      cell: (row, { say }) => (row.flags.length === 0 ? '—' : row.flags.map((flag) => say(BILL_FLAG_TEXT[flag])).join(' · ')),
    },
    { key: 'period', title: texts.period, width: 190, low: true, cell: (row) => `${row.firstDay} – ${row.lastDay}` },
  ],
  export: billExport,
  Pane: LinePane,
  empty: texts.noMatch,
});

/** Columns that stay beside the open pane: there is room for the consumption only. */
const MAIN = new Set(['sn', 'plus', 'minus', 'status', 'anomaly', 'amount']);

/** The list beside its open pane; the other columns stay in the chooser and in files. */
export const besidePane: typeof meterList = {
  ...meterList,
  columns: meterList.columns.map((column) => (MAIN.has(column.key) ? column : { ...column, low: true })),
};
