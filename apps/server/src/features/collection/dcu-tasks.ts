import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { parseSchedule } from '@hes/contract/schedule/expression.ts';
import { secondsBetweenRuns } from '@hes/contract/schedule/period.ts';
import { nextRun } from '@hes/contract/schedule/runs.ts';
import { daysBackOf, PLAN_TYPE_TEXT } from '@hes/contract/states/plan.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import type { ValueOf } from '@hes/dlms/codec/codec.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { DCU_ARRAYS, DCU_ENTRIES } from '@hes/dlms/profile/reference-dcu.ts';
import { DEFAULT_PERIOD_S } from '#storage/channels.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import { findPlansOfDcu, type OwnPlan } from './dcu-task-queries.ts';
import { Arrays } from '#features/archive/port.ts';
import { attributeRef } from '#field/cosem-object.ts';
import { CACHES } from '#field/profiles/cached-rows.ts';
import { placeInProfile } from '#field/operations/dcu-profile.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { instanceOf } from '#field/profiles/profiles.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';

type TaskEntry = ValueOf<typeof DCU_ENTRIES.tasks>;

const ARRAY = DCU_ARRAYS.tasks.id;
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
function entryOf(plan: OwnPlan, { zone }: Pick<OperationTools, 'zone'>, now: number): TaskEntry | undefined {
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

/** Whether two entries describe the same task: starts that differ by whole periods are equivalent. */
function isSame(one: TaskEntry, other: TaskEntry): boolean {
  const { start: began, ...own } = one;
  const { start: begins, ...theirs } = other;
  const apart = (toEpochMs(began) ?? Number.NaN) - (toEpochMs(begins) ?? Number.NaN);
  return JSON.stringify(own) === JSON.stringify(theirs) && apart % (one.periodSeconds * 1000) === 0;
}

/** The changes that turn the present tasks of a DCU into the wanted ones. Indexes count from 1. */
function stepsTo(wanted: readonly TaskEntry[], present: readonly TaskEntry[]) {
  const placed = present.map((entry, i) => ({ entry, place: i + 1 }));
  const byId = new Map(placed.map((known) => [known.entry.taskId, known]));
  const ids = new Set(wanted.map(({ taskId }) => taskId));
  return {
    inserts: wanted.filter(({ taskId }) => !byId.has(taskId)),
    updates: wanted.flatMap((entry) => {
      const known = byId.get(entry.taskId);
      return known === undefined || isSame(known.entry, entry) ? [] : [{ place: known.place, entry }];
    }),
    removals: placed.filter(({ entry }) => entry.taskId >= OWN_FROM && !ids.has(entry.taskId)).map(({ place }) => place),
  };
}

/** Updates and appends entries, then removes from the end, so that no index shifts before its use. */
async function applyChanges(arrays: Arrays, { inserts, updates, removals }: ReturnType<typeof stepsTo>): Promise<Outcome<unknown>> {
  const changes = [
    ...updates.map((update) => ({ kind: 'update' as const, ...update })),
    ...inserts.map((entry) => ({ kind: 'insert' as const, place: 0, entry })),
  ];
  const changed = changes.length === 0 ? ok([]) : await arrays.changeIn(ARRAY, DCU_ENTRIES.tasks, changes);
  if (!changed.ok) return changed;
  const refused = changed.value.find((outcome) => !outcome.ok);
  if (refused !== undefined) return refused;
  for (const place of removals.toReversed()) {
    const removed = await arrays.removeIn(ARRAY, place, place);
    if (!removed.ok) return removed;
  }
  return ok(undefined);
}

/** Plans whose results the DCU can cache: its profile names the object and the DCU reports it. */
async function findCacheable(tools: OperationTools, { link, dcuId }: DeviceWork, plans: readonly OwnPlan[]): Promise<Outcome<OwnPlan[]>> {
  const kept: OwnPlan[] = [];
  for (const [type, own] of Map.groupBy(plans, (plan) => plan.type)) {
    const place = await placeInProfile(tools.ctx.db, dcuId, CACHES[type].key);
    if (place === undefined) continue;
    const has = await link.get(attributeRef({ cosemClass: profileGeneric, instance: obis(place.obis) }, 'captureObjects'));
    if (has.ok) kept.push(...own);
    else if (has.reason !== 'OBJECT_UNDEFINED' && has.reason !== 'ACCESS_DENIED') return has;
  }
  return ok(kept);
}

async function updateTasks(tools: OperationTools, work: DeviceWork): Promise<Outcome<ItemResult>> {
  const { link, dcuId, now } = work;
  const [arraysAt, tasksAt] = await Promise.all(['ARRAYS', 'TASKS'].map((key) => placeInProfile(tools.ctx.db, dcuId, key)));
  if (arraysAt === undefined || tasksAt === undefined) return failed('OBJECT_UNDEFINED', 'The profile of this DCU knows no tasks');
  const arrays = new Arrays(link, arraysAt.obis);
  const plans = await findPlansOfDcu(tools.ctx.pool, dcuId);
  const possible = await findCacheable(tools, work, plans);
  if (!possible.ok) return possible;
  const wanted = possible.value.flatMap((plan) => entryOf(plan, tools, now) ?? []);
  const before = await arrays.retrieveAll(ARRAY, DCU_ENTRIES.tasks);
  if (!before.ok) return before;
  const steps = stepsTo(wanted, before.value);
  const counts = { inserted: steps.inserts.length, updated: steps.updates.length, removed: steps.removals.length };
  if (Object.values(counts).some((count) => count > 0)) {
    const done = await applyChanges(arrays, steps);
    if (!done.ok) return done;
    // Confirm by read-back: a successful response does not prove the change.
    const after = await arrays.retrieveAll(ARRAY, DCU_ENTRIES.tasks);
    if (!after.ok) return after;
    const left = stepsTo(wanted, after.value);
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
