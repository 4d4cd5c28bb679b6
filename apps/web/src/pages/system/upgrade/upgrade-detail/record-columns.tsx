import type { Text } from '@hes/contract/core/text.ts';
import { UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import type { UpgradeRecordRow } from '@hes/contract/upgrade/record.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import type { Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { Num, Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { PhaseBar } from '#domain/upgrade-state/phase-bar.tsx';
import { CHECK, recordSign } from '#domain/upgrade-state/upgrade-tables.ts';
import type { texts } from './messages.ts';
import styles from './detail.module.css';

interface Wanted {
  /** The text for a reason code. */
  reason: (code: string | null, text?: string | null) => string | undefined;
  ofOneJob: boolean;
}

/**
 * The columns of a record, with the field names of the specification and details for repair. Without space, columns of low priority are
 * hidden from the last one on.
 */
export function recordColumns(
  t: Translate<typeof texts>,
  say: (text: Text) => string,
  { reason, ofOneJob }: Wanted,
): Column<UpgradeRecordRow>[] {
  const reasonOf = (row: UpgradeRecordRow): string => reason(row.reasonCode, row.reasonText) ?? '—';
  return [
    { key: 'sn', title: t('sn'), width: 160, sort: 'sn', cell: (row) => <Sn sn={row.sn} /> },
    { key: 'type', title: t('type'), width: 120, low: true, cell: (row) => say(UPGRADE_TARGET_TEXT[row.type]) },
    { key: 'status', title: t('status'), width: 160, sort: 'status', cell: (row) => <StateOf sign={recordSign(row)} /> },
    {
      key: 'process',
      title: t('process'),
      width: 190,
      sort: 'process',
      value: (row) => row.process,
      cell: (row) => (
        <span className={styles['process']}>
          <PhaseBar status={row.status} failedIn={row.failedIn} process={row.process} />
          <span>{Math.floor(row.process)} %</span>
        </span>
      ),
    },
    { key: 'oldVersion', title: t('oldVersion'), width: 144, mono: true, low: true, cell: (row) => row.oldVersion ?? '—' },
    { key: 'newVersion', title: t('newVersion'), width: 144, mono: true, low: true, cell: (row) => row.newVersion },
    {
      key: 'checkResult',
      title: t('checkResult'),
      width: 116,
      low: true,
      cell: (row) => (row.checkResult ? <StateOf sign={CHECK[row.checkResult]} /> : '—'),
    },
    { key: 'reason', title: t('reason'), low: true, cell: (row) => <span title={reasonOf(row)}>{reasonOf(row)}</span> },
    ...(ofOneJob ? [] : [{ key: 'jobName', title: t('job'), width: 150, low: true, cell: (row: UpgradeRecordRow) => row.jobName }]),
    {
      key: 'blocksDone',
      title: t('block'),
      width: 106,
      low: true,
      align: 'right',
      value: (row) => row.blocksDone,
      cell: (row) => (row.blocksTotal === null ? '—' : `${figure(row.blocksDone)} / ${figure(row.blocksTotal)}`),
    },
    { key: 'ring', title: t('ring'), width: 76, align: 'right', low: true, sort: 'ring', cell: (row) => <Num value={row.ring} /> },
    { key: 'rate', title: t('rate'), width: 96, align: 'right', low: true, cell: (row) => <Num value={row.rate} unit={t('perSecond')} /> },
    {
      key: 'attempts',
      title: t('retries'),
      width: 96,
      align: 'right',
      low: true,
      sort: 'attempts',
      cell: (row) => <Num value={row.attempts} />,
    },
    { key: 'dcuSn', title: t('dcu'), width: 160, low: true, cell: (row) => <Sn sn={row.dcuSn} /> },
    { key: 'time', title: t('time'), width: 160, sort: 'time', cell: (row) => dateTime(row.time) },
  ];
}
