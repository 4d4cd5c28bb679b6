import type { PhaseRow } from '@hes/contract/analysis/phase.ts';
import { SURE } from '@hes/contract/states/phase.ts';
import { Meter } from '#kit/chart/bars.tsx';
import type { Column } from '#kit/table/data-table.tsx';
import { figure } from '#core/time/number.ts';
import { Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { phaseText, type T } from './messages.ts';
import { PhaseMark } from './phase-mark.tsx';
import { PHASE_STATE } from './signs.ts';
import styles from './phase.module.css';

const percentOf = (share: number): string => figure(Math.floor(share * 1000) / 10, 1);

export function phaseColumns(t: T): Column<PhaseRow>[] {
  return [
    { key: 'sn', title: t('sn'), width: 148, sort: 'sn', cell: (row) => <Sn sn={row.sn} /> },
    { key: 'customer', title: t('customer'), low: true, cell: (row) => row.customerName ?? '—' },
    {
      key: 'recordedPhase',
      title: t('recordedPhase'),
      width: 104,
      sort: 'recordedPhase',
      value: (row) => row.recordedPhase,
      cell: (row) => <PhaseMark phase={row.recordedPhase} />,
    },
    {
      key: 'modulePhase',
      title: t('modulePhase'),
      low: true,
      width: 84,
      value: (row) => row.modulePhase,
      cell: (row) => <PhaseMark phase={row.modulePhase} />,
    },
    {
      key: 'masterPhase',
      title: t('masterPhase'),
      low: true,
      width: 84,
      value: (row) => row.master?.phase,
      cell: (row) => <PhaseMark phase={row.master?.phase} />,
    },
    {
      key: 'neighbourPhase',
      title: t('neighbourPhase'),
      low: true,
      width: 100,
      value: (row) => row.neighbours?.phase,
      cell: (row) => <PhaseMark phase={row.neighbours?.phase} />,
    },
    {
      key: 'finalPhase',
      title: t('finalPhase'),
      width: 104,
      sort: 'finalPhase',
      value: (row) => row.finalPhase,
      cell: (row) => <PhaseMark phase={row.finalPhase} strong />,
    },
    {
      key: 'confidence',
      title: t('confidence'),
      width: 150,
      align: 'right',
      sort: 'confidence',
      value: (row) => row.confidence,
      cell: (row) =>
        row.confidence === null ? (
          <span className={styles['none']}>—</span>
        ) : (
          <span className={styles['confidence']}>
            <Meter value={row.confidence} max={1} tone={row.confidence >= SURE ? 'ok' : 'amber'} label={`${percentOf(row.confidence)} %`} />
            {percentOf(row.confidence)} %
          </span>
        ),
    },
    { key: 'state', title: t('state'), width: 158, cell: (row) => <StateOf sign={PHASE_STATE[row.state]} /> },
    {
      key: 'conflict',
      title: t('conflict'),
      width: 168,
      sort: 'conflict',
      value: (row) => (row.isConflict ? 'yes' : ''),
      cell: (row) =>
        row.isConflict ? (
          <span className={styles['conflict']}>{t('conflictText', { recorded: phaseText(t, row.recordedPhase) })}</span>
        ) : row.hasContradiction ? (
          <span className={styles['contradiction']}>{t('contradiction')}</span>
        ) : (
          ''
        ),
    },
  ];
}
