import { meterType } from '@hes/contract/asset/meter-type.ts';
import { communicationMode, meterPhase } from '@hes/contract/states/device.ts';
import { COMMUNICATION_MODE_TEXT, METER_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { meterTypeExport } from '@hes/contract/transfer/assets.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { TriangleAlert } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { Num } from '#kit/basics/text.tsx';
import { choiceFilter, yesNoFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { Tags } from '#kit/basics/tags.tsx';
import { enabledColumn, enabledFilter, identityColumns, searchFilter, supplierFilter } from '#domain/type-list/type-list.tsx';
import { meterTypeActions } from './actions.ts';
import { texts } from './messages.ts';
import { MeterTypePane } from './meter-type-pane.tsx';
import { TypeForm } from './type-form.tsx';
import styles from './type.module.css';
import { withUnit } from './with-unit.ts';

const useSuppliers = () => useApiQuery(meterType.choices).data?.suppliers;

export const meterTypeList = defineList({
  route: meterType.list,
  path: PAGE_PATH.meterTypes,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row, { say }) => say(modelName(row.name)),
  sort: 'code,asc',
  filters: [
    searchFilter,
    supplierFilter(useSuppliers),
    choiceFilter('phase', texts.phase, meterPhase.options, { textOf: (word) => METER_PHASE_TEXT[word], width: 170 }),
    choiceFilter('communicationMode', texts.communicationModes, communicationMode.options, {
      textOf: (word) => COMMUNICATION_MODE_TEXT[word],
    }),
    yesNoFilter('hasRelay', texts.hasRelay, { yes: texts.yes, no: texts.no, width: 110 }),
    enabledFilter,
  ],
  columns: [
    ...identityColumns,
    { key: 'phase', title: texts.phase, width: 160, sort: 'phase', low: true, cell: (row, { say }) => say(METER_PHASE_TEXT[row.phase]) },
    { key: 'accuracy', title: texts.accuracy, width: 96, low: true, cell: (row) => row.accuracy ?? '—' },
    {
      key: 'voltage',
      title: texts.voltage,
      width: 110,
      low: true,
      words: (row) => row.voltage && withUnit(row.voltage, 'V'),
      cell: (row) => withUnit(row.voltage, 'V'),
    },
    {
      key: 'current',
      title: texts.current,
      width: 106,
      low: true,
      words: (row) => row.current && withUnit(row.current, 'A'),
      cell: (row) => withUnit(row.current, 'A'),
    },
    {
      key: 'communicationModes',
      title: texts.communicationModes,
      width: 130,
      low: true,
      cell: (row, { say }) => <Tags words={row.communicationModes.map((mode) => say(COMMUNICATION_MODE_TEXT[mode]))} />,
    },
    { key: 'hasRelay', title: texts.hasRelay, width: 76, low: true, cell: (row, { say }) => say(row.hasRelay ? texts.yes : texts.no) },
    {
      key: 'template',
      title: texts.template,
      width: 264,
      low: true,
      cell: (row, { say }) => (
        <span
          title={row.lacksDailyFreeze ? say(texts.lacksDaily) : row.profileName}
          className={row.lacksDailyFreeze ? styles['warning'] : undefined}
        >
          {row.lacksDailyFreeze ? <TriangleAlert size={14} role="img" aria-label={say(texts.lacksDaily)} /> : null}
          {row.profileName}
        </span>
      ),
    },
    {
      key: 'meters',
      title: texts.meters,
      width: 86,
      align: 'right',
      value: (row) => row.meters,
      cell: (row) => <Num value={row.meters} />,
    },
    enabledColumn,
  ],
  actions: meterTypeActions,
  add: { label: texts.addType, right: meterType.create, Form: TypeForm },
  export: meterTypeExport,
  Pane: MeterTypePane,
  opensFirst: true,
  empty: texts.empty,
});
