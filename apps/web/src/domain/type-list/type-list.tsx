import type { Route } from '@hes/contract/core/route.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { Copy, FileDown } from 'lucide-react';
import { useSay } from '#core/i18n/use-messages.ts';
import type { Action } from '#kit/list/action.ts';
import { objectFilter, textFilter, yesNoFilter } from '#kit/list/filters.tsx';
import type { ListColumn } from '#kit/list/list-declaration.ts';
import type { FormProps, Part } from '#kit/list/list-parts.ts';
import { ModelName } from '#domain/models/model-name.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ENABLED } from '#domain/states/tables.ts';
import { typeTexts } from './messages.ts';
import { downloadType } from './type-file.ts';

/** What a DCU type and a meter type have in common. */
export interface DeviceType {
  id: string;
  code: string;
  name: string;
  supplierName: string;
  enabled: boolean;
  isBuiltin: boolean;
  updatedAt: string;
}

/** The first columns of a list of types. */
export const identityColumns: readonly ListColumn<DeviceType>[] = [
  { key: 'code', title: typeTexts.code, width: 130, sort: 'code', mono: true, value: (row) => row.code },
  { key: 'name', title: typeTexts.name, width: 200, sort: 'name', cell: (row) => <ModelName row={row} /> },
  {
    key: 'supplier',
    title: typeTexts.supplier,
    width: 156,
    sort: 'supplierName',
    cell: (row, { say }) => <span title={say(modelName(row.supplierName))}>{say(modelName(row.supplierName))}</span>,
  },
];

/** The last column of a list of types. */
export const enabledColumn: ListColumn<DeviceType> = {
  key: 'enabled',
  title: typeTexts.state,
  width: 100,
  cell: (row) => <StateOf sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} />,
};

export const searchFilter = textFilter('search', typeTexts.search);
export const enabledFilter = yesNoFilter('enabled', typeTexts.state, { yes: typeTexts.enabled, no: typeTexts.disabled, width: 120 });

/** A filter by supplier; the hook reads the suppliers of the types. */
export function supplierFilter(useSuppliers: () => readonly { id: string; name: string }[] | undefined) {
  const useOptions = () => {
    const say = useSay();
    return (useSuppliers() ?? []).map(({ id, name }) => ({ value: id, label: say(modelName(name)) }));
  };
  return objectFilter('supplierId', typeTexts.supplier, { useOptions, width: 180 });
}

/** Opens the form of a new type with the values of an existing one. */
export const duplicateAction = <Row,>(right: Pick<Route, 'allow'>, Form: Part<FormProps<Row>>): Action<Row> => ({
  key: 'duplicate',
  label: typeTexts.duplicate,
  icon: Copy,
  right,
  act: { kind: 'form', Form },
});

/** Downloads a type as a file. */
export const fileAction = (route: Route): Action<DeviceType> => ({
  key: 'file',
  label: typeTexts.exportFile,
  icon: FileDown,
  right: route,
  act: { kind: 'run', run: (row) => downloadType(route, row) },
});
