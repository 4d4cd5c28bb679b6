import { orderAgain } from '@hes/contract/task/again.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { ApiError } from '#platform/api-error.ts';
import { writeAudit } from '#db/audit.ts';
import { itemsFor } from '#modules/action/order/api.ts';
import type { Context, User, Who } from '#platform/context.ts';
import { cancelTask, createTask, retryTask } from '#tasks/store.ts';
import { findDevices, findTask } from './queries.ts';

export async function getTask(ctx: Context, user: User, id: string): Promise<TaskRow> {
  const task = await findTask(ctx.db, user, id);
  if (task === undefined) throw new ApiError('NOT_FOUND');
  return task;
}

const CHANGES = { cancel: cancelTask, retry: retryTask };

/** Stops or repeats a task: its owner may, and whoever may order such a thing. Plans are changed by plans, not here. */
export async function changeTask(ctx: Context, user: User, id: string, change: keyof typeof CHANGES): Promise<TaskRow> {
  const task = await getTask(ctx, user, id);
  if (task.createdBy !== user.id && user.actions.get('/action/on-demand-reading')?.has('execute') !== true) throw new ApiError('FORBIDDEN');
  await ctx.db.transaction().execute(async (tx) => {
    if ((await CHANGES[change](tx, id)) === 0) throw new ApiError('NOTHING_TO_DO');
  });
  const changed = await getTask(ctx, user, id);
  ctx.bus.publish(`task:${id}`, { type: 'task.progress', ts: new Date(ctx.clock.now()).toISOString(), id, data: changed });
  return changed;
}

/**
 * Orders a reading that has ended once more, of all its devices or of those that gave nothing, as a task that names its origin. It takes
 * the right of the first order, and devices the caller may still see.
 */
export async function rerunTask(
  ctx: Context,
  { user, ip }: Who,
  { id, only }: { id: string; only: 'all' | 'failed' },
): Promise<{ taskId: string }> {
  const { kind, source, title, params, priority, finishedAt } = await getTask(ctx, user, id);
  const order = orderAgain({ kind, source });
  if (order === undefined) throw new ApiError('RERUN_REFUSED');
  if (user.actions.get(order.allow.page)?.has(order.allow.action) !== true) throw new ApiError('FORBIDDEN');
  const devices = finishedAt === null ? [] : await findDevices(ctx.db, id, only);
  if (devices.length === 0) throw new ApiError('NOTHING_TO_DO');
  const items = await itemsFor(ctx, user, devices);
  return ctx.db.transaction().execute(async (tx) => {
    const task = await createTask(tx, { kind, source: 'user', title, params, priority, createdBy: user.id, originId: id, items });
    const detail = { originId: id, kind, only, devices: items.length };
    await writeAudit(tx, { userId: user.id, action: 'task_rerun', entity: 'task', entityId: task.id, detail, ip }, ctx.clock.now());
    return { taskId: task.id };
  });
}
