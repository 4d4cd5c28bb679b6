import { meter } from '@hes/contract/asset/meter.ts';
import type { QueryOf } from '@hes/contract/core/route.ts';
import { communicationMode, freshness, inventoryState, type InventoryState } from '@hes/contract/states/device.ts';
import { METER_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { meterExport, meterImport, meterKeyImport } from '@hes/contract/transfer/devices.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { Model, useModelName } from '#domain/models/model.tsx';
import { dateTime } from '#core/time/format.ts';
import { Sn } from '#kit/basics/text.tsx';
import { installationList } from '#domain/installation/installation-import.tsx';
import { keyImport } from '#domain/device-keys/key-list.ts';
import { choiceFilter, objectFilter, textFilter, yesNoFilter } from '#kit/list/filters.tsx';
import { nodeFilter } from '#domain/node-tree/list-filter.tsx';
import { defineList, type FacetCounts } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { FRESHNESS, INVENTORY } from '#domain/states/tables.ts';
import { assetActions } from './asset-actions.ts';
import { ArchiveOf, Rate } from './asset-cells.tsx';
import { AssetPane } from './asset-pane.tsx';
import { AddForm } from './detail-forms.tsx';
import { texts } from './texts.ts';

const POLL_MS = 60_000;
/** Separators between serial numbers pasted from a spreadsheet or an e-mail. */
const BETWEEN = /[\s,;，；]+/;

/** One word is a search, several are a list of serial numbers. */
function searchOf(text: string | undefined): { search?: string; sns?: string } {
  const words = (text ?? '').trim().split(BETWEEN).filter(Boolean);
  if (words.length > 1) return { sns: words.join(',') };
  return words[0] === undefined ? {} : { search: words[0] };
}

/** A search, or a list of serial numbers. */
const searchFilter = {
  ...textFilter('search', texts.searchHint, { width: 250 }),
  toQuery: ({ search }: { search?: string | undefined }) => searchOf(search),
};

function useCounts(query: Partial<QueryOf<typeof meter.assets>>): FacetCounts<InventoryState> {
  const facets = useApiQuery(meter.facets, { query, keep: true, refetchMs: POLL_MS });
  const { total, totalIsExact, inventoryState: counts = {} } = facets.data ?? {};
  return { total, isExact: totalIsExact, counts, queries: [facets] };
}

const useOptions = (kind: 'types' | 'suppliers') => {
  const called = useModelName();
  const options = useApiQuery(meter.options);
  return (options.data?.[kind] ?? []).map(({ id, name }) => ({ value: id, label: called(name) }));
};
const useTypes = () => useOptions('types');
const useSuppliers = () => useOptions('suppliers');

export const assetList = defineList({
  route: meter.assets,
  path: PAGE_PATH.meterAssets,
  title: texts.assetsTab,
  purpose: texts.purpose,
  rowName: (row) => row.sn,
  sort: 'sn,asc',
  refetchMs: POLL_MS,
  reloads: meter.list.path,
  topics: ['device'],
  facets: {
    key: 'state',
    label: texts.inventory,
    all: texts.allMeters,
    words: inventoryState.options,
    signs: INVENTORY,
    toQuery: (word: InventoryState) => ({ inventoryState: word }),
    useCounts,
  },
  filters: [
    searchFilter,
    nodeFilter('dcu'),
    objectFilter('meterTypeId', texts.type, { useOptions: useTypes, width: 130 }),
    objectFilter('supplierId', texts.supplier, { useOptions: useSuppliers, width: 130 }),
    choiceFilter('communicationMode', texts.modeShort, communicationMode.options, { textOf: (word) => texts[word], width: 110 }),
    yesNoFilter('isMaster', texts.isMaster, { yes: texts.masters, no: texts.noMasters, width: 130 }),
    yesNoFilter('bound', texts.boundState, { yes: texts.onlyBound, no: texts.onlyUnbound, width: 130 }),
    choiceFilter('freshness', texts.freshness, freshness.options, { textOf: (word) => FRESHNESS[word].text, width: 140 }),
  ],
  columns: [
    { key: 'sn', title: texts.sn, width: 136, sort: 'sn', cell: (row) => <Sn sn={row.sn} /> },
    {
      key: 'inventoryState',
      title: texts.inventory,
      width: 112,
      sort: 'inventoryState',
      cell: (row) => <StateOf sign={INVENTORY[row.inventoryState]} />,
    },
    { key: 'type', title: texts.type, width: 190, cell: (row) => <Model name={row.meterTypeName} /> },
    { key: 'isMaster', title: texts.isMaster, width: 78, cell: (row, { say }) => say(row.isMaster ? texts.yes : texts.no) },
    { key: 'supplier', title: texts.supplier, width: 156, low: true, cell: (row) => <Model name={row.supplierName} /> },
    { key: 'mode', title: texts.modeShort, width: 58, low: true, cell: (row, { say }) => say(texts[row.communicationMode]) },
    { key: 'dcu', title: texts.dcu, width: 118, cell: (row) => (row.dcuSn ? <Sn sn={row.dcuSn} /> : '—') },
    { key: 'archive', title: texts.archive, width: 130, cell: (row) => <ArchiveOf row={row} /> },
    { key: 'freshness', title: texts.freshness, width: 146, cell: (row) => <StateOf sign={FRESHNESS[row.freshness]} /> },
    {
      key: 'lastReadAt',
      title: texts.readingTime,
      width: 162,
      sort: 'lastReadAt',
      low: true,
      cell: (row) => (row.lastReadAt ? dateTime(row.lastReadAt) : '—'),
    },
    {
      key: 'rate',
      title: texts.readingRate,
      hint: texts.readingRateHint,
      width: 128,
      value: (row) => row.readRate30d,
      cell: (row) => <Rate percent={row.readRate30d} />,
    },
    { key: 'accuracy', title: texts.accuracy, width: 90, low: true, cell: (row) => row.accuracy ?? '—' },
    { key: 'voltage', title: texts.voltage, width: 104, low: true, words: (row) => row.voltage, cell: (row) => row.voltage ?? '—' },
    { key: 'current', title: texts.current, width: 84, low: true, words: (row) => row.current, cell: (row) => row.current ?? '—' },
    {
      key: 'phase',
      title: texts.phase,
      width: 70,
      low: true,
      cell: (row, { say }) => <span title={say(METER_PHASE_TEXT[row.phase])}>{row.phase.toUpperCase()}</span>,
    },
    { key: 'transformer', title: texts.transformer, width: 176, low: true, cell: (row) => row.transformerName ?? '—' },
    {
      key: 'lastCommAt',
      title: texts.lastComm,
      width: 162,
      sort: 'lastCommAt',
      low: true,
      cell: (row) => (row.lastCommAt ? dateTime(row.lastCommAt) : '—'),
    },
    { key: 'customerNo', title: texts.customerNo, width: 116, low: true, cell: (row) => row.customerNo ?? '—' },
    {
      key: 'address',
      title: texts.address,
      width: 170,
      low: true,
      cell: (row) => <span title={row.address ?? undefined}>{row.address ?? '—'}</span>,
    },
    { key: 'dailyFreezeDate', title: texts.freezeDate, width: 126, low: true, cell: (row) => row.dailyFreezeDate ?? '—' },
    { key: 'firmwareVersion', title: texts.firmware, width: 110, low: true, cell: (row) => row.firmwareVersion ?? '—' },
  ],
  actions: assetActions,
  add: { label: texts.add, right: meter.create, Form: AddForm, done: texts.added },
  export: meterExport,
  import: { routes: meterImport, what: texts.meters, others: [keyImport(meterKeyImport), installationList] },
  Pane: AssetPane,
  empty: texts.noMeters,
});
