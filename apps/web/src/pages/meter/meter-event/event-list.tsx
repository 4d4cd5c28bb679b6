import { deviceSn } from '@hes/contract/text/device-name.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { event, type EventRow } from '@hes/contract/event/event.ts';
import { EVENT_LOG_TEXT, EVENT_SOURCE_TEXT } from '@hes/contract/states/event.ts';
import { messageText } from '@hes/contract/states/field-event.ts';
import { eventExport } from '@hes/contract/transfer/orders.ts';
import { dateTime, elapsed } from '#core/time/format.ts';
import { DIRECTION, LEVEL } from '#domain/states/event-tables.ts';
import { Sn } from '#kit/basics/text.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { eventActions } from './actions.ts';
import { DetailPane } from './detail-pane.tsx';
import { eventFacets, eventFilters } from './filters.tsx';
import { codeName, durationMs, texts } from './texts.ts';
import styles from './event.module.css';

/** The events of devices. */
export const eventList = defineList({
  route: event.list,
  path: PAGE_PATH.events,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row, { say }) => say(texts.eventOf, { id: row.id }),
  sort: 'occurAt,desc',
  refetchMs: 60_000,
  topics: ['event'],
  facets: eventFacets,
  filters: eventFilters,
  columns: [
    { key: 'abnormalLevel', title: texts.level, width: 112, cell: (row) => <StateOf sign={LEVEL[row.abnormalLevel ?? 'none']} /> },
    { key: 'occurAt', title: texts.occurTime, width: 152, sort: 'occurAt', time: (row) => row.occurAt },
    { key: 'code', title: texts.code, width: 88, align: 'right', sort: 'code', value: (row) => row.code, cell: (row) => row.code },
    {
      key: 'codeName',
      title: texts.codeName,
      width: 236,
      words: codeName,
      cell: (row, tools) => (
        <span className={row.isMuted ? styles['muted'] : undefined} title={codeName(row, tools)}>
          {codeName(row, tools)}
        </span>
      ),
    },
    { key: 'direction', title: texts.direction, width: 96, cell: (row) => <StateOf sign={DIRECTION[row.direction]} /> },
    { key: 'sn', title: texts.device, width: 138, cell: (row) => <Sn sn={deviceSn(row)} /> },
    { key: 'transformer', title: texts.transformer, width: 196, low: true, value: (row) => row.transformerName },
    {
      key: 'duration',
      title: texts.duration,
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
      title: texts.message,
      width: 200,
      low: true,
      mono: true,
      cell: (row, { say }) => <span title={say(messageText(row))}>{say(messageText(row)) || '—'}</span>,
    },
    { key: 'note', title: texts.note, width: 120, cell: (row) => <span title={row.note ?? undefined}>{row.note ?? '—'}</span> },
    { key: 'log', title: texts.log, width: 124, low: true, cell: (row, { say }) => say(EVENT_LOG_TEXT[row.log]) },
    { key: 'source', title: texts.source, width: 84, low: true, cell: (row, { say }) => say(EVENT_SOURCE_TEXT[row.source]) },
    {
      key: 'ackAt',
      title: texts.acknowledged,
      width: 126,
      low: true,
      cell: (row, { say }) => acknowledgedBy(row) ?? (row.isMuted ? say(texts.muted) : '—'),
    },
  ],
  actions: eventActions,
  export: eventExport,
  Pane: DetailPane,
  empty: texts.noEvents,
  emptyHint: texts.noEventsHint,
});

const acknowledgedBy = ({ ackAt, ackByName }: EventRow) =>
  ackAt === null ? undefined : <span title={dateTime(ackAt)}>{ackByName ?? dateTime(ackAt)}</span>;
