import { plan, planExport, type PlanRow } from '@hes/contract/reading/plan.ts';
import { YES_NO, say, type Locale } from '@hes/contract/core/text.ts';
import { parseSchedule } from '@hes/contract/schedule/expression.ts';
import { sentenceOf } from '@hes/contract/schedule/sentence.ts';
import { TASK_TEXT } from '@hes/contract/text/device-text.ts';
import { PLAN_EXECUTION_TEXT, PLAN_TARGET_TEXT, PLAN_TYPE_TEXT, PLAN_WORDS } from '@hes/contract/states/plan.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listPlans } from './queries.ts';

/** An invalid schedule is exported as its text. */
function wordsOf(schedule: string, locale: Locale): string {
  try {
    return sentenceOf(parseSchedule(schedule), locale);
  } catch (error) {
    if (error instanceof RangeError) return schedule;
    throw error;
  }
}

function resultOf(run: PlanRow['lastRun'], locale: Locale): string | null {
  if (run === null) return null;
  if (run.state === 'skipped')
    return [PLAN_WORDS.skipped, PLAN_WORDS[run.reason ?? 'still_running']].map((word) => say(word, locale)).join(': ');
  return run.taskState && say(TASK_TEXT[run.taskState], locale);
}

/** Rounded down as on the screen, so that 100 means all. */
const percentOf = (run: PlanRow['lastRun']): number | null => (run?.total ? Math.floor(((run.ok ?? 0) / run.total) * 1000) / 10 : null);

/** Export of the list of collection plans. */
export const planSheet = defineExport({
  routes: planExport,
  list: plan.list,
  title: { en: 'Collect plans', zh: '采集方案' },
  columns: {
    name: { label: { en: 'Name', zh: '名称' }, cell: (row) => row.name },
    type: { label: { en: 'Type', zh: '类型' }, cell: (row, locale) => say(PLAN_TYPE_TEXT[row.type], locale) },
    targetKind: { label: { en: 'Target kind', zh: '对象类别' }, cell: (row, locale) => say(PLAN_TARGET_TEXT[row.targetKind], locale) },
    targets: {
      label: { en: 'Targets', zh: '采集对象' },
      cell: (row, locale) => (row.targetKind === 'all' ? say(PLAN_TARGET_TEXT.all, locale) : row.targetNames.join(', ')),
    },
    meters: { label: { en: 'Meters', zh: '电表数' }, cell: (row) => row.meters },
    schedule: { label: { en: 'Schedule', zh: '执行计划' }, cell: (row, locale) => `${wordsOf(row.schedule, locale)} (${row.schedule})` },
    items: { label: { en: 'Items', zh: '采集项' }, cell: (row) => row.items.join(', ') },
    lookBackDays: { label: { en: 'Look-back (days)', zh: '回溯天数' }, cell: (row) => row.lookBackDays },
    execution: { label: { en: 'Execution', zh: '执行方式' }, cell: (row, locale) => say(PLAN_EXECUTION_TEXT[row.execution], locale) },
    retryCount: { label: { en: 'Retries', zh: '重试次数' }, cell: (row) => row.retryCount },
    retryInterval: { label: { en: 'Retry interval', zh: '重试间隔' }, unit: 'min', cell: (row) => row.retryIntervalMinutes },
    window: {
      label: { en: 'Time window', zh: '采集时间窗' },
      cell: (row, locale) => (row.windowFrom === null ? say(PLAN_WORDS.anyTime, locale) : `${row.windowFrom} – ${row.windowTo}`),
    },
    priority: { label: { en: 'Priority', zh: '优先级' }, cell: (row) => row.priority },
    enabled: { label: { en: 'Enabled', zh: '启用' }, cell: (row, locale) => say(YES_NO[`${row.enabled}`], locale) },
    nextRunAt: { label: { en: 'Next run', zh: '下次执行' }, kind: 'time', cell: (row) => row.nextRunAt },
    lastRunAt: { label: { en: 'Last run', zh: '上次执行' }, kind: 'time', cell: (row) => row.lastRun?.at ?? null },
    lastResult: { label: { en: 'Last result', zh: '上次结果' }, cell: (row, locale) => resultOf(row.lastRun, locale) },
    success: { label: { en: 'Success', zh: '成功率' }, unit: '%', cell: (row) => percentOf(row.lastRun) },
    succeeded: { label: { en: 'Succeeded', zh: '成功数' }, cell: (row) => row.lastRun?.ok ?? null },
    owner: {
      label: { en: 'Owner', zh: '负责人' },
      cell: (row, locale) => row.ownerName ?? (row.isBuiltin ? say(PLAN_WORDS.builtin, locale) : null),
    },
  },
  page: ({ ctx, user, query }) => listPlans(ctx.db, user, query),
});
