import { MAX_REPEAT_MINUTES, realTime, type RealTimeOrder } from '@hes/contract/action/real-time.ts';
import { implement } from '#http/implement.ts';
import { itemsFor } from '#features/orders/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { repeatTask } from '#tasks/store.ts';
import { findOwnTask } from './store.ts';

const MINUTE_MS = 60_000;

async function orderNow(ctx: Context, who: Who, { meterIds, groups, store }: RealTimeOrder): Promise<{ taskId: string }> {
  const items = await itemsFor(
    ctx,
    who.user,
    meterIds.map((id) => ({ kind: 'meter', id })),
  );
  return ctx.db.transaction().execute((tx) => placeOrder(tx, ctx, who, 'real_time', { params: { groups, keep: store }, items }));
}

/** Queues the finished items of the task again; only its creator may, for at most `MAX_REPEAT_MINUTES`. */
async function repeatReading(ctx: Context, user: User, id: string): Promise<{ queued: number }> {
  return ctx.db.transaction().execute(async (tx) => {
    const createdAt = await findOwnTask(tx, user.id, id);
    if (createdAt === undefined) throw new ApiError('NOT_FOUND');
    if (ctx.clock.now() - createdAt.getTime() > MAX_REPEAT_MINUTES * MINUTE_MS) throw new ApiError('REPEAT_ENDED');
    return { queued: await repeatTask(tx, id) };
  });
}

export const realTimeRoutes = implement(realTime, {
  order: ({ ctx, user, body, wire }) => orderNow(ctx, { user, ip: wire.ip }, body),
  repeat: ({ ctx, user, params }) => repeatReading(ctx, user, params.id),
});
