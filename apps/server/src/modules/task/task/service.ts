import type { TaskRow } from '@hes/contract/task/task.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#platform/context.ts';
import { cancelTask, retryTask } from '#tasks/store.ts';
import { findTask } from './queries.ts';

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
