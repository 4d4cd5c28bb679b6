import type { PlanFields, PlanRow } from '@hes/contract/reading/plan.ts';
import { faultIn, SCHEDULE_FAULTS, type ScheduleRefusal } from '@hes/contract/schedule/check.ts';
import type { ScheduleField } from '@hes/contract/schedule/expression.ts';
import { expressionOf } from '@hes/contract/schedule/settings.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { executionsOf, TYPES_WITH_ITEMS } from '@hes/contract/states/plan.ts';
import { changedFields, writeAudit, type AuditEntry } from '#db/audit.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, Db, Tx, Who } from '#db/context.ts';
import { runPlanNow } from '#features/collection/schedule/plans.ts';
import { judgePlan } from './judge.ts';
import {
  deletePlan,
  findReadableKeys,
  getPlan,
  insertPlan,
  lockPlan,
  orderDcuTasks,
  setEnabled,
  updatePlan,
  type NamedPlan,
} from './queries.ts';
import { isOwnTarget, requireTargets } from './targets-queries.ts';

export const PLAN_NAME: Text = { en: 'Plan name', zh: '方案名称' };
const FIELD_TEXT: Record<ScheduleField, Text> = {
  second: { en: 'Second', zh: '秒' },
  minute: { en: 'Minute', zh: '分' },
  hour: { en: 'Hour', zh: '时' },
  day: { en: 'Day', zh: '日' },
  month: { en: 'Month', zh: '月' },
  weekday: { en: 'Weekday', zh: '周' },
  year: { en: 'Year', zh: '年' },
};

const refuseSchedule = ({ fault, field }: ScheduleRefusal): ApiError =>
  new ApiError('SCHEDULE_INVALID', { why: SCHEDULE_FAULTS[fault], field: FIELD_TEXT[field] }, 'schedule');

const audit = (tx: Tx, { user, ip }: Who, entry: Pick<AuditEntry, 'action' | 'entityId' | 'detail'>, now: number) =>
  writeAudit(tx, { userId: user.id, entity: 'collect_plan', ip, ...entry }, now);

/** Leaves the settings of the schedule builder out of the audit entry: they mean the same as the expression. */
const spokenOf = <P extends PlanFields>({ scheduleSettings: _, ...plan }: P) => plan;

/** Differences between two versions of a plan. Changed target ids include their kind, which gives them a meaning. */
function changesOf(before: PlanFields, after: PlanFields): Record<string, unknown> {
  const changes = changedFields({ ...before }, spokenOf(after)) as Record<'before' | 'after', Record<string, unknown>>; // as: the two keys that changedFields returns
  if (!('targetIds' in changes.after)) return changes;
  return {
    before: { ...changes.before, targetKind: before.targetKind },
    after: { ...changes.after, targetKind: after.targetKind },
  };
}

/** The next run of a plan. Rejects a schedule that never runs, and builder settings that contradict the expression. */
function nextRunOf(ctx: Context, plan: Pick<PlanFields, 'schedule' | 'scheduleSettings' | 'execution'>): Date {
  const fault = plan.scheduleSettings === null ? undefined : faultIn(plan.scheduleSettings);
  if (fault !== undefined) throw refuseSchedule(fault);
  if (plan.scheduleSettings !== null && expressionOf(plan.scheduleSettings) !== plan.schedule)
    throw refuseSchedule({ fault: 'unreadable', field: 'second' });
  const verdict = judgePlan(plan, ctx.clock.now(), ctx.settings.timeZone);
  if (!verdict.ok) throw refuseSchedule(verdict);
  return new Date(verdict.next);
}

type AimedPlan = Pick<PlanFields, 'name' | 'priority' | 'execution' | 'targetKind' | 'targetIds'>;

/** Queues the update of tasks in all DCUs that the old or new version of the plan reaches. `id` is null after its deletion. */
async function orderTaskUpdates(tx: Tx, { user, ip }: Who, id: string | null, versions: readonly AimedPlan[], now: number): Promise<void> {
  const [first, ...others] = versions.filter(({ execution }) => execution === 'dcu_task');
  if (first === undefined) return;
  const { name, priority } = first;
  const taskId = await orderDcuTasks(tx, { planId: id, name, priority, aims: [first, ...others], userId: user.id });
  if (taskId === undefined) return;
  const detail = { name, planId: id };
  await writeAudit(tx, { userId: user.id, action: 'dcu_tasks_ordered', entity: 'task', entityId: taskId, detail, ip }, now);
}

/** Checks of a plan that need the database. */
async function requireSound(db: Db, { user }: Who, plan: PlanFields): Promise<void> {
  if (!executionsOf(plan.type).includes(plan.execution)) throw new ApiError('EXECUTION_UNAVAILABLE', {}, 'execution');
  await requireTargets(db, user, plan.targetKind, plan.targetIds);
  const known = await findReadableKeys(db, plan.items);
  const unknown = plan.items.find((key) => !known.has(key));
  if (unknown !== undefined) throw new ApiError('UNKNOWN_ITEM', { item: unknown }, 'items');
}

/** Removes the items of a plan whose type has a fixed set of objects. */
const withOwnItems = <P extends PlanFields>(plan: P): P => (TYPES_WITH_ITEMS.includes(plan.type) ? plan : { ...plan, items: [] });

