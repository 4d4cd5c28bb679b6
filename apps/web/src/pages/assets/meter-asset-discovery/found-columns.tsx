import type { DiscoveredRow } from '@hes/contract/asset/discovery.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { SIGNAL_TEXT } from '@hes/contract/states/signal.ts';
import { Model } from '#domain/models/model.tsx';
import type { Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { Num, Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { MATCH } from '#domain/states/tables.ts';
import type { T } from './texts.ts';
import styles from './discovery.module.css';

const BARS = { outstanding: 5, excellent: 4, good: 3, poor: 2, fail: 1, no_signal: 0 } as const;
const TONES = { outstanding: 'ok', excellent: 'ok', good: 'ok', poor: 'amber', fail: 'red', no_signal: 'none' } as const;
const STEPS = [1, 2, 3, 4, 5];

/** Bars and text, so that colour is not needed. */
function Signal({ row, say }: { row: Pick<DiscoveredRow, 'signal' | 'signalValue' | 'signalUnit'>; say: (text: Text) => string }) {
  return (
    <span className={styles['signal']} title={row.signalValue === null ? undefined : `${row.signalValue} ${row.signalUnit}`}>
      <svg width="18" height="14" viewBox="0 0 18 14" aria-hidden="true">
        {STEPS.map((step) => (
          <rect
            key={step}
            x={(step - 1) * 3.6}
            y={12 - step * 2.2}
            width="2.6"
            height={step * 2.2 + 1}
            rx="0.6"
            fill={step <= BARS[row.signal] ? `var(--${TONES[row.signal]}-solid)` : 'var(--line-strong)'}
          />
        ))}
      </svg>
      {say(SIGNAL_TEXT[row.signal])}
    </span>
  );
}

function decisionOf(row: DiscoveredRow, t: T): string {
  if (row.ignoredUntil !== null || row.ignoreReason !== null)
    return [row.ignoreReason, row.ignoredUntil ? t('ignoredUntil', { day: row.ignoredUntil.slice(0, 10) }) : '']
      .filter(Boolean)
      .join(' · ');
  if (row.otherDcuSns.length > 0)
    return [
      t('elsewhere', { sns: row.otherDcuSns.join(', ') }),
      row.otherSignalValue === null ? '' : t('signalThere', { value: row.otherSignalValue }),
    ]
      .filter(Boolean)
      .join(' · ');
  return row.nameplate?.logicalDeviceName ?? '—';
}

interface ColumnsOptions {
  t: T;
  say: (text: Text) => string;
}

export const foundColumns = ({ t, say }: ColumnsOptions): Column<DiscoveredRow>[] => [
  { key: 'sn', title: t('sn'), width: 144, cell: (row) => <Sn sn={row.sn} /> },
  { key: 'match', title: t('match'), width: 164, cell: (row) => <StateOf tag sign={MATCH[row.match]} /> },
  { key: 'address', title: t('address'), width: 132, low: true, mono: true, cell: (row) => row.address || '—' },
  { key: 'dcu', title: t('dcu'), width: 122, cell: (row) => <Sn sn={row.dcuSn} /> },
  { key: 'mode', title: t('modeShort'), width: 66, cell: (row) => t(row.communicationMode) },
  {
    key: 'phase',
    title: t('phase'),
    width: 118,
    cell: (row) => (
      <span>
        {row.phase === 'unknown' ? '—' : row.phase.toUpperCase()}
        {row.recordedPhase === null ? null : (
          <span className={styles['warn']}> {t('phaseRecorded', { phase: row.recordedPhase.toUpperCase() })}</span>
        )}
      </span>
    ),
  },
  {
    key: 'hops',
    title: t('hops'),
    width: 62,
    low: true,
    align: 'right',
    value: (row) => row.hops,
    cell: (row) => <Num value={row.hops} />,
  },
  { key: 'signal', title: t('signal'), width: 140, value: (row) => row.signalValue, cell: (row) => <Signal row={row} say={say} /> },
  { key: 'protocol', title: t('protocol'), width: 124, low: true, cell: (row) => t(row.protocol) },
  { key: 'firstSeen', title: t('firstSeen'), width: 164, low: true, cell: (row) => dateTime(row.firstSeen) },
  { key: 'lastSeen', title: t('lastSeen'), width: 164, cell: (row) => dateTime(row.lastSeen) },
  {
    key: 'timesSeen',
    title: t('timesSeen'),
    width: 92,
    low: true,
    align: 'right',
    value: (row) => row.timesSeen,
    cell: (row) => <Num value={row.timesSeen} />,
  },
  {
    key: 'suggestedType',
    title: t('suggestedType'),
    width: 140,
    cell: (row) => (row.suggestedTypeName === null ? '—' : <Model name={row.suggestedTypeName} />),
  },
  { key: 'decision', title: t('decision'), width: 180, cell: (row) => <span title={decisionOf(row, t)}>{decisionOf(row, t)}</span> },
];
