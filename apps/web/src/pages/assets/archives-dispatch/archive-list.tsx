import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { archive, type ArchiveRow } from '@hes/contract/asset/archive.ts';
import type { QueryOf } from '@hes/contract/core/route.ts';
import { BIND_TEXT, DISTRIBUTION_TEXT, type DiffKind } from '@hes/contract/states/archive.ts';
import { communicationMode } from '@hes/contract/states/device.ts';
import { archiveExport } from '@hes/contract/transfer/devices.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useReason } from '#domain/device-run/device-run.tsx';
import { Model } from '#domain/models/model.tsx';
import { bindSign, DELETE, DIFF, DIFF_ORDER, dispatchSign, distributionSign } from '#domain/states/tables.ts';
import { Sn } from '#kit/basics/text.tsx';
import { choiceFilter, linkFilter, scopeFilter, textFilter, wordFilter } from '#kit/list/filters.tsx';
import { defineList, type FacetCounts } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { isProven } from './known.ts';
import { RowPane } from './row-pane.tsx';
import { Air, Side } from './side-cells.tsx';
import { texts } from './texts.ts';
import { useSummary } from './use-summary.ts';
import styles from './archives.module.css';

const WIDE = { width: 190 };

/** Before the first comparison the number of differences is unknown, not zero. */
function useCounts({ dcuId }: Partial<QueryOf<typeof archive.list>>): FacetCounts<DiffKind> {
  const state = useSummary(dcuId);
  const summary = state.data?.items[0];
  if (!summary || summary.comparedAt === null) return { total: undefined, counts: {}, queries: [state] };
  return { total: Object.values(summary.diff).reduce((sum, count) => sum + count, 0), counts: summary.diff, queries: [state] };
}

function Result({ row }: { row: ArchiveRow }) {
  const t = useMessages(texts);
  const reason = useReason();
  if (row.lastResult === null) return '—';
  const why = reason(row.lastReasonCode);
  const title = why ?? (row.lastResult === 'unknown' ? t('unknownHint') : undefined);
  return (
    <span className={styles['result']} data-result={row.lastResult} title={title}>
      {t(row.lastResult)}
      {why ? `: ${why}` : ''}
    </span>
  );
}

/** The archive of the head-end, that of the DCU, and the discovered meters, compared row by row. */
export const archiveList = defineList({
  route: archive.list,
  path: PAGE_PATH.archives,
  title: texts.title,
  purpose: texts.purpose,
  label: texts.archive,
  rowId: (row) => `${row.dcuId}/${row.sn}`,
  rowName: (row) => row.sn,
  size: '50',
  refetchMs: 60_000,
  topics: ['dcu'],
  facets: {
    key: 'diff',
    label: texts.difference,
    all: texts.allRows,
    words: DIFF_ORDER,
    rare: DIFF_ORDER.filter((kind) => kind !== 'same' && kind !== 'hes_only'),
    signs: DIFF,
    toQuery: (diff: DiffKind) => ({ diff }),
    useCounts,
  },
  filters: [
    scopeFilter('dcuId'),
    textFilter('sn', texts.sn, { width: 170 }),
    wordFilter('bindState', texts.bindState, BIND_TEXT, WIDE),
    wordFilter('distributionState', texts.distribution, DISTRIBUTION_TEXT, WIDE),
    choiceFilter('communicationMode', texts.mode, communicationMode.options, { ...WIDE, textOf: (mode) => texts[mode] }),
    linkFilter('dispatchState'),
  ],
  columns: [
    {
      key: 'sn',
      title: texts.sn,
      width: 136,
      cell: (row, { say }) => (
        <span title={row.meterId === null ? say(texts.unknownMeter) : undefined} data-unknown={row.meterId === null || undefined}>
          <Sn sn={row.sn} />
        </span>
      ),
    },
    { key: 'hes', title: texts.hesSide, width: 112, cell: (row) => <Side entry={row.hes} differing={row.diffFields} /> },
    { key: 'dcu', title: texts.dcuSide, width: 138, cell: (row) => <Side entry={row.dcu} differing={row.diffFields} /> },
    {
      key: 'air',
      title: texts.airSide,
      width: 150,
      low: true,
      sparse: true,
      value: (row) => row.air?.communicationMode,
      cell: (row) => <Air row={row} />,
    },
    {
      key: 'difference',
      title: texts.difference,
      width: 146,
      cell: ({ diffKind, otherDcuSn }) =>
        diffKind === null ? '—' : <StateOf sign={DIFF[diffKind]} extra={diffKind === 'other_dcu' ? (otherDcuSn ?? '') : ''} />,
    },
    {
      key: 'bindState',
      title: texts.bindState,
      width: 104,
      cell: (row) => <StateOf tag sign={bindSign(row.bindState, row.dispatchState)} />,
    },
    {
      key: 'dispatchStatus',
      title: texts.dispatchStatus,
      width: 152,
      cell: (row) => <StateOf tag sign={dispatchSign(row.bindState, row.dispatchState, isProven(row))} />,
    },
    {
      key: 'distribution',
      title: texts.distribution,
      width: 166,
      low: true,
      cell: (row) => (row.distributionState === null ? '—' : <StateOf sign={distributionSign(row.distributionState, isProven(row))} />),
    },
    { key: 'deleteStatus', title: texts.deleteStatus, width: 112, low: true, cell: (row) => <StateOf sign={DELETE[row.deleteStatus]} /> },
    { key: 'lastDispatchAt', title: texts.lastDispatch, width: 164, low: true, sparse: true, time: (row) => row.lastDispatchAt },
    { key: 'operator', title: texts.operator, width: 98, low: true, sparse: true, value: (row) => row.lastDispatchBy },
    {
      key: 'result',
      title: texts.result,
      width: 96,
      low: true,
      sparse: true,
      value: (row) => row.lastResult,
      cell: (row) => <Result row={row} />,
    },
    {
      key: 'meterType',
      title: texts.meterType,
      width: 180,
      low: true,
      cell: (row, { say }) => (row.meterTypeName === null ? <i>{say(texts.unknownMeter)}</i> : <Model name={row.meterTypeName} />),
    },
  ],
  export: archiveExport,
  Pane: RowPane,
  isPaneOfRow: true,
  empty: texts.noSn,
  emptyHint: texts.noRowsHint,
});
