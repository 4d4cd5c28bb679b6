import type { FrameRow, LiveFrame } from '@hes/contract/debug/dcu-log.ts';
import { ArrowDownLeft, ArrowUpRight } from 'lucide-react';
import { Link } from 'react-router';
import type { Column } from '#kit/table/data-table.tsx';
import { dateTime, preciseTime } from '#core/time/format.ts';
import { Num, Sn } from '#kit/basics/text.tsx';
import type { T } from './messages.ts';
import styles from './dcu-log.module.css';

export type AnyFrame = FrameRow | LiveFrame;

const HEX_SHOWN = 160;
export const spaced = (hex: string): string =>
  hex.slice(0, HEX_SHOWN).replaceAll(/(..)(?=.)/g, '$1 ') + (hex.length > HEX_SHOWN ? ' …' : '');
export const resultText = (result: string | null, t: T): string => (result === null ? '' : result === 'noAnswer' ? t('noAnswer') : result);

/** The columns of live and stored frames. */
export function columnsOf(t: T): Column<AnyFrame>[] {
  return [
    { key: 'at', title: t('at'), width: 220, mono: true, cell: (row) => `${dateTime(row.at).slice(0, 10)} ${preciseTime(row.at)}` },
    {
      key: 'direction',
      title: t('direction'),
      width: 92,
      cell: (row) => (
        <span className={styles['direction']} data-direction={row.direction}>
          {row.direction === 'down' ? <ArrowUpRight size={14} aria-hidden="true" /> : <ArrowDownLeft size={14} aria-hidden="true" />}
          {t(row.direction)}
        </span>
      ),
    },
    { key: 'channel', title: t('channel'), width: 84, cell: (row) => t(`channel_${row.channel}`) },
    { key: 'meterSn', title: t('meterSn'), width: 140, cell: (row) => (row.meterSn === null ? '—' : <Sn sn={row.meterSn} />) },
    { key: 'service', title: t('service'), width: 160, mono: true, cell: (row) => row.service },
    { key: 'hex', title: t('message'), mono: true, cell: (row) => <span className={styles['hex']}>{spaced(row.hex)}</span> },
    {
      key: 'octets',
      title: t('octets'),
      width: 72,
      low: true,
      align: 'right',
      value: (row) => row.octets,
      cell: (row) => <Num value={row.octets} decimals={0} />,
    },
    {
      key: 'latencyMs',
      title: t('latency'),
      width: 104,
      low: true,
      align: 'right',
      value: (row) => row.latencyMs,
      cell: (row) => <Num value={row.latencyMs} decimals={0} />,
    },
    {
      key: 'session',
      title: t('session'),
      width: 84,
      low: true,
      align: 'right',
      value: (row) => row.sessionId,
      cell: (row) => row.sessionId ?? '—',
    },
    {
      key: 'task',
      title: t('task'),
      width: 92,
      align: 'right',
      value: (row) => row.taskId,
      // Every kind of run is shown like a reading: devices, results and reasons.
      cell: (row) =>
        row.taskId === null ? (
          '—'
        ) : (
          <Link to={`/action/on-demand-reading?task=${row.taskId}`} onClick={(event) => event.stopPropagation()}>
            #{row.taskId}
          </Link>
        ),
    },
    { key: 'result', title: t('result'), width: 150, cell: (row) => <span className={styles['failed']}>{resultText(row.result, t)}</span> },
    { key: 'note', title: t('note'), width: 150, cell: (row) => row.note },
  ];
}
