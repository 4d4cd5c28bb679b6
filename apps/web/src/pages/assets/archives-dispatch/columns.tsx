import type { ArchiveRow } from '@hes/contract/asset/archive.ts';
import { Model } from '#domain/models/model.tsx';
import type { Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { Sn } from '#kit/basics/text.tsx';
import { useReason } from '#domain/device-run/device-run.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { bindSign, DELETE, DIFF, dispatchSign, DISTRIBUTION } from '#domain/states/tables.ts';
import { Air, Side } from './side-cells.tsx';
import type { T } from './texts.ts';
import styles from './archives.module.css';

function Result({ row, t }: { row: ArchiveRow; t: T }) {
  const reason = useReason();
  if (row.lastResult === null) return '—';
  const why = reason(row.lastReasonCode);
  const title = why ?? (row.lastResult === 'unknown' ? t('unknownHint') : undefined);
  return (
    <span className={styles['result']} data-result={row.lastResult} title={title}>
      {t(row.lastResult)}
      {why ? `: ${why}` : ''}
    </span>
  );
}

export function columnsOf(t: T): Column<ArchiveRow>[] {
  return [
    {
      key: 'sn',
      title: t('sn'),
      width: 136,
      cell: (row) => (
        <span title={row.meterId === null ? t('unknownMeter') : undefined} data-unknown={row.meterId === null || undefined}>
          <Sn sn={row.sn} />
        </span>
      ),
    },
    { key: 'hes', title: t('hesSide'), width: 112, cell: (row) => <Side entry={row.hes} differing={row.diffFields} /> },
    { key: 'dcu', title: t('dcuSide'), width: 138, cell: (row) => <Side entry={row.dcu} differing={row.diffFields} /> },
    { key: 'air', title: t('airSide'), width: 150, low: true, cell: (row) => <Air row={row} /> },
    {
      key: 'difference',
      title: t('difference'),
      width: 146,
      cell: (row) =>
        row.diffKind === null ? (
          '—'
        ) : (
          <StateOf sign={DIFF[row.diffKind]} extra={row.diffKind === 'other_dcu' ? (row.otherDcuSn ?? '') : ''} />
        ),
    },
    {
      key: 'bindState',
      title: t('bindState'),
      width: 104,
      cell: (row) => <StateOf tag sign={bindSign(row.bindState, row.dispatchState)} />,
    },
    {
      key: 'dispatchStatus',
      title: t('dispatchStatus'),
      width: 152,
      cell: (row) => <StateOf tag sign={dispatchSign(row.bindState, row.dispatchState)} />,
    },
    {
      key: 'distribution',
      title: t('distribution'),
      width: 166,
      cell: (row) => (row.distributionState === null ? '—' : <StateOf sign={DISTRIBUTION[row.distributionState]} />),
    },
    { key: 'deleteStatus', title: t('deleteStatus'), width: 112, cell: (row) => <StateOf sign={DELETE[row.deleteStatus]} /> },
    {
      key: 'lastDispatchAt',
      title: t('lastDispatch'),
      width: 146,
      low: true,
      cell: (row) => (row.lastDispatchAt ? dateTime(row.lastDispatchAt) : '—'),
    },
    { key: 'operator', title: t('operator'), width: 98, low: true, cell: (row) => row.lastDispatchBy ?? '—' },
    { key: 'result', title: t('result'), width: 96, low: true, cell: (row) => <Result row={row} t={t} /> },
    {
      key: 'meterType',
      title: t('meterType'),
      width: 128,
      low: true,
      cell: (row) => (row.meterTypeName === null ? <i>{t('unknownMeter')}</i> : <Model name={row.meterTypeName} />),
    },
  ];
}
