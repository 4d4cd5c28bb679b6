import type { EventRow } from '@hes/contract/event/event.ts';
import { EVENT_LOG_TEXT, EVENT_SOURCE_TEXT } from '@hes/contract/states/event.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { messageText } from '@hes/contract/states/field-event.ts';
import type { Column } from '#kit/table/data-table.tsx';
import { dateTime, elapsed } from '#core/time/format.ts';
import { Sn } from '#kit/basics/text.tsx';
import { DIRECTION, LEVEL } from '#domain/states/event-tables.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { durationMs, snOf, type T } from './texts.ts';
import styles from './event.module.css';

interface Options {
  t: T;
  say: (text: Text) => string;
  nameOf: (row: EventRow) => string;
}

export function eventColumns({ t, say, nameOf }: Options): Column<EventRow>[] {
  return [
    { key: 'abnormalLevel', title: t('level'), width: 112, cell: (row) => <StateOf sign={LEVEL[row.abnormalLevel ?? 'none']} /> },
    { key: 'occurAt', title: t('occurTime'), width: 152, sort: 'occurAt', cell: (row) => dateTime(row.occurAt) },
    { key: 'code', title: t('code'), width: 88, align: 'right', sort: 'code', value: (row) => row.code, cell: (row) => row.code },
    {
      key: 'codeName',
      title: t('codeName'),
      width: 190,
      cell: (row) => (
        <span className={row.isMuted ? styles['muted'] : undefined} title={nameOf(row)}>
          {nameOf(row)}
        </span>
      ),
    },
    { key: 'direction', title: t('direction'), width: 96, cell: (row) => <StateOf sign={DIRECTION[row.direction]} /> },
    { key: 'sn', title: t('device'), width: 138, cell: (row) => <Sn sn={snOf(row)} /> },
    { key: 'transformer', title: t('transformer'), width: 150, low: true, cell: (row) => row.transformerName ?? '—' },
    {
      key: 'duration',
      title: t('duration'),
      width: 92,
      align: 'right',
      value: durationMs,
      cell: (row) => {
        const ms = durationMs(row);
        return ms === null ? '—' : elapsed(ms);
      },
    },
    {
      key: 'message',
      title: t('message'),
      width: 160,
      low: true,
      mono: true,
      cell: (row) => {
        const text = say(messageText(row));
        return <span title={text}>{text}</span>;
      },
    },
    { key: 'note', title: t('note'), width: 120, cell: (row) => <span title={row.note ?? undefined}>{row.note ?? '—'}</span> },
    { key: 'log', title: t('log'), width: 104, low: true, cell: (row) => say(EVENT_LOG_TEXT[row.log]) },
    { key: 'source', title: t('source'), width: 84, low: true, cell: (row) => say(EVENT_SOURCE_TEXT[row.source]) },
    {
      key: 'ackAt',
      title: t('acknowledged'),
      width: 126,
      low: true,
      cell: (row) =>
        row.ackAt ? <span title={dateTime(row.ackAt)}>{row.ackByName ?? dateTime(row.ackAt)}</span> : row.isMuted ? t('muted') : '—',
    },
  ];
}
