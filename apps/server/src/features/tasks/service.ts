import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import type { ParamsFor } from '@hes/contract/orders/order-params.ts';
import type { AuditAction } from '@hes/contract/audit/actions.ts';
import { canPause, dangerOfKind, orderRight, repeatRight } from '@hes/contract/task/order.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { writeAudit } from '#db/audit.ts';
import { holderOf } from '#db/scope.ts';
import { ApiError } from '#platform/api-error.ts';
import { requireGuard } from '#features/people/port.ts';
import { itemsFor } from '#features/orders/port.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { cancelTask, pauseTask, resumeTask, retryTask } from '#tasks/store.ts';
import { findDevices, findTask, isWithinArea } from './queries.ts';

export async function getTask(ctx: Context, user: User, id: string): Promise<TaskRow> {
  const task = await findTask(ctx.db, user, id);
  if (task === undefined) throw new ApiError('NOT_FOUND');
  return task;
}

interface Change {
  action: AuditAction;
  /** The change sends something to devices. */
  sends: boolean;
  canBeOf?: (task: TaskRow) => boolean;
  apply(tx: Tx, id: string): Promise<number>;
}

const CHANGES = {
  pause: { action: 'task_paused', sends: false, canBeOf: canPause, apply: pauseTask },
  resume: { action: 'task_resumed', sends: true, apply: resumeTask },
  cancel: { action: 'task_stopped', sends: false, apply: cancelTask },
  retry: { action: 'task_retried', sends: true, apply: retryTask },
} as const satisfies Record<string, Change>;

/**
 * A user may control a task with the right to order it in an area that includes all its devices.
 * The user who ordered a task may always pause or cancel it.
 */
async function maySteer(ctx: Context, user: User, task: TaskRow, { sends }: Change): Promise<boolean> {
  if (task.createdBy === user.id && !sends) return true;
  const { page, action } = orderRight(task).allow;
  const holder = holderOf(user, page, action);
  return holder !== undefined && (await isWithinArea(ctx.db, holder, task.id));
}

/** Pauses, resumes, cancels or retries a task, and audits it. */
export async function changeTask(ctx: Context, { user, ip }: Who, id: string, verb: keyof typeof CHANGES): Promise<TaskRow> {
  const change: Change = CHANGES[verb];
  const task = await getTask(ctx, user, id);
  if (!(await maySteer(ctx, user, task, change))) throw new ApiError('FORBIDDEN');
  if (change.sends) await requireGuard(ctx, { user, ip }, { danger: dangerOfKind(task.kind), right: orderRight(task).allow });
  await ctx.db.transaction().execute(async (tx) => {
    const items = change.canBeOf?.(task) === false ? 0 : await change.apply(tx, id);
    if (items === 0) throw new ApiError('NOTHING_TO_DO');
    const { kind, title, total, done } = task;
    const detail = { kind, title, items, total, done };
    await writeAudit(tx, { userId: user.id, action: change.action, entity: 'task', entityId: id, detail, ip }, ctx.clock.now());
  });
  const changed = await getTask(ctx, user, id);
  ctx.bus.publish(`task:${id}`, { type: 'task.progress', ts: new Date(ctx.clock.now()).toISOString(), id, data: changed });
  return changed;
}

/**
 * Orders a finished reading again for all its devices or the failed ones, as a new task that refers to the first one.
 * Requires the right of the first order; devices outside the user's area are omitted.
 */
export async function rerunTask(ctx: Context, who: Who, { id, only }: { id: string; only: 'all' | 'failed' }): Promise<{ taskId: string }> {
  const { kind, source, title, params, priority, finishedAt } = await getTask(ctx, who.user, id);
  const right = repeatRight({ kind, source });
  if (right === undefined) throw new ApiError('RERUN_REFUSED');
  const holder = holderOf(who.user, right.page, right.action);
  if (holder === undefined) throw new ApiError('FORBIDDEN');
  const devices = finishedAt === null ? [] : await findDevices(ctx.db, id, only);
  if (devices.length === 0) throw new ApiError('NOTHING_TO_DO');
  const items = await itemsFor(ctx, holder, devices);
  return ctx.db.transaction().execute((tx) =>
    placeOrder(tx, ctx, who, kind, {
      title,
      params: params as ParamsFor<TaskKind>, // as: an order of the same kind stored them
      priority,
      originId: id,
      items,
      record: { action: 'task_rerun', detail: { originId: id, kind, only, devices: items.length } },
    }),
  );
}
