import type { MeterTypeRow } from '@hes/contract/asset/meter-type.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { COMMUNICATION_MODE_TEXT, METER_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { TriangleAlert } from 'lucide-react';
import type { Translate } from '#shared/i18n/use-messages.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { Num } from '#shared/ui/text.tsx';
import { ModelName } from '#widgets/record-list/model-name.tsx';
import { Tags } from '#widgets/record-list/tags.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ENABLED } from '#widgets/state-of/tables.ts';
import type { texts } from './messages.ts';
import styles from './type.module.css';

/** Ratings of older records include their unit. */
export const withUnit = (text: string | null, unit: string) => (text === null ? '—' : text.endsWith(unit) ? text : `${text} ${unit}`);

export function columnsOf(t: Translate<typeof texts>, say: (text: Text) => string): Column<MeterTypeRow>[] {
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
    { key: 'phase', title: t('phase'), width: 130, sort: 'phase', low: true, cell: (row) => say(METER_PHASE_TEXT[row.phase]) },
    { key: 'accuracy', title: t('accuracy'), width: 96, low: true, cell: (row) => row.accuracy ?? '—' },
    {
      key: 'voltage',
      title: t('voltage'),
      width: 110,
      low: true,
      words: (row) => row.voltage && withUnit(row.voltage, 'V'),
      cell: (row) => withUnit(row.voltage, 'V'),
    },
    {
      key: 'current',
      title: t('current'),
      width: 106,
      low: true,
      words: (row) => row.current && withUnit(row.current, 'A'),
      cell: (row) => withUnit(row.current, 'A'),
    },
    {
      key: 'communicationModes',
      title: t('communicationModes'),
      width: 164,
      low: true,
      cell: (row) => <Tags words={row.communicationModes.map((mode) => say(COMMUNICATION_MODE_TEXT[mode]))} />,
    },
    { key: 'hasRelay', title: t('hasRelay'), width: 76, low: true, cell: (row) => (row.hasRelay ? t('yes') : t('no')) },
    {
      key: 'template',
      title: t('template'),
      width: 200,
      low: true,
      cell: (row) => (
        <span
          title={row.lacksDailyFreeze ? t('lacksDaily') : row.profileName}
          className={row.lacksDailyFreeze ? styles['warning'] : undefined}
        >
          {row.lacksDailyFreeze ? <TriangleAlert size={14} role="img" aria-label={t('lacksDaily')} /> : null}
          {row.profileName}
        </span>
      ),
    },
    { key: 'meters', title: t('meters'), width: 86, align: 'right', value: (row) => row.meters, cell: (row) => <Num value={row.meters} /> },
    { key: 'enabled', title: t('state'), width: 100, cell: (row) => <StateOf sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} /> },
  ];
}
