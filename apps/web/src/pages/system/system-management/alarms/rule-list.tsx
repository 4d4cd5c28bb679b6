import { alarmRule, type AlarmRuleRow } from '@hes/contract/alarm/rule.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { ABNORMAL_LEVEL_TEXT } from '@hes/contract/states/anomaly.ts';
import { ALARM_RULE_KIND_TEXT, ALARM_SOURCE_TEXT } from '@hes/contract/states/alarm.ts';
import { Pause, Play, Trash2 } from 'lucide-react';
import { Num } from '#kit/basics/text.tsx';
import { defineAction } from '#kit/list/action.ts';
import { textFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { editAction } from '#kit/list/usual-actions.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import { RuleForm } from './rule-form.tsx';
import { RULE } from './signs.ts';

const pause = defineAction<AlarmRuleRow, typeof alarmRule.pause>({
  key: 'pause',
  label: texts.pause,
  icon: Pause,
  when: ({ state }) => state === 'running',
  route: alarmRule.pause,
  order: ({ id }) => ({ params: { id } }),
  confirm: { title: texts.pauseRuleTitle, effect: texts.pauseRuleEffect },
  done: texts.rulePaused,
});

const resume = defineAction<AlarmRuleRow, typeof alarmRule.resume>({
  key: 'resume',
  label: texts.resume,
  icon: Play,
  when: ({ state }) => state === 'paused',
  route: alarmRule.resume,
  order: ({ id }) => ({ params: { id } }),
  done: texts.ruleResumed,
});

const remove = defineAction<AlarmRuleRow, typeof alarmRule.remove>({
  key: 'delete',
  label: texts.remove,
  icon: Trash2,
  isDanger: true,
  route: alarmRule.remove,
  order: ({ id }) => ({ params: { id } }),
  confirm: { title: texts.removeRuleTitle, effect: texts.removeRuleEffect },
  done: texts.ruleRemoved,
  removesRow: true,
});

/** What a rule looks for, in words. */
function selectionOf({ kind, sources, levels, codes, digestAt }: AlarmRuleRow, { say }: ListTools): string {
  if (kind === 'digest') return digestAt;
  const parts = [
    ...levels.map((level) => say(ABNORMAL_LEVEL_TEXT[level])),
    ...sources.map((source) => say(ALARM_SOURCE_TEXT[source])),
    ...codes,
  ];
  return parts.join(', ');
}

export const ruleList = defineList({
  route: alarmRule.list,
  path: PAGE_PATH.alarms,
  at: { tab: 'rules' },
  title: texts.rules,
  purpose: texts.rulesPurpose,
  rowName: (row) => row.name,
  reloads: '/manager/alarm',
  filters: [textFilter('search', texts.name)],
  columns: [
    { key: 'name', title: texts.name, width: 180, value: (row) => row.name },
    {
      key: 'kind',
      title: texts.kind,
      width: 120,
      words: (row, { say }) => say(ALARM_RULE_KIND_TEXT[row.kind]),
      cell: (row, { say }) => say(ALARM_RULE_KIND_TEXT[row.kind]),
    },
    { key: 'state', title: texts.state, width: 120, value: (row) => row.state, cell: (row) => <StateOf sign={RULE[row.state]} /> },
    {
      key: 'selection',
      title: texts.selection,
      width: 360,
      words: selectionOf,
      cell: (row, tools) => <span title={selectionOf(row, tools)}>{selectionOf(row, tools)}</span>,
    },
    {
      key: 'steps',
      title: texts.steps,
      width: 90,
      align: 'right',
      value: (row) => row.steps.length,
      cell: (row) => <Num value={row.steps.length} />,
    },
    { key: 'open', title: texts.openAlarms, width: 120, align: 'right', value: (row) => row.open, cell: (row) => <Num value={row.open} /> },
    { key: 'lastAlarmAt', title: texts.lastAlarm, width: 160, time: (row) => row.lastAlarmAt },
    { key: 'createdAt', title: texts.created, width: 160, low: true, time: (row) => row.createdAt },
  ],
  actions: [editAction(alarmRule.update, RuleForm), pause, resume, remove],
  add: { label: texts.addRule, right: alarmRule.create, Form: RuleForm, done: texts.ruleAdded },
  empty: texts.noRules,
  emptyHint: texts.noRulesHint,
});
