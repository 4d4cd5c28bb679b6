import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { to } from '@hes/contract/page/links.ts';
import { dcuLog, dcuLogExport } from '@hes/contract/debug/dcu-log.ts';
import { ArrowDownLeft, ArrowUpRight, FileSearch } from 'lucide-react';
import { Link } from 'react-router';
import { dateTime, preciseTime } from '#core/time/format.ts';
import { Sn } from '#kit/basics/text.tsx';
import { daysFilter } from '#kit/list/days-filter.tsx';
import { choiceFilter, flagFilter, textFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { resultText, spaced } from './frame-text.ts';
import { texts } from './messages.ts';
import styles from './dcu-log.module.css';

const meterFilter = textFilter('meter', texts.meterSn, { width: 150 });

/** Stored frames of a DCU, newest first. */
export const frameList = defineList({
  route: dcuLog.list,
  path: PAGE_PATH.dcuLog,
  at: { view: 'history' },
  title: texts.title,
  purpose: texts.purpose,
  label: texts.history,
  rowName: (row) => dateTime(row.at),
  size: '100',
  filters: [
    textFilter('service', texts.service, { width: 150 }),
    choiceFilter('direction', texts.direction, ['down', 'up'], { textOf: (word) => texts[word], width: 132 }),
    choiceFilter('channel', texts.channel, ['D', 'M', 'P'], { textOf: (word) => texts[`channel_${word}`], width: 132 }),
    { ...meterFilter, toQuery: ({ meter }) => (meter === undefined ? {} : { meter: meter.replaceAll(/\s/g, '') }) },
    textFilter('hex', texts.hex, { width: 180, accepts: /^[\da-f\s]*$/i }),
    daysFilter(texts.range),
    flagFilter('failed', texts.onlyFailed),
  ],
  columns: [
    { key: 'at', title: texts.at, width: 220, mono: true, cell: (row) => `${dateTime(row.at).slice(0, 10)} ${preciseTime(row.at)}` },
    {
      key: 'direction',
      title: texts.direction,
      width: 92,
      cell: (row, { say }) => (
        <span className={styles['direction']} data-direction={row.direction}>
          {row.direction === 'down' ? <ArrowUpRight size={14} aria-hidden="true" /> : <ArrowDownLeft size={14} aria-hidden="true" />}
          {say(texts[row.direction])}
        </span>
      ),
    },
    { key: 'channel', title: texts.channel, width: 84, cell: (row, { say }) => say(texts[`channel_${row.channel}`]) },
    { key: 'meterSn', title: texts.meterSn, width: 140, cell: (row) => (row.meterSn === null ? '—' : <Sn sn={row.meterSn} />) },
    { key: 'service', title: texts.service, width: 160, mono: true, value: (row) => row.service },
    { key: 'hex', title: texts.message, mono: true, cell: (row) => <span className={styles['hex']}>{spaced(row.hex)}</span> },
    {
      key: 'octets',
      title: texts.octets,
      width: 72,
      low: true,
      align: 'right',
      value: (row) => row.octets,
      decimals: 0,
    },
    {
      key: 'latencyMs',
      title: texts.latency,
      width: 104,
      low: true,
      align: 'right',
      value: (row) => row.latencyMs,
      decimals: 0,
    },
    {
      key: 'session',
      title: texts.session,
      width: 84,
      low: true,
      align: 'right',
      value: (row) => row.sessionId,
      cell: (row) => row.sessionId ?? '—',
    },
    {
      key: 'task',
      title: texts.task,
      width: 92,
      align: 'right',
      value: (row) => row.taskId,
      // Every kind of run is shown like a reading: devices, results and reasons.
      cell: (row) =>
        row.taskId === null ? (
          '—'
        ) : (
          <Link to={to.onDemandReading({ task: row.taskId })} onClick={(event) => event.stopPropagation()}>
            #{row.taskId}
          </Link>
        ),
    },
    {
      key: 'result',
      title: texts.result,
      width: 150,
      cell: (row, { say }) => <span className={styles['failed']}>{resultText(row.result, say)}</span>,
    },
    { key: 'note', title: texts.note, width: 150, value: (row) => row.note },
  ],
  onRow: {
    key: 'open',
    label: texts.message,
    icon: FileSearch,
    right: dcuLog.get,
    act: { kind: 'show', change: ({ id }) => ({ frame: id }) },
  },
  export: dcuLogExport,
  empty: texts.nothing,
  emptyHint: texts.isOffHint,
});
