import { supplier } from '@hes/contract/asset/supplier.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { supplierExport, supplierImport } from '@hes/contract/transfer/assets.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { Num } from '#kit/basics/text.tsx';
import { objectFilter, textFilter, yesNoFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { editAction, removeAction } from '#kit/list/usual-actions.tsx';
import { ModelName } from '#domain/models/model-name.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ENABLED } from '#domain/states/tables.ts';
import { useCountries } from './countries.ts';
import { texts } from './messages.ts';
import { SupplierForm } from './supplier-form.tsx';
import { SupplierPane } from './supplier-pane.tsx';

export const supplierList = defineList({
  route: supplier.list,
  path: PAGE_PATH.suppliers,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row, { say }) => say(modelName(row.name)),
  sort: 'code,asc',
  filters: [
    textFilter('search', texts.search, { width: 250 }),
    objectFilter('country', texts.country, { useOptions: useCountries, width: 190 }),
    yesNoFilter('enabled', texts.state, { yes: texts.enabled, no: texts.disabled, width: 140 }),
  ],
  columns: [
    { key: 'code', title: texts.code, width: 120, sort: 'code', mono: true, value: (row) => row.code },
    { key: 'name', title: texts.name, width: 190, sort: 'name', cell: (row) => <ModelName row={row} /> },
    { key: 'flagId', title: texts.flagId, width: 92, sort: 'flagId', mono: true, value: (row) => row.flagId },
    { key: 'types', title: texts.types, width: 76, align: 'right', value: (row) => row.types },
    {
      key: 'devices',
      title: texts.devices,
      width: 86,
      align: 'right',
      value: (row) => row.devices,
      cell: (row) => <Num value={row.devices} />,
    },
    { key: 'enabled', title: texts.state, width: 110, cell: (row) => <StateOf sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} /> },
    { key: 'contact', title: texts.contact, width: 130, low: true, sparse: true, value: (row) => row.contact },
    { key: 'phone', title: texts.phone, width: 150, low: true, sparse: true, value: (row) => row.phone },
    {
      key: 'email',
      title: texts.email,
      width: 180,
      low: true,
      sparse: true,
      value: (row) => row.email,
      cell: (row) => <span title={row.email ?? undefined}>{row.email ?? '—'}</span>,
    },
    { key: 'country', title: texts.country, width: 84, low: true, value: (row) => row.country },
    { key: 'updatedAt', title: texts.updated, width: 150, low: true, sort: 'updatedAt', time: (row) => row.updatedAt },
  ],
  actions: [editAction(supplier.update, SupplierForm), removeAction(supplier.remove)],
  add: { label: texts.addSupplier, right: supplier.create, Form: SupplierForm },
  export: supplierExport,
  import: { routes: supplierImport, what: texts.suppliers },
  Pane: SupplierPane,
  opensFirst: true,
  empty: texts.empty,
});
