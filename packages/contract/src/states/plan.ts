import type { Text } from '../core/text.ts';

const table = <const K extends string>(texts: Record<K, Text>): Record<K, Text> => texts;

export const PLAN_TYPE_TEXT = table({
  daily: { en: 'Daily freeze', zh: '日冻结' },
  monthly: { en: 'Monthly billing', zh: '月结算' },
  energy: { en: 'Energy profile', zh: '电能曲线' },
  lpa: { en: 'Load profile A', zh: '负荷曲线A' },
  lpb: { en: 'Load profile B', zh: '负荷曲线B' },
  events: { en: 'Event logs', zh: '事件记录' },
  registers: { en: 'Instant values', zh: '瞬时量' },
  clock_check: { en: 'Clock check', zh: '时钟检查' },
  clock_sync: { en: 'Clock Synchronization', zh: '时钟同步' },
  archive_check: { en: 'Archive check', zh: '档案检查' },
  topology: { en: 'Topology snapshot', zh: '拓扑快照' },
  modules: { en: 'Module inventory', zh: '模块清单' },
});
export type PlanType = keyof typeof PLAN_TYPE_TEXT;
export const PLAN_TYPES = Object.keys(PLAN_TYPE_TEXT) as [PlanType, ...PlanType[]]; // keys of that very object

/** Types that read DCUs, each once, rather than meters. */
export const TYPES_OF_DCUS: readonly PlanType[] = ['archive_check', 'topology', 'modules'];
/** Types that read the objects chosen in the plan. */
export const TYPES_WITH_ITEMS: readonly PlanType[] = ['registers'];
/** Types that read a range of past days. */
export const TYPES_WITH_DAYS: readonly PlanType[] = ['daily', 'monthly', 'energy', 'lpa', 'lpb', 'events'];
const LONGEST_MONTH_DAYS = 31;
/** Number of past days that a run reads. A billing value remains readable until the next one, so a missed day can be caught up. */
export const daysBackOf = (type: PlanType, lookBackDays: number): number =>
  type === 'monthly' ? Math.max(LONGEST_MONTH_DAYS, lookBackDays) : lookBackDays;

export const PLAN_TARGET_TEXT = table({
  all: { en: 'All meters', zh: '全部电表' },
  level: { en: 'Levels', zh: '层级' },
  transformer: { en: 'Transformers', zh: '变压器' },
  dcu: { en: 'DCUs', zh: '集中器' },
  meter_type: { en: 'Meter types', zh: '电表类型' },
  meter: { en: 'Meter list', zh: '电表清单' },
});
export type PlanTarget = keyof typeof PLAN_TARGET_TEXT;
export const PLAN_TARGETS = Object.keys(PLAN_TARGET_TEXT) as [PlanTarget, ...PlanTarget[]]; // keys of that very object

/** Texts in lists of plans in place of a value. */
export const PLAN_WORDS = table({
  anyTime: { en: 'Any time', zh: '不限' },
  builtin: { en: 'Built-in', zh: '系统内置' },
  never: { en: 'Never', zh: '从未' },
  skipped: { en: 'Skipped', zh: '已跳过' },
  still_running: { en: 'previous still running', zh: '上次执行未结束' },
  no_targets: { en: 'no meter in use', zh: '无在用电表' },
});

export const PLAN_EXECUTION_TEXT = table({
  hes_pull: { en: 'Head-end reads', zh: '主站采集' },
  dcu_task: { en: 'DCU task', zh: '集中器任务' },
  cache_then_hes: { en: 'DCU cache, then head-end', zh: '先读集中器缓存，再由主站采集' },
});
export type PlanExecution = keyof typeof PLAN_EXECUTION_TEXT;
export const PLAN_EXECUTIONS = Object.keys(PLAN_EXECUTION_TEXT) as [PlanExecution, ...PlanExecution[]]; // keys of that very object
/** Types whose results a DCU can cache. Month ends are part of the daily freezes. */
export const CACHED_TYPES = ['daily', 'monthly', 'energy', 'lpa', 'lpb'] as const satisfies readonly PlanType[];
export type CachedType = (typeof CACHED_TYPES)[number];
export const isCachedType = (type: string): type is CachedType => CACHED_TYPES.some((cached) => cached === type);

export const executionsOf = (type: PlanType): readonly PlanExecution[] =>
  isCachedType(type) ? ['hes_pull', 'dcu_task', 'cache_then_hes'] : ['hes_pull', 'cache_then_hes'];
