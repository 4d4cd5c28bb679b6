import { dcu, type DcuRow } from '@hes/contract/asset/dcu.ts';
import type { QueryOf } from '@hes/contract/core/route.ts';
import { connectionType, dcuOnlineStatus, type Freshness } from '@hes/contract/states/device.ts';
import { signalStrength } from '@hes/contract/states/signal.ts';
import { COMMUNICATE_TYPE_TEXT, CONNECTION_TYPE_TEXT, DATA_CHANNEL_TEXT } from '@hes/contract/text/device-text.ts';
import { AUTHENTICATION_TEXT, PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { dcuExport, dcuImport, dcuKeyImport } from '@hes/contract/transfer/devices.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { Meter } from '#kit/chart/bars.tsx';
import { Model, useModelName } from '#domain/models/model.tsx';
import { dateTime } from '#core/time/format.ts';
import { Num, Sn } from '#kit/basics/text.tsx';
import { keyImport } from '#domain/device-keys/key-list.ts';
import { choiceFilter, objectFilter, textFilter } from '#kit/list/filters.tsx';
import { nodeFilter } from '#domain/node-tree/list-filter.tsx';
import { defineList, type FacetCounts } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { FRESHNESS, FRESHNESS_ORDER, ONLINE } from '#domain/states/tables.ts';
import { SignalBars } from '#domain/topology/signal-bars.tsx';
import { dcuActions } from './actions.ts';
import { RegisterForm } from './detail-forms.tsx';
import { DetailPane } from './detail-pane.tsx';
import { texts } from './texts.ts';
import { UplinkCell } from './uplink.tsx';
import styles from './dcu.module.css';

const POLL_MS = 60_000;

function Reachable({ row }: { row: DcuRow }) {
  const tone =
    row.metersFresh === row.meters
      ? 'ok'
      : row.metersFresh * 10 >= row.meters * 9
        ? 'ok'
        : row.metersFresh * 2 >= row.meters
          ? 'amber'
          : 'orange';
  return (
    <span className={styles['reachable']}>
      <Meter value={row.metersFresh} max={row.meters} tone={tone} label={`${row.metersFresh} / ${row.meters}`} />
      <span>
        <Num value={row.metersFresh} /> <span className={styles['dim']}>/ {row.meters}</span>
      </span>
    </span>
  );
}

/** The counts are those of an area and a search. */
function useCounts({ search, node }: Partial<QueryOf<typeof dcu.list>>): FacetCounts<Freshness> {
  const facets = useApiQuery(dcu.facets, { query: { search, node }, keep: true, refetchMs: POLL_MS });
  return { total: facets.data?.total, counts: facets.data?.freshness ?? {}, queries: [facets] };
}

const useOptions = (kind: 'types' | 'suppliers') => {
  const called = useModelName();
  const options = useApiQuery(dcu.options);
  return (options.data?.[kind] ?? []).map(({ id, name }) => ({ value: id, label: called(name) }));
};
const useTypes = () => useOptions('types');
const useSuppliers = () => useOptions('suppliers');

export const dcuList = defineList({
  route: dcu.list,
  path: PAGE_PATH.dcus,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row) => row.sn,
  sort: 'sn,asc',
  refetchMs: POLL_MS,
  topics: ['dcu', 'device'],
  facets: {
    key: 'freshness',
    label: texts.facets,
    all: texts.allDcus,
    words: FRESHNESS_ORDER,
    signs: FRESHNESS,
    toQuery: (freshness: Freshness) => ({ freshness }),
    useCounts,
  },
  filters: [
    textFilter('search', texts.searchHint, { width: 270 }),
    nodeFilter('transformer'),
    choiceFilter('onlineStatus', texts.onlineStatus, dcuOnlineStatus.options, { textOf: (word) => ONLINE[word].text, width: 170 }),
    choiceFilter('connectionType', texts.connectionType, connectionType.options, {
      textOf: (word) => CONNECTION_TYPE_TEXT[word],
      width: 180,
    }),
    choiceFilter('signal', texts.uplinkSignal, signalStrength.options, {
      textOf: () => texts.uplinkSignal,
      markOf: (word) => <SignalBars signal={word} />,
      width: 180,
    }),
    objectFilter('dcuTypeId', texts.filterType, { useOptions: useTypes, width: 130 }),
    objectFilter('supplierId', texts.supplier, { useOptions: useSuppliers, width: 130 }),
  ],
  columns: [
    { key: 'freshness', title: texts.freshness, width: 168, cell: (row) => <StateOf sign={FRESHNESS[row.freshness]} /> },
    {
      key: 'sn',
      title: texts.sn,
      width: 118,
      sort: 'sn',
      cell: (row) => (
        <span className={styles['sn']}>
          <Sn sn={row.sn} />
        </span>
      ),
    },
    { key: 'name', title: texts.name, width: 140, sort: 'name', low: true, cell: (row) => row.name },
    { key: 'transformer', title: texts.transformer, width: 186, cell: (row) => row.transformerName ?? '—' },
    { key: 'onlineStatus', title: texts.onlineStatus, width: 146, cell: (row) => <StateOf sign={ONLINE[row.onlineStatus]} /> },
    {
      key: 'signal',
      title: texts.uplinkSignal,
      hint: texts.signalHelp,
      width: 136,
      low: true,
      sort: 'signal',
      value: (row) => row.uplink?.signalDbm,
      unit: 'dBm',
      cell: (row) => <UplinkCell row={row} />,
    },
    { key: 'meters', title: texts.reachable, width: 132, value: (row) => row.meters, cell: (row) => <Reachable row={row} /> },
    {
      key: 'availability',
      title: texts.availability,
      width: 96,
      low: true,
      align: 'right',
      value: (row) => row.availability24h,
      cell: (row) => <Num value={row.availability24h} unit="%" decimals={1} />,
    },
    {
      key: 'lastCommAt',
      title: texts.communicateTime,
      width: 172,
      sort: 'lastCommAt',
      cell: (row) => (row.lastCommAt ? dateTime(row.lastCommAt) : '—'),
    },
    {
      key: 'connectionType',
      title: texts.connectionType,
      width: 128,
      low: true,
      cell: (row, { say }) => say(CONNECTION_TYPE_TEXT[row.connectionType]),
    },
    {
      key: 'communicateType',
      title: texts.communicateType,
      width: 124,
      low: true,
      cell: (row, { say }) => say(COMMUNICATE_TYPE_TEXT[row.communicateType]),
    },
    { key: 'dataChannel', title: texts.dataChannel, width: 96, low: true, cell: (row, { say }) => say(DATA_CHANNEL_TEXT[row.dataChannel]) },
    { key: 'protocol', title: texts.protocol, width: 136, low: true, cell: (row, { say }) => say(PROTOCOL_TEXT[row.protocol]) },
    {
      key: 'authenticationType',
      title: texts.authenticationType,
      width: 134,
      low: true,
      cell: (row, { say }) => say(AUTHENTICATION_TEXT[row.authenticationType]),
    },
    {
      key: 'remote',
      title: texts.address,
      width: 168,
      mono: true,
      low: true,
      cell: (row) => row.remote ?? (row.host ? `${row.host}:${row.port ?? ''}` : '—'),
    },
    { key: 'type', title: texts.type, width: 140, low: true, cell: (row) => <Model name={row.dcuTypeName} /> },
    { key: 'firmware', title: texts.firmware, width: 116, low: true, cell: (row) => row.firmwareVersion ?? '—' },
    {
      key: 'archiveEntries',
      title: texts.hesAndDcu,
      width: 120,
      low: true,
      value: (row) => row.archiveEntries,
      cell: (row) => (
        <span className={row.archiveEntries !== null && row.archiveEntries !== row.meters ? styles['differs'] : undefined}>
          <Num value={row.meters} /> / <Num value={row.archiveEntries} />
        </span>
      ),
    },
    {
      key: 'clockDrift',
      title: texts.clockDrift,
      width: 108,
      align: 'right',
      low: true,
      value: (row) => row.clockDeviationS,
      cell: (row) => <Num value={row.clockDeviationS} unit="s" />,
    },
    { key: 'country', title: texts.country, width: 96, low: true, cell: (row) => row.country ?? '—' },
  ],
  actions: dcuActions,
  add: { label: texts.register, right: dcu.create, Form: RegisterForm, done: texts.registered },
  export: dcuExport,
  import: { routes: dcuImport, what: texts.title, others: [keyImport(dcuKeyImport)] },
  Pane: DetailPane,
  empty: texts.noDcus,
});
