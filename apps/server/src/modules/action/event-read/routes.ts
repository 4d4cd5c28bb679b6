import { eventRead, type EventReadOrder } from '@hes/contract/action/event-read.ts';
import { implement } from '#http/implement.ts';
import { itemsFor, ORDER_PRIORITY } from '#modules/action/order/api.ts';
import { checkRange } from '#modules/reading/reading/api.ts';
import type { Context, User } from '#platform/context.ts';
import { createTask } from '#tasks/store.ts';

async function orderEvents(ctx: Context, user: User, { devices, logs, from, to, last }: EventReadOrder): Promise<{ taskId: string }> {
  if (last === undefined && from !== undefined && to !== undefined) checkRange({ from, to });
  const params = last === undefined ? { logs, from, to } : { logs, last };
  const items = await itemsFor(ctx, user, devices);
  return ctx.db.transaction().execute(async (tx) => {
    const task = {
      kind: 'events',
      source: 'user',
      params,
      priority: ORDER_PRIORITY,
      createdBy: user.id,
      items,
    } as const;
    const { id } = await createTask(tx, task);
    return { taskId: id };
  });
}

export const eventReadRoutes = implement(eventRead, {
  order: ({ ctx, user, body }) => orderEvents(ctx, user, body),
});