/** Locks and returns the plan. Rejects one that reaches beyond the caller's area. */
async function lockPlanForChange(tx: Tx, { user }: Who, id: string, version?: number): Promise<PlanRow> {
  if (!(await lockPlan(tx, id))) throw new ApiError('NOT_FOUND');
  const plan = await getPlan(tx, user, id);
  if (!(await isOwnTarget(tx, user, plan.targetKind, plan.targetIds))) throw new ApiError('BEYOND_OWN_RIGHTS');
  if (version !== undefined && plan.version !== version) throw stale(plan);
  return plan;
}

export interface SoundPlan {
  plan: PlanFields;
  nextRunAt: Date | null;
}

/** Validates a plan of an import file. Builder settings are kept as long as the schedule is unchanged. */
export async function soundPlan(ctx: Context, db: Db, who: Who, fields: PlanFields, known: NamedPlan | undefined): Promise<SoundPlan> {
  if (known !== undefined && !(await isOwnTarget(db, who.user, known.targetKind, known.targetIds))) throw new ApiError('BEYOND_OWN_RIGHTS');
  const scheduleSettings = known?.schedule === fields.schedule ? known.scheduleSettings : fields.scheduleSettings;
  const plan = withOwnItems({ ...fields, scheduleSettings });
  const next = nextRunOf(ctx, plan);
  await requireSound(db, who, plan);
  return { plan, nextRunAt: plan.enabled ? next : null };
}

export async function addPlan(tx: Tx, who: Who, { plan, nextRunAt }: SoundPlan, now: Date): Promise<string> {
  const id = await insertPlan(tx, plan, nextRunAt, who.user.id, now);
  await audit(tx, who, { action: 'plan_created', entityId: id, detail: { after: spokenOf(plan) } }, now.getTime());
  await orderTaskUpdates(tx, who, id, [plan], now.getTime());
  return id;
}

export async function replacePlan(tx: Tx, who: Who, id: string, { plan, nextRunAt }: SoundPlan, now: Date): Promise<string> {
  const before = await lockPlanForChange(tx, who, id);
  await updatePlan(tx, id, plan, nextRunAt, now);
  await audit(tx, who, { action: 'plan_changed', entityId: id, detail: changesOf(before, plan) }, now.getTime());
  await orderTaskUpdates(tx, who, id, [plan, before], now.getTime());
  return id;
}

export async function createPlan(ctx: Context, who: Who, fields: PlanFields): Promise<PlanRow> {
  const now = ctx.clock.now();
  const plan = withOwnItems(fields);
  const next = nextRunOf(ctx, plan);
  return ctx.db.transaction().execute(async (tx) => {
    await requireSound(tx, who, plan);
    const insert = addPlan(tx, who, { plan, nextRunAt: plan.enabled ? next : null }, new Date(now));
    const id = await refuseDuplicate({ field: 'name', label: PLAN_NAME, value: plan.name }, insert);
    return getPlan(tx, who.user, id);
  });
}

export async function changePlan(
  ctx: Context,
  who: Who,
  id: string,
  { version, ...fields }: PlanFields & { version: number },
): Promise<PlanRow> {
  const now = ctx.clock.now();
  const plan = withOwnItems(fields);
  const next = nextRunOf(ctx, plan);
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockPlanForChange(tx, who, id, version);
    await requireSound(tx, who, plan);
    const update = updatePlan(tx, id, plan, plan.enabled ? next : null, new Date(now));
    await refuseDuplicate({ field: 'name', label: PLAN_NAME, value: plan.name }, update);
    await audit(tx, who, { action: 'plan_changed', entityId: id, detail: changesOf(before, plan) }, now);
    await orderTaskUpdates(tx, who, id, [plan, before], now);
    return getPlan(tx, who.user, id);
  });
}

export async function enablePlan(ctx: Context, who: Who, id: string, enabled: boolean): Promise<PlanRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const plan = await lockPlanForChange(tx, who, id);
    if (plan.enabled === enabled) return plan;
    await setEnabled(tx, id, enabled, enabled ? nextRunOf(ctx, plan) : null, new Date(now));
    await audit(tx, who, { action: enabled ? 'plan_enabled' : 'plan_disabled', entityId: id, detail: { name: plan.name } }, now);
    await orderTaskUpdates(tx, who, id, [plan], now);
    return getPlan(tx, who.user, id);
  });
}

export async function removePlan(ctx: Context, who: Who, id: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const plan = await lockPlanForChange(tx, who, id);
    if (plan.isBuiltin) throw new ApiError('BUILT_IN_ENTRY');
    await deletePlan(tx, id);
    await audit(tx, who, { action: 'plan_deleted', entityId: id, detail: { before: { name: plan.name, schedule: plan.schedule } } }, now);
    await orderTaskUpdates(tx, who, null, [plan], now);
  });
}

/** Queues a run at once; the schedule is not affected. */
export async function orderRun(ctx: Context, who: Who, id: string): Promise<{ taskId: string }> {
  const now = ctx.clock.now();
  const plan = await ctx.db.transaction().execute(async (tx) => {
    const own = await lockPlanForChange(tx, who, id);
    await audit(tx, who, { action: 'plan_run_ordered', entityId: id, detail: { name: own.name } }, now);
    return own;
  });
  const order = { ...plan, retryIntervalMin: plan.retryIntervalMinutes };
  const { taskId, stillWaiting } = await runPlanNow(ctx, order, who.user.id);
  if (taskId === null) throw new ApiError(stillWaiting > 0 ? 'PLAN_RUNNING' : 'NO_TARGETS');
  return { taskId };
}
