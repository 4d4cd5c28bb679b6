import type { TransformerRow } from '@hes/contract/asset/transformer.ts';
import type { Translate } from '#shared/i18n/use-messages.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { Num, Sn } from '#shared/ui/text.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { TRANSFORMER } from '#widgets/state-of/tables.ts';
import type { texts } from './messages.ts';

export const degrees = (value: number | null): string => (value === null ? '—' : value.toFixed(6));

export function columnsOf(t: Translate<typeof texts>): Column<TransformerRow>[] {
  return [
    { key: 'name', title: t('name'), width: 160, sort: 'name', cell: (row) => <span title={row.name}>{row.name}</span> },
    { key: 'code', title: t('code'), width: 112, sort: 'code', mono: true, low: true, cell: (row) => row.code },
    {
      key: 'address',
      title: t('address'),
      width: 140,
      low: true,
      cell: (row) => <span title={row.address ?? undefined}>{row.address ?? '—'}</span>,
    },
    {
      key: 'longitude',
      title: t('longitude'),
      width: 104,
      align: 'right',
      low: true,
      value: (row) => row.longitude,
      cell: (row) => degrees(row.longitude),
    },
    {
      key: 'latitude',
      title: t('latitude'),
      width: 100,
      align: 'right',
      low: true,
      value: (row) => row.latitude,
      cell: (row) => degrees(row.latitude),
    },
    { key: 'level', title: t('level'), width: 116, sort: 'levelName', cell: (row) => <span title={row.levelName}>{row.levelName}</span> },
    {
      key: 'capacity',
      title: t('capacity'),
      width: 88,
      align: 'right',
      sort: 'capacityKva',
      low: true,
      value: (row) => row.capacityKva,
      cell: (row) => <Num value={row.capacityKva} unit="kVA" />,
    },
    { key: 'feeder', title: t('feeder'), width: 100, low: true, cell: (row) => row.feederName ?? '—' },
    { key: 'dcus', title: t('dcus'), width: 72, align: 'right', value: (row) => row.dcus, cell: (row) => <Num value={row.dcus} /> },
    { key: 'meters', title: t('meters'), width: 76, align: 'right', value: (row) => row.meters, cell: (row) => <Num value={row.meters} /> },
    {
      key: 'master',
      title: t('masterMeter'),
      width: 132,
      low: true,
      cell: (row) => (row.masterMeterSn ? <Sn sn={row.masterMeterSn} /> : '—'),
    },
    {
      key: 'loss',
      title: t('lastLoss'),
      width: 84,
      align: 'right',
      value: (row) => row.lastLossPercent,
      cell: (row) => (
        <span title={row.lastLossDay === null ? t('noLoss') : t('lossOf', { day: row.lastLossDay })}>
          <Num value={row.lastLossPercent} unit="%" decimals={1} />
        </span>
      ),
    },
    { key: 'state', title: t('state'), width: 150, cell: (row) => <StateOf sign={TRANSFORMER[row.state]} /> },
  ];
}
