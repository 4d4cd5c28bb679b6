import { to } from '@hes/contract/page/links.ts';
import { anomaly, type AnomalyRow } from '@hes/contract/analysis/anomaly.ts';
import type { QueryOf } from '@hes/contract/core/route.ts';
import type { AnomalyType } from '@hes/contract/states/anomaly.ts';
import { anomalyExport } from '@hes/contract/transfer/orders.ts';
import { Check, Gauge, SlidersHorizontal, X } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { dateTime } from '#core/time/format.ts';
import { LimitDrawer } from '#domain/meter-limits/limit-drawer.tsx';
import { ANOMALY, ANOMALY_ORDER, DECISION } from '#domain/states/anomaly-tables.ts';
import { Sn } from '#kit/basics/text.tsx';
import { defineAction, type Action, type DialogProps } from '#kit/list/action.ts';
import { choiceFilter, textFilter, type Filter } from '#kit/list/filters.tsx';
import type { FacetCounts, Facets, ListColumn } from '#kit/list/list-declaration.ts';
import { openAction } from '#kit/list/usual-actions.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';

const STATES = ['found', 'confirmed', 'dismissed'] as const;

function useCounts(query: Partial<QueryOf<typeof anomaly.list>>): FacetCounts<AnomalyType> {
  const { from = '', to = '', node, search, state } = query;
  const summary = useApiQuery(anomaly.summary, { query: { from, to, node, search, state }, keep: ['from', 'to', 'node'] });
  const counts = summary.data?.byType;
  return {
    total: counts && Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts: counts ?? {},
    queries: [summary],
  };
}

const decision = choiceFilter('decision', texts.state, STATES, { textOf: (word) => DECISION[word].text });
const decisionFilter: Filter<{ state?: (typeof STATES)[number] }> = {
  ...decision,
  toQuery: (url) => {
    const { decision: state } = decision.toQuery(url);
    return state === undefined ? {} : { state };
  },
};

const Limits = ({ row, onDone, onClose }: DialogProps<AnomalyRow>) => (
  <LimitDrawer meterId={row.meterId} onClose={onClose} onDone={() => onDone()} />
);

const decide = ({ meterId, day, version }: AnomalyRow, state: 'confirmed' | 'dismissed', reason: string) => ({
  body: { meterId, day, state, reason, version },
});

const actions: readonly Action<AnomalyRow>[] = [
  defineAction<AnomalyRow, typeof anomaly.decide>({
    key: 'confirm',
    label: texts.confirm,
    icon: Check,
    route: anomaly.decide,
    when: ({ state }) => state !== 'confirmed',
    order: (row) => decide(row, 'confirmed', ''),
    done: texts.decisionSaved,
  }),
  defineAction<AnomalyRow, typeof anomaly.decide>({
    key: 'dismiss',
    label: texts.dismiss,
    icon: X,
    route: anomaly.decide,
    when: ({ state }) => state !== 'dismissed',
    order: (row, reason) => decide(row, 'dismissed', reason),
    confirm: {
      title: texts.dismissTitle,
      effect: texts.dismissEffect,
      reason: { label: texts.reason, max: 256, missing: texts.reasonMissing },
    },
    done: texts.decisionSaved,
  }),
  openAction<AnomalyRow>({ key: 'readings', label: texts.readings, icon: Gauge, right: anomaly.decide }, ({ meterId, day }) =>
    to.readings({ node: `meter:${meterId}`, from: day, to: day, tab: 'lpa', view: 'chart' }),
  ),
  { key: 'limits', label: texts.limits, icon: SlidersHorizontal, right: anomaly.decide, act: { kind: 'dialog', Dialog: Limits } },
];

const columns: readonly ListColumn<AnomalyRow>[] = [
  { key: 'day', title: texts.day, width: 104, sort: 'day', value: (row) => row.day },
  { key: 'sn', title: texts.sn, width: 140, sort: 'sn', cell: (row) => <Sn sn={row.sn} /> },
  { key: 'type', title: texts.type, width: 160, cell: (row) => <StateOf sign={ANOMALY[row.type]} /> },
  { key: 'value', title: texts.value, width: 110, align: 'right', sort: 'value', value: (row) => row.value, unit: 'kWh', decimals: 2 },
  { key: 'reference', title: texts.reference, width: 170, align: 'right', value: (row) => row.reference, unit: 'kWh', decimals: 2 },
  { key: 'state', title: texts.state, width: 124, cell: (row) => <StateOf sign={DECISION[row.state]} /> },
  { key: 'reason', title: texts.reason, width: 180, cell: (row) => <span title={row.reason ?? undefined}>{row.reason ?? '—'}</span> },
  {
    key: 'decided',
    title: texts.decided,
    low: true,
    width: 130,
    cell: (row) => (row.decidedAt ? <span title={dateTime(row.decidedAt)}>{row.decidedByName ?? '—'}</span> : '—'),
  },
  { key: 'customer', title: texts.customer, width: 130, value: (row) => row.customerName },
  { key: 'transformer', title: texts.transformer, width: 160, low: true, value: (row) => row.transformerName },
];

const facets: Facets<typeof anomaly.list, AnomalyType> = {
  key: 'anomaly',
  label: texts.anomaly,
  all: texts.allLines,
  words: ANOMALY_ORDER,
  signs: ANOMALY,
  toQuery: (type: AnomalyType) => ({ type }),
  useCounts,
};

/** Filters of anomalies apart from days and node, which each page has in its own way. */
export const anomalyFilters = [textFilter('search', texts.search), decisionFilter];

/** The list of days with unusual values, and the decisions of users about them. */
export const anomalyParts = {
  route: anomaly.list,
  label: texts.anomalies,
  rowId: (row: AnomalyRow) => `${row.meterId}/${row.day}`,
  rowName: (row: AnomalyRow) => `${row.sn} ${row.day}`,
  sort: 'day,desc',
  /** Bills count the anomalies of their period. */
  reloads: '/analysis/',
  facets,
  columns,
  actions,
  export: anomalyExport,
  empty: texts.noAnomaly,
};
