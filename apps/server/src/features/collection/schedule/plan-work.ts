import { TYPES_OF_DCUS, type PlanExecution, type PlanTarget, type PlanType } from '@hes/contract/states/plan.ts';

/** A plan as its runs need it. */
export interface StoredPlan {
  id: string;
  name: string;
  type: PlanType;
  schedule: string;
  lookBackDays: number;
  priority: number;
  targetKind: PlanTarget;
  targetIds: string[];
  /** Keys of the dictionary. */
  items: string[];
  retryCount: number | null;
  retryIntervalMin: number | null;
  execution: PlanExecution;
  /** `HH:MM`, local. */
  windowFrom: string | null;
  windowTo: string | null;
}

export const PLAN_COLUMNS = `p.id, p.name, p.type, p.schedule, p.look_back_days as "lookBackDays", p.priority, p.target_kind as "targetKind",
  p.target_ids::text[] as "targetIds", p.retry_count as "retryCount", p.retry_interval_min as "retryIntervalMin",
  p.execution, p.window_from as "windowFrom", p.window_to as "windowTo",
  array(select o.key from collect_plan_item i join obis_code o on o.id = i.obis_id where i.plan_id = p.id order by i.sort) as items`;

/** What the queue is told to do with each meter. */
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

/** The kind of items that plans of a type make. */
export const kindOf = (type: PlanType): string => KINDS[type];

function paramsOf({ type, items, lookBackDays, execution }: WorkedPlan): Record<string, unknown> {
  if (type === 'registers') return { items, store: true };
  // What is off by more than the limit waits for a person, who orders it from the list of clocks.
  if (type === 'clock_sync') return { method: 'auto', isConfirmed: false };
  if (type === 'events') return { lookBackDays };
  if (kindOf(type) !== 'collect') return {};
  const cache = { hes_pull: {}, cache_then_hes: { fromCache: true }, dcu_task: { fromCache: true, cacheOnly: true } }[execution];
  return { profiles: [type], lookBackDays, ...cache };
}

type WorkedPlan = Pick<StoredPlan, 'type' | 'lookBackDays' | 'items' | 'retryCount' | 'retryIntervalMin' | 'execution'>;

/** The work of a plan. */
export function workOf(plan: WorkedPlan): PlanWork {
  const retry = plan.retryCount === null ? {} : { retry: { count: plan.retryCount, intervalMinutes: plan.retryIntervalMin ?? 1 } };
  const deviceKind = TYPES_OF_DCUS.includes(plan.type) ? 'dcu' : 'meter';
  return { kind: kindOf(plan.type), deviceKind, params: { ...paramsOf(plan), ...retry } };
}

const profilesOf = (work: PlanWork): unknown[] => (Array.isArray(work.params['profiles']) ? work.params['profiles'] : []);

/** Profiles of the same meters are read in one association: the work of plans that may share a task. */
export function mergedWork(works: PlanWork[]): PlanWork | undefined {
  const [first] = works;
  if (first === undefined || works.length === 1) return first;
  return { ...first, params: { ...first.params, profiles: works.flatMap(profilesOf) } };
}

/** Plans with the same answer here become one task when they are due together. */
export function togetherKey(plan: StoredPlan, work: PlanWork): string {
  const { priority, lookBackDays, targetKind, targetIds, retryCount, retryIntervalMin, windowFrom, windowTo, execution } = plan;
  const shared = [priority, lookBackDays, targetKind, targetIds, retryCount, retryIntervalMin, windowFrom, windowTo, execution];
  return JSON.stringify(work.kind === 'collect' ? shared : [plan.id]);
}
