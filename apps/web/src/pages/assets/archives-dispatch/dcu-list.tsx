import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { archive, MAX_DCUS_PER_COMPARISON, type ArchiveSummary } from '@hes/contract/asset/archive.ts';
import { ANY_NOT_ONLINE_TEXT } from '@hes/contract/text/device-text.ts';
import { archiveSummaryExport, bindingImport } from '@hes/contract/transfer/devices.ts';
import { FileStack, GitCompareArrows } from 'lucide-react';
import { call } from '#core/api/client.ts';
import { common } from '#core/i18n/common.messages.ts';
import { nodeScope } from '#domain/node-tree/list-filter.tsx';
import { ONLINE } from '#domain/states/tables.ts';
import { Sn } from '#kit/basics/text.tsx';
import type { Action, RunProps } from '#kit/list/action.ts';
import { flagFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { ArchiveRun } from './archive-run.tsx';
import { knownOf } from './known.ts';
import { texts } from './texts.ts';

const Comparison = ({ taskId, onClose }: RunProps<ArchiveSummary>) => <ArchiveRun taskId={taskId} onClose={onClose} />;

const compare: Action<ArchiveSummary> = {
  key: 'compare',
  label: texts.compare,
  icon: GitCompareArrows,
  right: archive.compare,
  refusedBy: ({ onlineStatus }) => (onlineStatus === 'online' ? undefined : ANY_NOT_ONLINE_TEXT),
  batch: { most: MAX_DCUS_PER_COMPARISON, refusal: common.selectValid },
  act: {
    kind: 'task',
    start: (rows) => call(archive.compare, { body: { dcuIds: rows.map(({ dcuId }) => dcuId) } }),
    Run: Comparison,
  },
};

const count = (value: number | null, tone: 'amber' | 'red') =>
  value === null ? '—' : <span style={value > 0 ? { color: `var(--${tone}-fg)`, fontWeight: 600 } : {}}>{value}</span>;

/** The DCUs below the node in the address, with the state of their archives. */
export const dcuList = defineList({
  route: archive.summary,
  path: PAGE_PATH.archives,
  at: { node: '' },
  title: texts.title,
  purpose: texts.purpose,
  label: texts.dcus,
  rowId: (row) => row.dcuId,
  rowName: (row) => row.dcuSn,
  size: '100',
  refetchMs: 30_000,
  reloads: archive.list.path,
  topics: ['dcu'],
  filters: [nodeScope, flagFilter('mismatched', texts.onlyMismatched)],
  columns: [
    { key: 'sn', title: texts.dcuSn, width: 140, cell: (row) => <Sn sn={row.dcuSn} /> },
    { key: 'transformer', title: texts.transformer, width: 190, value: (row) => row.transformerName },
    { key: 'online', title: texts.onlineStatus, width: 140, cell: (row) => <StateOf sign={ONLINE[row.onlineStatus]} /> },
    { key: 'bound', title: texts.boundHere, width: 100, align: 'right', value: (row) => row.bound },
    { key: 'dcu', title: texts.inDcu, width: 100, align: 'right', value: (row) => row.dcuEntries },
    {
      key: 'pending',
      title: texts.pending,
      width: 110,
      align: 'right',
      value: (row) => knownOf(row, 'pending'),
      cell: (row) => count(knownOf(row, 'pending'), 'amber'),
    },
    {
      key: 'surplus',
      title: texts.surplus,
      width: 100,
      align: 'right',
      value: (row) => knownOf(row, 'surplus'),
      cell: (row) => count(knownOf(row, 'surplus'), 'red'),
    },
    { key: 'compared', title: texts.compared, width: 160, time: (row) => row.comparedAt },
  ],
  actions: [compare],
  onRow: {
    key: 'open',
    label: texts.archive,
    icon: FileStack,
    right: archive.list,
    act: { kind: 'show', change: ({ dcuId }) => ({ dcuId, page: undefined, size: undefined, mismatched: undefined }) },
  },
  export: archiveSummaryExport,
  import: { routes: bindingImport, what: texts.bindings },
  empty: texts.noSn,
  emptyHint: texts.noSnHint,
});
