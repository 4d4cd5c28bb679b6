import { eventRead, type EventReadOrder } from '@hes/contract/action/event-read.ts';
import { implement } from '#http/implement.ts';
import { itemsFor } from '#features/orders/port.ts';
import { checkRange } from '#features/readings/port.ts';
import type { Context, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';

async function orderEvents(ctx: Context, who: Who, { devices, logs, from, to, last }: EventReadOrder): Promise<{ taskId: string }> {
  if (last === undefined && from !== undefined && to !== undefined) checkRange({ from, to });
  const params = last === undefined ? { logs, from, to } : { logs, last };
  const items = await itemsFor(ctx, who.user, devices);
  return ctx.db.transaction().execute((tx) => placeOrder(tx, ctx, who, 'events', { params, items }));
}

export const eventReadRoutes = implement(eventRead, {
  order: ({ ctx, user, body, wire }) => orderEvents(ctx, { user, ip: wire.ip }, body),
});
