import { plan, planExport, planImport } from '@hes/contract/reading/plan.ts';
import { PLAN_TYPE_TEXT, PLAN_TYPES } from '@hes/contract/states/plan.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { dateTime } from '#core/time/format.ts';
import { DueAt } from '#kit/basics/due-at.tsx';
import { Num } from '#kit/basics/text.tsx';
import { choiceFilter, textFilter, yesNoFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { TASK } from '#domain/states/tables.ts';
import { planActions } from './actions.tsx';
import { EnabledSwitch, ScheduleCell } from './cells.tsx';
import { texts } from './messages.ts';
import { PlanForm } from './plan-form.tsx';
import { PlanPane } from './plan-pane.tsx';
import { ownerOf, rateOf, resultOf, targetsOf, windowOf } from './plan-texts.tsx';

const RESULTS = ['waiting', 'running', 'paused', 'finished', 'partly_failed', 'failed', 'cancelled'] as const;

export const planList = defineList({
  route: plan.list,
  path: PAGE_PATH.plans,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row) => row.name,
  refetchMs: 10_000,
  filters: [
    textFilter('name', texts.name),
    choiceFilter('type', texts.type, PLAN_TYPES, { textOf: (type) => PLAN_TYPE_TEXT[type], width: 170 }),
    yesNoFilter('enabled', texts.enabled, { yes: texts.enabled, no: texts.disabled, width: 130 }),
    choiceFilter('lastResult', texts.lastResult, RESULTS, { textOf: (state) => TASK[state].text, width: 150 }),
  ],
  columns: [
    { key: 'name', title: texts.name, width: 170, sort: 'name', cell: (row) => <b title={row.name}>{row.name}</b> },
    { key: 'type', title: texts.type, width: 116, sort: 'type', cell: (row, { say }) => say(PLAN_TYPE_TEXT[row.type]) },
    { key: 'targets', title: texts.targets, width: 140, low: true, cell: (row, { say }) => targetsOf(row, say) },
    {
      key: 'meters',
      title: texts.meters,
      width: 92,
      align: 'right',
      value: (row) => row.meters,
      cell: (row) => <Num value={row.meters} />,
    },
    { key: 'schedule', title: texts.schedule, width: 300, cell: (row) => <ScheduleCell schedule={row.schedule} /> },
    { key: 'window', title: texts.window, width: 116, low: true, cell: (row, { say }) => windowOf(row, say) },
    {
      key: 'priority',
      title: texts.priority,
      width: 88,
      align: 'right',
      sort: 'priority',
      low: true,
      value: (row) => row.priority,
      cell: (row) => row.priority,
    },
    { key: 'enabled', title: texts.enabled, width: 76, cell: (row) => <EnabledSwitch row={row} /> },
    {
      key: 'nextRunAt',
      title: texts.nextRun,
      width: 178,
      sort: 'nextRunAt',
      cell: (row) => (row.nextRunAt ? <DueAt at={row.nextRunAt} /> : '—'),
    },
    {
      key: 'lastRunAt',
      title: texts.lastRun,
      width: 178,
      sort: 'lastRunAt',
      low: true,
      cell: (row, { say }) => (row.lastRun ? dateTime(row.lastRun.at) : say(texts.never)),
    },
    {
      key: 'lastResult',
      title: texts.lastResult,
      width: 120,
      low: true,
      cell: (row, { say }) => (row.lastRun ? resultOf(row.lastRun, say) : '—'),
    },
    {
      key: 'success',
      title: texts.success,
      width: 76,
      align: 'right',
      value: (row) => row.lastRun?.ok,
      cell: (row) => rateOf(row.lastRun),
    },
    {
      key: 'owner',
      title: texts.owner,
      width: 140,
      low: true,
      cell: (row, { say }) => <span title={row.isBuiltin ? say(texts.builtin) : undefined}>{ownerOf(row, say) ?? '—'}</span>,
    },
  ],
  actions: planActions,
  add: { label: texts.add, right: plan.create, Form: PlanForm, done: texts.saved },
  export: planExport,
  import: { routes: planImport, what: texts.what },
  Pane: PlanPane,
  opensFirst: true,
  empty: texts.none,
});
