import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { parseSchedule } from '@hes/contract/schedule/expression.ts';
import { secondsBetweenRuns } from '@hes/contract/schedule/period.ts';
import { nextRun } from '@hes/contract/schedule/runs.ts';
import { daysBackOf, PLAN_TYPE_TEXT } from '@hes/contract/states/plan.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { DEFAULT_PERIOD_S } from '#storage/channels.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import { findPlansOfDcu, type OwnPlan } from './dcu-task-queries.ts';
import { lacks, type DcuTask, type TaskChange, type TaskPart } from '#southbound/dcu-parts.ts';
import { partsOfDcu } from '#southbound/parts-of-dcu.ts';
import { attributeRef } from '@hes/dlms/xdlms/cosem-object.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { instanceOf } from '#field/profiles/profiles.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';

/** Numbers of HES tasks start here. Lower numbers belong to other systems, whose tasks stay unchanged. */
const OWN_FROM = 0x8000;
const OWN_COUNT = 0x8000n;
const DAY_S = 86_400;
const SHORTEST_MONTH_DAYS = 28;
/** Maximum of long-unsigned. */
const MOST_ROWS = 0xffff;

export const taskIdOf = (planId: string): number => OWN_FROM + Number(BigInt(planId) % OWN_COUNT);

/** Number of rows that the look-back needs, at the shortest capture period among the meters. */
function rowsOf({ type, lookBackDays, shortest }: OwnPlan): number {
  if (type === 'daily') return lookBackDays;
  if (type === 'monthly') return Math.ceil(daysBackOf(type, lookBackDays) / SHORTEST_MONTH_DAYS);
  const periodSeconds = type === 'energy' ? DEFAULT_PERIOD_S.energy : shortest[type];
  return Math.min(MOST_ROWS, Math.ceil((lookBackDays * DAY_S) / periodSeconds));
}

/**
 * Encodes a plan as a DCU task; undefined when its runs have no period. Its start lies in the past, so the DCU reads existing rows
 * at once.
 */
function entryOf(plan: OwnPlan, { zone }: Pick<OperationTools, 'zone'>, now: number): DcuTask | undefined {
  const schedule = parseSchedule(plan.schedule);
  const periodSeconds = secondsBetweenRuns(schedule, now, zone.timeZone);
  const next = nextRun(schedule, now, zone.timeZone);
  if (periodSeconds === undefined || next === undefined) return undefined;
  const start = next - periodSeconds * 1000;
  const read = attributeRef({ cosemClass: profileGeneric, instance: instanceOf(plan.type) }, 'buffer');
  return {
    taskId: taskIdOf(plan.id),
    start: fromEpochMs(start, zone.deviationMinutes(start)),
    periodSeconds,
    objects: [{ ...read, dataIndex: 0 }],
    depth: rowsOf(plan),
    priority: plan.priority,
    enabled: true,
  };
}

const COMPARED = ['taskId', 'periodSeconds', 'objects', 'depth', 'priority', 'enabled'] as const satisfies (keyof DcuTask)[];

/** Whether two entries describe the same task: starts that differ by whole periods are equivalent. */
function isSame(one: DcuTask, other: DcuTask, { fields }: Pick<TaskPart, 'fields'>): boolean {
  const apart = (toEpochMs(one.start) ?? Number.NaN) - (toEpochMs(other.start) ?? Number.NaN);
  const isEqual = (field: (typeof COMPARED)[number]) => JSON.stringify(one[field]) === JSON.stringify(other[field]);
  return COMPARED.every((field) => !fields.has(field) || isEqual(field)) && apart % (one.periodSeconds * 1000) === 0;
}

/** The changes that turn the present tasks of a DCU into the wanted ones. Indexes count from 1. */
function stepsTo(wanted: readonly DcuTask[], present: readonly DcuTask[], part: TaskPart): TaskChange {
  const placed = present.map((entry, i) => ({ entry, place: i + 1 }));
  const byId = new Map(placed.map((known) => [known.entry.taskId, known]));
  const ids = new Set(wanted.map(({ taskId }) => taskId));
  return {
    inserts: wanted.filter(({ taskId }) => !byId.has(taskId)),
    updates: wanted.flatMap((entry) => {
      const known = byId.get(entry.taskId);
      return known === undefined || isSame(known.entry, entry, part) ? [] : [{ place: known.place, entry }];
    }),
    removals: placed.filter(({ entry }) => entry.taskId >= OWN_FROM && !ids.has(entry.taskId)).map(({ place }) => place),
  };
}

/** Plans whose results the DCU can cache: its profile names the object and the DCU reports it. */
async function findCacheable(tasks: TaskPart, plans: readonly OwnPlan[]): Promise<Outcome<OwnPlan[]>> {
  const kept: OwnPlan[] = [];
  for (const [type, own] of Map.groupBy(plans, (plan) => plan.type)) {
    const has = await tasks.keeps(type);
    if (!has.ok) return has;
    if (has.value) kept.push(...own);
  }
  return ok(kept);
}

async function updateTasks(tools: OperationTools, work: DeviceWork): Promise<Outcome<ItemResult>> {
  const { tasks } = await partsOfDcu(tools, work);
  if (tasks === undefined) return lacks('tasks');
  const plans = await findPlansOfDcu(tools.ctx.pool, work.dcuId);
  const possible = await findCacheable(tasks, plans);
  if (!possible.ok) return possible;
  const wanted = possible.value.flatMap((plan) => entryOf(plan, tools, work.now) ?? []);
  const before = await tasks.read();
  if (!before.ok) return before;
  const steps = stepsTo(wanted, before.value, tasks);
  const counts = { inserted: steps.inserts.length, updated: steps.updates.length, removed: steps.removals.length };
  if (Object.values(counts).some((count) => count > 0)) {
    const done = await tasks.change(steps);
    if (!done.ok) return done;
    // Confirm by read-back: a successful response does not prove the change.
    const after = await tasks.read();
    if (!after.ok) return after;
    const left = stepsTo(wanted, after.value, tasks);
    if (left.inserts.length + left.updates.length + left.removals.length > 0) return failed('READ_BACK_DIFFERS');
  }
  // A DCU without keys has no cache: it would accept the task and read nothing.
  const refused = plans.find((plan) => !possible.value.includes(plan));
  return refused === undefined ? ok({ counts }) : failed('OBJECT_UNDEFINED', `Nothing to keep ${PLAN_TYPE_TEXT[refused.type].en} in`);
}

/** Compares the tasks of a DCU with the plans that it runs, writes the differences and removes obsolete tasks. */
export async function updateDcuTasks(tools: OperationTools, item: WorkItem): Promise<WorkReport> {
  const report = await withDevice(tools, item, (work) => updateTasks(tools, work));
  const { outcome } = report;
  const isUnchanged = outcome.ok && Object.values(outcome.value.counts ?? {}).every((count) => count === 0);
  return { ...report, logged: isUnchanged ? null : outcome.ok ? { ...outcome.value.counts } : {} };
}
