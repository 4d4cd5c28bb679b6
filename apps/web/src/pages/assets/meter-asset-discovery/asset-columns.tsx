import type { AssetRow } from '@hes/contract/asset/meter.ts';
import { METER_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { Model } from '#shared/i18n/model-name.tsx';
import { Meter } from '#shared/chart/bars.tsx';
import type { Column } from '#shared/table/data-table.tsx';
import { dateTime } from '#shared/time/format.ts';
import { figure } from '#shared/time/number.ts';
import { Sn } from '#shared/ui/text.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { DISTRIBUTION, FRESHNESS, INVENTORY, bindSign } from '#widgets/state-of/tables.ts';
import { AssetActions, type AssetDialog } from './asset-actions.tsx';
import type { T } from './texts.ts';
import styles from './discovery.module.css';

const GOOD_RATE = 95;
const FAIR_RATE = 80;

export function Rate({ percent }: { percent: number | null }) {
  if (percent === null) return '—';
  const tone = percent >= GOOD_RATE ? 'ok' : percent >= FAIR_RATE ? 'amber' : 'red';
  return (
    <span className={styles['rate']}>
      <Meter value={percent} max={100} tone={tone} label={`${percent} %`} />
      <span>{figure(percent, 1)} %</span>
    </span>
  );
}

/** The state of a meter in the archive of its DCU. */
export function ArchiveOf({ row }: { row: AssetRow }) {
  if (row.bindState === null || row.dispatchState === null) return '—';
  if (row.distributionState !== null) return <StateOf sign={DISTRIBUTION[row.distributionState]} />;
  return <StateOf sign={bindSign(row.bindState, row.dispatchState)} />;
}

interface ColumnsOptions {
  t: T;
  say: (text: Text) => string;
  onDialog: (dialog: AssetDialog) => void;
}

export function assetColumns({ t, say, onDialog }: ColumnsOptions): Column<AssetRow>[] {
  return [
    { key: 'sn', title: t('sn'), width: 136, sort: 'sn', cell: (row) => <Sn sn={row.sn} /> },
    {
      key: 'inventoryState',
      title: t('inventory'),
      width: 112,
      sort: 'inventoryState',
      cell: (row) => <StateOf sign={INVENTORY[row.inventoryState]} />,
    },
    { key: 'type', title: t('type'), width: 140, cell: (row) => <Model name={row.meterTypeName} /> },
    { key: 'isMaster', title: t('isMaster'), width: 78, cell: (row) => t(row.isMaster ? 'yes' : 'no') },
    { key: 'supplier', title: t('supplier'), width: 118, low: true, cell: (row) => <Model name={row.supplierName} /> },
    { key: 'accuracy', title: t('accuracy'), width: 90, low: true, cell: (row) => row.accuracy ?? '—' },
    { key: 'voltage', title: t('voltage'), width: 104, low: true, words: (row) => row.voltage, cell: (row) => row.voltage ?? '—' },
    { key: 'current', title: t('current'), width: 84, low: true, words: (row) => row.current, cell: (row) => row.current ?? '—' },
    {
      key: 'phase',
      title: t('phase'),
      width: 70,
      low: true,
      cell: (row) => <span title={say(METER_PHASE_TEXT[row.phase])}>{row.phase.toUpperCase()}</span>,
    },
    { key: 'mode', title: t('modeShort'), width: 58, low: true, cell: (row) => t(row.communicationMode) },
    { key: 'transformer', title: t('transformer'), width: 140, low: true, cell: (row) => row.transformerName ?? '—' },
    { key: 'dcu', title: t('dcu'), width: 118, cell: (row) => (row.dcuSn ? <Sn sn={row.dcuSn} /> : '—') },
    { key: 'archive', title: t('archive'), width: 130, cell: (row) => <ArchiveOf row={row} /> },
    { key: 'freshness', title: t('freshness'), width: 146, cell: (row) => <StateOf sign={FRESHNESS[row.freshness]} /> },
    {
      key: 'lastReadAt',
      title: t('readingTime'),
      width: 162,
      sort: 'lastReadAt',
      low: true,
      cell: (row) => (row.lastReadAt ? dateTime(row.lastReadAt) : '—'),
    },
    {
      key: 'rate',
      title: t('readingRate'),
      hint: t('readingRateHint'),
      width: 108,
      value: (row) => row.readRate30d,
      cell: (row) => <Rate percent={row.readRate30d} />,
    },
    {
      key: 'lastCommAt',
      title: t('lastComm'),
      width: 162,
      sort: 'lastCommAt',
      low: true,
      cell: (row) => (row.lastCommAt ? dateTime(row.lastCommAt) : '—'),
    },
    { key: 'customerNo', title: t('customerNo'), width: 116, low: true, cell: (row) => row.customerNo ?? '—' },
    {
      key: 'address',
      title: t('address'),
      width: 170,
      low: true,
      cell: (row) => <span title={row.address ?? undefined}>{row.address ?? '—'}</span>,
    },
    { key: 'dailyFreezeDate', title: t('freezeDate'), width: 126, low: true, cell: (row) => row.dailyFreezeDate ?? '—' },
    { key: 'firmwareVersion', title: t('firmware'), width: 110, low: true, cell: (row) => row.firmwareVersion ?? '—' },
    {
      key: 'actions',
      title: <span className="visually-hidden">{t('more')}</span>,
      width: 46,
      cell: (row) => <AssetActions row={row} onDialog={onDialog} />,
    },
  ];
}
