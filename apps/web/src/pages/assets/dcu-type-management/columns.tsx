import type { DcuTypeRow } from '@hes/contract/asset/dcu-type.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { offered, SPOKEN } from '@hes/contract/asset/spoken.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { DOWNLINK_TEXT, FEATURE_TEXT, PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import type { Translate } from '#shared/i18n/use-messages.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { Num } from '#shared/ui/text.tsx';
import { ModelName } from '#widgets/record-list/model-name.tsx';
import { Tags } from '#widgets/record-list/tags.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ENABLED } from '#widgets/state-of/tables.ts';
import type { texts } from './messages.ts';

export function columnsOf(t: Translate<typeof texts>, say: (text: Text) => string): Column<DcuTypeRow>[] {
  return [
    { key: 'code', title: t('code'), width: 130, sort: 'code', mono: true, cell: (row) => row.code },
    { key: 'name', title: t('name'), width: 200, sort: 'name', cell: (row) => <ModelName row={row} /> },
    {
      key: 'supplier',
      title: t('supplier'),
      width: 150,
      sort: 'supplierName',
      cell: (row) => <span title={say(modelName(row.supplierName))}>{say(modelName(row.supplierName))}</span>,
    },
    { key: 'protocol', title: t('protocol'), width: 150, low: true, cell: (row) => say(PROTOCOL_TEXT[row.protocol]) },
    {
      key: 'downlinkModes',
      title: t('downlinkModes'),
      width: 130,
      low: true,
      cell: (row) => <Tags words={row.downlinkModes.map((mode) => say(DOWNLINK_TEXT[mode]))} />,
    },
    {
      key: 'maxMeters',
      title: t('maxMeters'),
      width: 106,
      align: 'right',
      sort: 'maxMeters',
      low: true,
      value: (row) => row.maxMeters,
      cell: (row) => <Num value={row.maxMeters} />,
    },
    { key: 'profile', title: t('profile'), width: 150, low: true, cell: (row) => <span title={row.profileName}>{row.profileName}</span> },
    ...(offered(SPOKEN.features).length > 0
      ? [
          {
            key: 'features',
            title: t('features'),
            width: 220,
            low: true,
            cell: (row: DcuTypeRow) => <Tags words={row.features.map((feature) => say(FEATURE_TEXT[feature]))} />,
          },
        ]
      : []),
    { key: 'dcus', title: t('dcus'), width: 76, align: 'right', value: (row) => row.dcus, cell: (row) => <Num value={row.dcus} /> },
    { key: 'enabled', title: t('state'), width: 100, cell: (row) => <StateOf sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} /> },
  ];
}
