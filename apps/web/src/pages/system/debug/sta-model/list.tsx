import { fill, nameText } from '@hes/contract/core/text.ts';
import { staModel, type StationRow } from '@hes/contract/debug/sta-model.ts';
import { SIGNAL_TEXT } from '@hes/contract/states/signal.ts';
import { LIBRARY_VERDICT_TEXT, STATION_LINK_TEXT, STATION_ROLE_TEXT, type StationState } from '@hes/contract/states/topology.ts';
import { stationExport } from '@hes/contract/transfer/orders.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { dateTime, elapsed } from '#core/time/format.ts';
import { Sn } from '#kit/basics/text.tsx';
import { choiceFilter, objectFilter, scopeFilter, textFilter } from '#kit/list/filters.tsx';
import { defineList, type FacetCounts } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { SignalBars } from '#domain/topology/signal-bars.tsx';
import { SIGNALS } from '#domain/topology/signs.ts';
import { texts } from './messages.ts';
import { idOf, STATION, STATION_ORDER, UNREAD } from './signs.ts';
import { StationPane } from './station-pane.tsx';
import { isRead, useSummary } from './use-summary.ts';
import styles from './sta-model.module.css';

const PHASES = ['a', 'b', 'c', 'abc'] as const;
const ROLES = ['pco', 'sta', 'cco'] as const;
const SN_OR_MAC = fill(nameText('{sn} / MAC'), { sn: texts.sn });
const LEVEL_FROM = fill(nameText('{level} ≥'), { level: texts.level });

const choices = (values: readonly string[] = []) => [...new Set(values)].map((value) => ({ value, label: value }));
const useVendors = () => choices(useSummary().data?.modules.map(({ vendor }) => vendor));
const useVersions = () => choices(useSummary().data?.modules.map(({ version }) => version));
const useLevels = () => (useSummary().data?.levels ?? []).map(({ level }) => ({ value: String(level), label: `≥ ${level}` }));

function useCounts(): FacetCounts<StationState> {
  const summary = useSummary();
  if (summary.data && !isRead(summary.data)) return { total: undefined, counts: {}, queries: [summary] };
  return { total: summary.data?.total, counts: summary.data?.states ?? {}, queries: [summary] };
}

/** Of a network that was never read nothing is known, so its stations are not missing. */
function StateOfStation({ row: { state } }: { row: StationRow }) {
  const summary = useSummary();
  const isUnknown = state === 'never' && summary.data !== undefined && !isRead(summary.data);
  return <StateOf sign={isUnknown ? UNREAD : STATION[state]} />;
}

const search = textFilter('search', SN_OR_MAC);

