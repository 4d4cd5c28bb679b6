import { RUNNABLE_PLAN_TYPES, type PlanTarget, type PlanType } from '@hes/contract/states/plan.ts';

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
  /** `HH:MM`, local. */
  windowFrom: string | null;
  windowTo: string | null;
}

export const PLAN_COLUMNS = `p.id, p.name, p.type, p.schedule, p.look_back_days as "lookBackDays", p.priority, p.target_kind as "targetKind",
  p.target_ids::text[] as "targetIds", p.retry_count as "retryCount", p.retry_interval_min as "retryIntervalMin",
  p.window_from as "windowFrom", p.window_to as "windowTo",
  array(select o.key from collect_plan_item i join obis_code o on o.id = i.obis_id where i.plan_id = p.id order by i.sort) as items`;

/** What the queue is told to do with each meter. */
export interface PlanWork {
  kind: string;
  params: Record<string, unknown>;
}

const CLOCK_ITEM = 'CLOCK';

/** The work of a plan; undefined when the head-end cannot do this type. */
export function workOf(
  plan: Pick<StoredPlan, 'type' | 'lookBackDays' | 'items' | 'retryCount' | 'retryIntervalMin'>,
): PlanWork | undefined {
  if (!RUNNABLE_PLAN_TYPES.includes(plan.type)) return undefined;
  const retry = plan.retryCount === null ? {} : { retry: { count: plan.retryCount, intervalMinutes: plan.retryIntervalMin ?? 1 } };
  if (plan.type === 'registers') return { kind: 'registers', params: { items: plan.items, store: true, ...retry } };
  if (plan.type === 'clock_check') return { kind: 'registers', params: { items: [CLOCK_ITEM], store: true, ...retry } };
  return { kind: 'collect', params: { profiles: [plan.type], lookBackDays: plan.lookBackDays, ...retry } };
}

const profilesOf = (work: PlanWork): unknown[] => (Array.isArray(work.params['profiles']) ? work.params['profiles'] : []);

/** Profiles of the same meters are read in one association: the work of plans that may share a task. */
export function mergedWork(works: PlanWork[]): PlanWork | undefined {
  const [first] = works;
  if (first === undefined || works.length === 1) return first;
  return { kind: first.kind, params: { ...first.params, profiles: works.flatMap(profilesOf) } };
}

/** Plans with the same answer here become one task when they are due together. */
export function togetherKey(plan: StoredPlan, work: PlanWork): string {
  const { priority, lookBackDays, targetKind, targetIds, retryCount, retryIntervalMin, windowFrom, windowTo } = plan;
  const shared = [priority, lookBackDays, targetKind, targetIds, retryCount, retryIntervalMin, windowFrom, windowTo];
  return JSON.stringify(work.kind === 'collect' ? shared : [plan.id]);
}
