import { nameText } from '@hes/contract/core/text.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { newPlan, planImport, type PlanFields } from '@hes/contract/reading/plan.ts';
import { PLAN_EXECUTION_TEXT, PLAN_TARGET_TEXT, PLAN_TYPE_TEXT } from '@hes/contract/states/plan.ts';
import { z } from 'zod';
import { refuseDuplicate } from '#db/unique.ts';
import { choiceCell, numberCell, optionalCell, textCell, yesNoCell } from '#transfer/import/cells.ts';
import { defineImport, type ImportEnvironment, type Judgement } from '#transfer/import/define-import.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Db } from '#db/context.ts';
import { findPlansByName, type NamedPlan } from './queries.ts';
import { replacePlan, addPlan, PLAN_NAME, soundPlan, type SoundPlan } from './service.ts';
import { findTargets } from './targets-queries.ts';

const MAX_PLANS = 500;
const UNKNOWN_TARGET = { en: 'There is no target called {name}', zh: '采集对象“{name}”不存在' };

const { name, lookBackDays, retryCount, retryIntervalMinutes, priority } = newPlan.shape;
const list = z.string().transform((text) => text.split(/[,，;；]/).flatMap((part) => part.trim() || []));
/** Exported files contain a description followed by the expression in parentheses. */
const schedule = textCell(512).transform((text) => /\(([^()]+)\)$/.exec(text)?.[1] ?? text);
const WINDOW = /^(\d{2}:\d{2})\s*[–-]\s*(\d{2}:\d{2})$/;
const timeWindow = z
  .string()
  .regex(/^$|^\d{2}:\d{2}\s*[–-]\s*\d{2}:\d{2}$/, RULES.timeWindow.en)
  .transform((text) => WINDOW.exec(text)?.slice(1) ?? []);

const columns = {
  name: { label: { en: 'Name', zh: '名称' }, schema: name, example: 'Daily freeze', required: true },
  type: { label: { en: 'Type', zh: '类型' }, schema: choiceCell(PLAN_TYPE_TEXT), example: 'daily', required: true },
  targetKind: { label: { en: 'Target kind', zh: '对象类别' }, schema: choiceCell(PLAN_TARGET_TEXT), example: 'all', required: true },
  targets: { label: { en: 'Targets', zh: '采集对象' }, schema: list, example: '' },
  items: { label: { en: 'Items', zh: '采集项' }, schema: list, example: '' },
  schedule: { label: { en: 'Schedule', zh: '执行计划' }, schema: schedule, example: '0 30 0 * * ? *', required: true },
  lookBackDays: {
    label: { en: 'Look-back (days)', zh: '回溯天数' },
    schema: optionalCell(numberCell(lookBackDays.unwrap())),
    example: '1',
  },
  execution: {
    label: { en: 'Execution', zh: '执行方式' },
    schema: optionalCell(choiceCell(PLAN_EXECUTION_TEXT)),
    example: 'cache_then_hes',
  },
  retryCount: { label: { en: 'Retries', zh: '重试次数' }, schema: optionalCell(numberCell(retryCount.unwrap().unwrap())), example: '3' },
  retryInterval: {
    label: { en: 'Retry interval (min)', zh: '重试间隔 (min)' },
    schema: optionalCell(numberCell(retryIntervalMinutes.unwrap().unwrap())),
    example: '15',
  },
  window: { label: { en: 'Time window', zh: '采集时间窗' }, schema: timeWindow, example: '00:30–06:00' },
  priority: { label: { en: 'Priority', zh: '优先级' }, schema: optionalCell(numberCell(priority.unwrap())), example: '5' },
  enabled: { label: { en: 'Enabled', zh: '启用' }, schema: yesNoCell, example: 'yes', required: true },
};

type Row = { [K in keyof typeof columns]: z.output<(typeof columns)[K]['schema']> };
type Imported = SoundPlan & { known: NamedPlan | undefined };

/** The fields of a line. Empty ones take the defaults of the form, but an empty window means no window, as in the export. */
function fieldsOf(row: Row, targetIds: string[]) {
  const [windowFrom = null, windowTo = null] = row.window;
  const given = {
    lookBackDays: row.lookBackDays ?? undefined,
    execution: row.execution ?? undefined,
    priority: row.priority ?? undefined,
  };
  const { name: called, type, targetKind, items, schedule: expression, retryCount: count, retryInterval, enabled } = row;
  const common = { name: called, type, targetKind, targetIds, items, schedule: expression, windowFrom, windowTo, enabled };
  return newPlan.safeParse({ ...common, ...given, retryCount: count, retryIntervalMinutes: retryInterval });
}

async function judgeRow({ ctx, who }: ImportEnvironment, db: Db, row: Row, known: NamedPlan | undefined): Promise<Judgement<Imported>> {
  const found = await findTargets(db, who.user, row.targetKind, row.targets);
  const missing = row.targetKind === 'all' ? undefined : row.targets.find((target) => !found.has(target.toLowerCase()));
  if (missing !== undefined) return { verdict: 'error', issues: [{ column: 'targets', text: UNKNOWN_TARGET, params: { name: missing } }] };
  const parsed = fieldsOf(row, [...found.values()]);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path: [field], message }) => ({
      column: field === 'targetIds' ? 'targets' : field === 'windowFrom' ? 'window' : String(field),
      text: Object.values(RULES).find((rule) => rule.en === message) ?? nameText(message),
    }));
    return { verdict: 'error', issues };
  }
  try {
    const plan: PlanFields = parsed.data;
    return { verdict: known === undefined ? 'new' : 'update', plan: { ...(await soundPlan(ctx, db, who, plan, known)), known } };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { verdict: 'error', issues: [{ text: error.text }] };
  }
}

/** Import of plans by name: creates new ones and updates others. */
export const planList = defineImport<typeof columns, Imported>({
  routes: planImport,
  title: { en: 'Collect plans', zh: '采集方案' },
  columns,
  maxRows: MAX_PLANS,
  unique: ['name'],
  async judge(environment, db, rows) {
    const known = await findPlansByName(
      db,
      rows.map((row) => row.name),
    );
    const judgements: Judgement<Imported>[] = [];
    for (const row of rows) judgements.push(await judgeRow(environment, db, row, known.get(row.name.toLowerCase())));
    return judgements;
  },
  async write({ who, now }, tx, plans) {
    for (const { known, ...sound } of plans) {
      const written = known === undefined ? addPlan(tx, who, sound, now) : replacePlan(tx, who, known.id, sound, now);
      await refuseDuplicate({ field: 'name', label: PLAN_NAME, value: sound.plan.name }, written);
    }
  },
});