/** The PLC and RF stations of a DCU, as reported by its network. */
export const stationList = defineList({
  route: staModel.list,
  path: PAGE_PATH.stations,
  title: texts.title,
  purpose: texts.purpose,
  rowId: idOf,
  rowName: (row) => row.sn ?? row.mac,
  size: '50',
  facets: {
    key: 'state',
    label: texts.state,
    all: texts.all,
    words: STATION_ORDER,
    signs: STATION,
    toQuery: (state: StationState) => ({ state }),
    useCounts,
  },
  filters: [
    scopeFilter('dcuId'),
    /** Addresses are often pasted with spaces. */
    { ...search, toQuery: (url) => search.toQuery({ search: url['search']?.replaceAll(/\s/g, '') }) },
    choiceFilter('role', texts.role, ROLES, { textOf: (role) => STATION_ROLE_TEXT[role] }),
    objectFilter('vendor', texts.vendor, { useOptions: useVendors, width: 110 }),
    objectFilter('version', texts.sw, { useOptions: useVersions, width: 110 }),
    objectFilter('levelFrom', LEVEL_FROM, { useOptions: useLevels, width: 110 }),
    choiceFilter('signal', texts.signal, SIGNALS, { textOf: (signal) => SIGNAL_TEXT[signal], width: 140 }),
    choiceFilter('phase', texts.phase, PHASES, { textOf: (phase) => texts[phase], width: 100 }),
  ],
  columns: [
    { key: 'mac', title: texts.mac, width: 130, mono: true, sort: 'mac', value: (row) => row.mac, cell: (row) => row.mac || '—' },
    {
      key: 'sn',
      title: texts.sn,
      width: 150,
      sort: 'sn',
      value: (row) => row.sn,
      cell: (row) => (row.sn === null ? '—' : <Sn sn={row.sn} />),
    },
    { key: 'state', title: texts.state, width: 132, value: (row) => row.state, cell: (row) => <StateOfStation row={row} /> },
    { key: 'role', title: texts.role, width: 150, value: (row) => row.role, cell: (row, { say }) => say(STATION_ROLE_TEXT[row.role]) },
    { key: 'tei', title: texts.tei, width: 64, low: true, align: 'right', value: (row) => row.nodeId, cell: (row) => row.nodeId || '—' },
    {
      key: 'parent',
      title: texts.parent,
      width: 150,
      value: (row) => row.parentSn,
      cell: (row) => (row.parentSn === null ? '—' : <Sn sn={row.parentSn} />),
    },
    {
      key: 'level',
      title: texts.level,
      width: 80,
      align: 'right',
      sort: 'level',
      value: (row) => row.level,
      cell: (row) => row.level || '—',
    },
    { key: 'phase', title: texts.phase, width: 70, low: true, value: (row) => row.phase, cell: (row, { say }) => say(texts[row.phase]) },
    {
      key: 'link',
      title: texts.link,
      width: 96,
      low: true,
      value: (row) => row.link,
      cell: (row, { say }) => (row.level === 0 ? '—' : say(STATION_LINK_TEXT[row.link])),
    },
    {
      key: 'signal',
      title: texts.signal,
      width: 184,
      sort: 'signalValue',
      value: (row) => row.signalValue,
      cell: (row) =>
        row.state === 'never' || row.role === 'cco' ? (
          '—'
        ) : (
          <span className={styles['signal']}>
            <SignalBars signal={row.signal} /> {row.signalValue === null ? null : `${row.signalValue} ${row.signalUnit}`}
          </span>
        ),
    },
    {
      key: 'upDown',
      title: texts.upDown,
      width: 112,
      low: true,
      sparse: true,
      align: 'right',
      value: (row) => row.upPct,
      cell: (row) => (row.upPct === null ? '—' : `${row.upPct} / ${row.downPct} %`),
    },
    {
      key: 'chip',
      title: texts.chip,
      sparse: true,
      width: 84,
      low: true,
      mono: true,
      value: (row) => row.chipId,
      cell: (row) => row.chipId ?? '—',
    },
    {
      key: 'vendor',
      title: texts.vendor,
      sparse: true,
      width: 96,
      low: true,
      value: (row) => row.vendor,
      cell: (row) => row.vendor ?? '—',
    },
    {
      key: 'hw',
      title: texts.hw,
      sparse: true,
      width: 86,
      low: true,
      mono: true,
      value: (row) => row.hwVersion,
      cell: (row) => row.hwVersion ?? '—',
    },
    {
      key: 'sw',
      title: texts.sw,
      width: 90,
      low: true,
      sparse: true,
      mono: true,
      sort: 'softwareVersion',
      value: (row) => row.softwareVersion,
      cell: (row) => row.softwareVersion ?? '—',
    },
    {
      key: 'built',
      title: texts.built,
      width: 104,
      low: true,
      sparse: true,
      mono: true,
      value: (row) => row.builtOn,
      cell: (row) => row.builtOn ?? '—',
    },
    {
      key: 'library',
      title: texts.library,
      width: 150,
      low: true,
      sparse: true,
      value: (row) => row.library?.verdict,
      cell: (row, { say }) => (row.library === null ? '—' : `${say(LIBRARY_VERDICT_TEXT[row.library.verdict])} (${row.library.version})`),
    },
    {
      key: 'uptime',
      title: texts.uptime,
      width: 100,
      low: true,
      sparse: true,
      align: 'right',
      value: (row) => row.uptimeS,
      cell: (row) => (row.uptimeS === null ? '—' : elapsed(row.uptimeS * 1000)),
    },
    {
      key: 'boots',
      title: texts.boots,
      width: 80,
      low: true,
      sparse: true,
      align: 'right',
      sort: 'boots',
      value: (row) => row.boots,
      cell: (row) => row.boots ?? '—',
    },
    {
      key: 'lastSeen',
      title: texts.lastSeen,
      width: 160,
      low: true,
      value: (row) => row.lastSeenAt,
      cell: (row) => (row.state === 'never' ? '—' : dateTime(row.lastSeenAt)),
    },
    {
      key: 'inArchive',
      title: texts.inArchive,
      width: 90,
      low: true,
      value: (row) => String(row.isInArchive),
      cell: (row, { say }) => say(row.isInArchive ? texts.yes : texts.no),
    },
  ],
  export: stationExport,
  Pane: StationPane,
  isPaneOfRow: true,
  empty: texts.noSn,
  emptyHint: texts.noneHint,
});
