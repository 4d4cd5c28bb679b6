import type { DcuRow } from '@hes/contract/asset/dcu.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { AUTHENTICATION_TEXT, PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { Meter } from '#shared/chart/bars.tsx';
import { Model } from '#shared/i18n/model-name.tsx';
import type { Translate } from '#shared/i18n/use-messages.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { dateTime } from '#shared/time/format.ts';
import { Num, Sn } from '#shared/ui/text.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { FRESHNESS, ONLINE } from '#widgets/state-of/tables.ts';
import { DcuActions, type DcuRequest } from './dcu-actions.tsx';
import type { texts } from './texts.ts';
import { UplinkCell } from './uplink.tsx';
import styles from './dcu.module.css';

type T = Translate<typeof texts>;

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

interface ColumnsOptions {
  t: T;
  say: (text: Text) => string;
  onDialog: (dialog: DcuRequest) => void;
}

export function columnsOf({ t, say, onDialog }: ColumnsOptions): Column<DcuRow>[] {
  return [
    { key: 'freshness', title: t('freshness'), width: 150, cell: (row) => <StateOf sign={FRESHNESS[row.freshness]} /> },
    {
      key: 'sn',
      title: t('sn'),
      width: 118,
      sort: 'sn',
      cell: (row) => (
        <span className={styles['sn']}>
          <Sn sn={row.sn} />
        </span>
      ),
    },
    { key: 'name', title: t('name'), width: 140, sort: 'name', low: true, cell: (row) => row.name },
    { key: 'transformer', title: t('transformer'), width: 160, cell: (row) => row.transformerName ?? '—' },
    { key: 'onlineStatus', title: t('onlineStatus'), width: 146, cell: (row) => <StateOf sign={ONLINE[row.onlineStatus]} /> },
    {
      key: 'signal',
      title: t('uplinkSignal'),
      hint: t('signalHelp'),
      width: 136,
      low: true,
      sort: 'signal',
      value: (row) => row.uplink?.signalDbm,
      unit: 'dBm',
      cell: (row) => <UplinkCell row={row} />,
    },
    { key: 'meters', title: t('reachable'), width: 132, value: (row) => row.meters, cell: (row) => <Reachable row={row} /> },
    {
      key: 'availability',
      title: t('availability'),
      width: 96,
      low: true,
      align: 'right',
      value: (row) => row.availability24h,
      cell: (row) => <Num value={row.availability24h} unit="%" decimals={1} />,
    },
    {
      key: 'lastCommAt',
      title: t('communicateTime'),
      width: 172,
      sort: 'lastCommAt',
      cell: (row) => (row.lastCommAt ? dateTime(row.lastCommAt) : '—'),
    },
    { key: 'connectionType', title: t('connectionType'), width: 106, low: true, cell: (row) => t(row.connectionType) },
    { key: 'communicateType', title: t('communicateType'), width: 124, low: true, cell: (row) => t(row.communicateType) },
    { key: 'dataChannel', title: t('dataChannel'), width: 96, low: true, cell: (row) => t(row.dataChannel) },
    { key: 'protocol', title: t('protocol'), width: 136, low: true, cell: (row) => say(PROTOCOL_TEXT[row.protocol]) },
    {
      key: 'authenticationType',
      title: t('authenticationType'),
      width: 134,
      low: true,
      cell: (row) => say(AUTHENTICATION_TEXT[row.authenticationType]),
    },
    {
      key: 'remote',
      title: t('address'),
      width: 168,
      mono: true,
      low: true,
      cell: (row) => row.remote ?? (row.host ? `${row.host}:${row.port ?? ''}` : '—'),
    },
    { key: 'type', title: t('type'), width: 140, low: true, cell: (row) => <Model name={row.dcuTypeName} /> },
    { key: 'firmware', title: t('firmware'), width: 116, low: true, cell: (row) => row.firmwareVersion ?? '—' },
    {
      key: 'archiveEntries',
      title: t('hesAndDcu'),
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
      title: t('clockDrift'),
      width: 108,
      align: 'right',
      low: true,
      value: (row) => row.clockDeviationS,
      cell: (row) => <Num value={row.clockDeviationS} unit="s" />,
    },
    { key: 'country', title: t('country'), width: 96, low: true, cell: (row) => row.country ?? '—' },
    {
      key: 'actions',
      title: <span className="visually-hidden">{t('more')}</span>,
      width: 46,
      cell: (row) => <DcuActions row={row} onDialog={onDialog} />,
    },
  ];
}
