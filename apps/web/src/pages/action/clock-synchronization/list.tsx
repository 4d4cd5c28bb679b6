import { clock, type ClockRow } from '@hes/contract/action/clock.ts';
import { CLOCK_METHOD_TEXT, clockStatusText, cosemZoneText, type ClockClass } from '@hes/contract/states/clock.ts';
import type { QueryOf } from '@hes/contract/core/route.ts';
import { DELIVERED_THRESHOLDS } from '@hes/contract/setting/settings.ts';
import { clockExport } from '@hes/contract/transfer/orders.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { InputNumber } from 'antd';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { StatusLink } from '#domain/states/status-link.tsx';
import { choiceFilter, textFilter, type Filter, type FilterProps } from '#kit/list/filters.tsx';
import { nodeBeside } from '#domain/node-tree/list-filter.tsx';
import { defineList, type FacetCounts } from '#kit/list/list-declaration.ts';
import { CLOCK_ORDER, clockSigns } from '#domain/states/event-tables.ts';
import { clockActions } from './actions.tsx';
import { ClockClassOf, Deviation } from './cells.tsx';
import { texts } from './messages.ts';
import { useClockSigns } from './use-clock-signs.ts';
import styles from './clock.module.css';

const POLL_MS = 60_000;

const secondsOf = (ms: number | null): number | null => (ms === null ? null : ms / 1000);

type Others = Omit<Partial<QueryOf<typeof clock.list>>, 'class' | 'page' | 'size' | 'sort'>;

/** Counts of clocks by class under the other filters, with the histogram. */
export const useSummary = (query: Others) => useApiQuery(clock.summary, { query, keep: true, refetchMs: POLL_MS });

function useCounts(query: Others): FacetCounts<ClockClass> {
  const summary = useSummary(query);
  return { total: summary.data?.total, counts: summary.data?.byClass ?? {}, signs: useClockSigns(), queries: [summary] };
}

const deviationFilter: Filter<{ deviationS?: string }> = {
  keys: ['deviationS'],
  toQuery: ({ deviationS }) => (deviationS === undefined ? {} : { deviationS }),
  Control: function AtLeast({ url, onChange }: FilterProps) {
    const t = useMessages(texts);
    return (
      <InputNumber
        className={styles['deviation'] ?? ''}
        min={0}
        aria-label={t('deviationAtLeast')}
        placeholder={t('deviationAtLeast')}
        suffix="s"
        value={url['deviationS'] === undefined ? null : Number(url['deviationS'])}
        onChange={(value) => onChange({ deviationS: value === null ? undefined : String(value) })}
      />
    );
  },
};

/** The clocks of DCUs and meters as last read. */
export const clockList = defineList({
  route: clock.list,
  path: PAGE_PATH.clocks,
  title: texts.title,
  purpose: texts.purpose,
  rowId: (row: ClockRow) => `${row.deviceId}/${row.deviceKind}`,
  rowName: (row) => row.sn,
  sort: 'sn,asc',
  refetchMs: POLL_MS,
  facets: {
    key: 'class',
    label: texts.class,
    all: texts.allClocks,
    words: CLOCK_ORDER,
    signs: clockSigns(DELIVERED_THRESHOLDS),
    toQuery: (word: ClockClass) => ({ class: word }),
    useCounts,
  },
  filters: [
    textFilter('search', texts.sn),
    choiceFilter('kind', texts.kind, ['dcu', 'meter'], { textOf: (kind) => texts[kind], width: 130 }),
    deviationFilter,
    nodeBeside,
  ],
  columns: [
    {
      key: 'sn',
      title: texts.sn,
      width: 148,
      sort: 'sn',
      cell: (row) => <StatusLink kind={row.deviceKind} id={row.deviceId} sn={row.sn} />,
    },
    { key: 'kind', title: texts.kind, width: 76, cell: (row, { say }) => say(texts[row.deviceKind]) },
    { key: 'class', title: texts.class, width: 196, cell: (row) => <ClockClassOf row={row} /> },
    {
      key: 'deviation',
      title: texts.deviation,
      width: 104,
      align: 'right',
      sort: 'deviation',
      value: (row) => secondsOf(row.deviationMs),
      unit: 's',
      cell: (row) => <Deviation ms={row.deviationMs} />,
    },
    { key: 'deviceTime', title: texts.deviceTime, width: 214, value: (row) => row.deviceTime },
    { key: 'readAt', title: texts.hesTime, width: 168, sort: 'readAt', time: (row) => row.readAt },
    {
      key: 'lastSyncAt',
      title: texts.lastSync,
      width: 168,
      sort: 'lastSyncAt',
      time: (row) => row.lastSyncAt,
    },
    {
      key: 'method',
      title: texts.method,
      width: 92,
      cell: (row, { say }) => (row.lastSyncMethod ? say(CLOCK_METHOD_TEXT[row.lastSyncMethod]) : '—'),
    },
    {
      key: 'status',
      title: texts.clockStatus,
      width: 104,
      cell: (row, { say }) => (row.status === null ? '—' : say(clockStatusText(row.status))),
    },
    {
      key: 'zone',
      title: texts.zone,
      width: 116,
      low: true,
      cell: (row, { say }) =>
        `${row.zoneMinutes === null ? '—' : cosemZoneText(row.zoneMinutes)}${row.hasDaylightSaving === true ? ` · ${say(texts.daylight)}` : ''}`,
    },
    { key: 'transformer', title: texts.transformer, width: 160, low: true, value: (row) => row.transformerName },
  ],
  actions: clockActions,
  export: clockExport,
  empty: texts.noMatch,
});
