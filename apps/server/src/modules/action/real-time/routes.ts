import { MAX_REPEAT_MINUTES, realTime, type RealTimeOrder } from '@hes/contract/action/real-time.ts';
import { implement } from '#http/implement.ts';
import { itemsFor } from '#modules/action/order/api.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#platform/context.ts';
import { createTask, repeatTask } from '#tasks/store.ts';

/** Somebody talks to the customer: before everything but the relay. */
const REAL_TIME_PRIORITY = 1;
const MINUTE_MS = 60_000;

async function orderNow(ctx: Context, user: User, { meterIds, groups, keep }: RealTimeOrder): Promise<{ taskId: string }> {
  const items = await itemsFor(
    ctx,
    user,
    meterIds.map((id) => ({ kind: 'meter', id })),
  );
  return ctx.db.transaction().execute(async (tx) => {
    const { id } = await createTask(tx, {
      kind: 'real_time',
      source: 'user',
      params: { groups, keep },
      priority: REAL_TIME_PRIORITY,
      createdBy: user.id,
      items,
    });
    return { taskId: id };
  });
}

/** The same task once more, by who ordered it, for half an hour at most. */
async function again(ctx: Context, user: User, id: string): Promise<{ queued: number }> {
  return ctx.db.transaction().execute(async (tx) => {
    const task = await tx
      .selectFrom('task')
      .where('id', '=', id)
      .where('kind', '=', 'real_time')
      .where('createdBy', '=', user.id)
      .select('createdAt')
      .executeTakeFirst();
    if (task === undefined) throw new ApiError('NOT_FOUND');
    if (ctx.clock.now() - task.createdAt.getTime() > MAX_REPEAT_MINUTES * MINUTE_MS) throw new ApiError('REPEAT_ENDED');
    return { queued: await repeatTask(tx, id) };
  });
}

export const realTimeRoutes = implement(realTime, {
  order: ({ ctx, user, body }) => orderNow(ctx, user, body),
  again: ({ ctx, user, params }) => again(ctx, user, params.id),
});
