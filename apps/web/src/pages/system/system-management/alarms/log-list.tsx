import { alarm, alarmExport, type AlarmRow } from '@hes/contract/alarm/alarm.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { ABNORMAL_LEVEL_TEXT } from '@hes/contract/states/anomaly.ts';
import { ALARM_RULE_KIND_TEXT, ALARM_STATE_TEXT } from '@hes/contract/states/alarm.ts';
import { Check } from 'lucide-react';
import { Num } from '#kit/basics/text.tsx';
import { defineAction } from '#kit/list/action.ts';
import { textFilter, wordFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { AlarmPane } from './alarm-pane.tsx';
import { codeName } from './code-name.ts';
import { texts } from './messages.ts';
import { ALARM, DELIVERY } from './signs.ts';

const POLL_MS = 3000;

const acknowledge = defineAction<AlarmRow, typeof alarm.acknowledge>({
  key: 'acknowledge',
  label: texts.acknowledge,
  icon: Check,
  when: ({ kind, state }) => kind === 'alarm' && state !== 'acknowledged' && state !== 'closed',
  route: alarm.acknowledge,
  order: ({ id }) => ({ params: { id } }),
  done: texts.acknowledged,
});

const nameOf = (row: AlarmRow, { say }: ListTools) => say(row.kind === 'digest' ? ALARM_RULE_KIND_TEXT.digest : codeName(row));

/** Alarms, newest first; the pane has the messages of one. */
export const logList = defineList({
  route: alarm.list,
  path: PAGE_PATH.alarms,
  title: texts.title,
  purpose: texts.purpose,
  label: texts.log,
  rowName: nameOf,
  reloads: '/manager/alarm',
  refetchMs: POLL_MS,
  filters: [textFilter('search', texts.rule), wordFilter('state', texts.state, ALARM_STATE_TEXT)],
  columns: [
    { key: 'openedAt', title: texts.opened, width: 160, time: (row) => row.openedAt },
    {
      key: 'code',
      title: texts.what,
      width: 220,
      words: nameOf,
      cell: (row, tools) => <span title={nameOf(row, tools)}>{nameOf(row, tools)}</span>,
    },
    { key: 'state', title: texts.state, width: 130, value: (row) => row.state, cell: (row) => <StateOf sign={ALARM[row.state]} /> },
    {
      key: 'delivery',
      title: texts.delivery,
      width: 150,
      value: (row) => row.delivery,
      cell: (row) => <StateOf sign={DELIVERY[row.delivery]} />,
    },
    {
      key: 'level',
      title: texts.level,
      width: 100,
      words: (row, { say }) => (row.level === null ? '' : say(ABNORMAL_LEVEL_TEXT[row.level])),
      cell: (row, { say }) => (row.level === null ? '—' : say(ABNORMAL_LEVEL_TEXT[row.level])),
    },
    {
      key: 'meters',
      title: texts.meters,
      width: 90,
      align: 'right',
      value: (row) => row.meters,
      cell: (row) => <Num value={row.meters} />,
    },
    { key: 'dcus', title: texts.dcus, width: 80, align: 'right', value: (row) => row.dcus, cell: (row) => <Num value={row.dcus} /> },
    {
      key: 'events',
      title: texts.events,
      width: 90,
      align: 'right',
      value: (row) => row.events,
      cell: (row) => <Num value={row.events} />,
    },
    { key: 'rule', title: texts.rule, width: 160, value: (row) => row.ruleName },
    { key: 'nextStepAt', title: texts.nextStep, width: 160, time: (row) => row.nextStepAt },
    { key: 'lastAt', title: texts.lastEvent, width: 160, low: true, time: (row) => row.lastAt },
    { key: 'acknowledgedBy', title: texts.acknowledgedByTitle, width: 140, low: true, value: (row) => row.acknowledgedByName },
    { key: 'acknowledgedAt', title: texts.acknowledgedAt, width: 160, low: true, time: (row) => row.acknowledgedAt },
  ],
  actions: [acknowledge],
  export: alarmExport,
  Pane: AlarmPane,
  isPaneOfRow: true,
  empty: texts.noAlarms,
  emptyHint: texts.noAlarmsHint,
});
