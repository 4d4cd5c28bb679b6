import { dcuType, type DcuTypeRow } from '@hes/contract/asset/dcu-type.ts';
import { offered, SPOKEN } from '@hes/contract/asset/spoken.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { DOWNLINK_TEXT, FEATURE_TEXT, PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { dcuTypeExport } from '@hes/contract/transfer/assets.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { Num } from '#kit/basics/text.tsx';
import { choiceFilter } from '#kit/list/filters.tsx';
import { defineList, type ListColumn } from '#kit/list/list-declaration.ts';
import { Tags } from '#kit/basics/tags.tsx';
import { enabledColumn, enabledFilter, identityColumns, searchFilter, supplierFilter } from '#domain/type-list/type-list.tsx';
import { dcuTypeActions } from './actions.ts';
import { DcuTypePane } from './dcu-type-pane.tsx';
import { texts } from './messages.ts';
import { TypeForm } from './type-form.tsx';

const PROTOCOLS = offered(SPOKEN.protocol);
const FEATURES = offered(SPOKEN.features);

const featuresColumn: ListColumn<DcuTypeRow> = {
  key: 'features',
  title: texts.features,
  width: 220,
  low: true,
  cell: (row, { say }) => <Tags words={row.features.map((feature) => say(FEATURE_TEXT[feature]))} />,
};

const useSuppliers = () => useApiQuery(dcuType.choices).data?.suppliers;

export const dcuTypeList = defineList({
  route: dcuType.list,
  path: PAGE_PATH.dcuTypes,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row, { say }) => say(modelName(row.name)),
  sort: 'code,asc',
  filters: [
    searchFilter,
    supplierFilter(useSuppliers),
    // A choice without an alternative is not offered.
    ...(PROTOCOLS.length > 1
      ? [choiceFilter('protocol', texts.protocol, PROTOCOLS, { textOf: (word) => PROTOCOL_TEXT[word], width: 180 })]
      : []),
    ...(FEATURES.length > 0
      ? [choiceFilter('feature', texts.feature, FEATURES, { textOf: (word) => FEATURE_TEXT[word], width: 140 })]
      : []),
    enabledFilter,
  ],
  columns: [
    ...identityColumns,
    { key: 'protocol', title: texts.protocol, width: 150, low: true, cell: (row, { say }) => say(PROTOCOL_TEXT[row.protocol]) },
    {
      key: 'downlinkModes',
      title: texts.downlinkModes,
      width: 160,
      low: true,
      cell: (row, { say }) => <Tags words={row.downlinkModes.map((mode) => say(DOWNLINK_TEXT[mode]))} />,
    },
    {
      key: 'maxMeters',
      title: texts.maxMeters,
      width: 106,
      align: 'right',
      sort: 'maxMeters',
      low: true,
      value: (row) => row.maxMeters,
      cell: (row) => <Num value={row.maxMeters} />,
    },
    { key: 'profile', title: texts.profile, width: 150, low: true, cell: (row) => <span title={row.profileName}>{row.profileName}</span> },
    ...(FEATURES.length > 0 ? [featuresColumn] : []),
    { key: 'dcus', title: texts.dcus, width: 116, align: 'right', value: (row) => row.dcus, cell: (row) => <Num value={row.dcus} /> },
    enabledColumn,
  ],
  actions: dcuTypeActions,
  add: { label: texts.addType, right: dcuType.create, Form: TypeForm },
  export: dcuTypeExport,
  Pane: DcuTypePane,
  opensFirst: true,
  empty: texts.empty,
});
