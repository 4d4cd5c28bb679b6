import { TYPES_OF_DCUS, type PlanExecution, type PlanTarget, type PlanType } from '@hes/contract/states/plan.ts';

/** A plan with the fields that its runs need. */
export interface StoredPlan {
  id: string;
  name: string;
  type: PlanType;
  schedule: string;
  lookBackDays: number;
  priority: number;
  targetKind: PlanTarget;
  targetIds: string[];
  /** Keys of reading items. */
  items: string[];
  retryCount: number | null;
  retryIntervalMin: number | null;
  execution: PlanExecution;
  /** Local time, `HH:MM`. */
  windowFrom: string | null;
  windowTo: string | null;
}

/** Kind and parameters of the task items of a plan. */
export interface PlanWork {
  kind: string;
  deviceKind: 'meter' | 'dcu';
  params: Record<string, unknown>;
}

const KINDS: Record<PlanType, string> = {
  daily: 'collect',
  monthly: 'collect',
  energy: 'collect',
  lpa: 'collect',
  lpb: 'collect',
  events: 'events',
  registers: 'registers',
  clock_check: 'clock_read',
  clock_sync: 'clock_sync',
  archive_check: 'archive_compare',
  topology: 'topology',
  modules: 'modules',
};

/** The kind of task items for a type of plan. */
export const kindOf = (type: PlanType): string => KINDS[type];

function paramsOf({ type, items, lookBackDays, execution }: WorkedPlan): Record<string, unknown> {
  if (type === 'registers') return { items, store: true };
  // A deviation above the limit needs an operator, who orders the correction from the list of clocks.
  if (type === 'clock_sync') return { method: 'auto', isConfirmed: false };
  if (type === 'events') return { lookBackDays };
  if (kindOf(type) !== 'collect') return {};
  const cache = { hes_pull: {}, cache_then_hes: { fromCache: true }, dcu_task: { fromCache: true, cacheOnly: true } }[execution];
  return { profiles: [type], lookBackDays, ...cache };
}

type WorkedPlan = Pick<StoredPlan, 'type' | 'lookBackDays' | 'items' | 'retryCount' | 'retryIntervalMin' | 'execution'>;

/** The task items of a plan. */
export function workOf(plan: WorkedPlan): PlanWork {
  const retry = plan.retryCount === null ? {} : { retry: { count: plan.retryCount, intervalMinutes: plan.retryIntervalMin ?? 1 } };
  const deviceKind = TYPES_OF_DCUS.includes(plan.type) ? 'dcu' : 'meter';
  return { kind: kindOf(plan.type), deviceKind, params: { ...paramsOf(plan), ...retry } };
}

const profilesOf = (work: PlanWork): unknown[] => (Array.isArray(work.params['profiles']) ? work.params['profiles'] : []);

/** Merges the work of plans that share a task, so that one association reads all profiles of a meter. */
export function mergedWork(works: PlanWork[]): PlanWork | undefined {
  const [first] = works;
  if (first === undefined || works.length === 1) return first;
  return { ...first, params: { ...first.params, profiles: works.flatMap(profilesOf) } };
}

/** Due plans with equal keys share one task. */
export function togetherKey(plan: StoredPlan, work: PlanWork): string {
  const { priority, lookBackDays, targetKind, targetIds, retryCount, retryIntervalMin, windowFrom, windowTo, execution } = plan;
  const shared = [priority, lookBackDays, targetKind, targetIds, retryCount, retryIntervalMin, windowFrom, windowTo, execution];
  return JSON.stringify(work.kind === 'collect' ? shared : [plan.id]);
}
