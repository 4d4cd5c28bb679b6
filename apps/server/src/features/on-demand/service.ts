import type { OnDemandOrder } from '@hes/contract/action/read.ts';
import { findMetersForOrder } from '#features/assets/port.ts';
import { checkRange } from '#features/readings/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { findItemKeys } from './queries.ts';

/** Queues one reading per meter. Results arrive as `task.item` messages. */
export async function orderReading(ctx: Context, who: Who, order: OnDemandOrder): Promise<{ taskId: string }> {
  if (order.kind === 'registers') {
    const known = await findItemKeys(ctx.db, order.items);
    const unknown = order.items.find((item) => !known.has(item));
    if (unknown !== undefined) throw new ApiError('UNKNOWN_ITEM', { item: unknown });
  } else {
    // as: the contract requires both days for every kind except registers
    checkRange({ from: order.from as string, to: order.to as string });
  }
  const meterIds = [...new Set(order.meterIds)];
  const found = new Map((await findMetersForOrder(ctx.db, who.user, meterIds)).map((meter) => [meter.id, meter]));
  const items = meterIds.map((id) => {
    const meter = found.get(id);
    // A meter outside of the user's area is reported as missing, so that its existence is not disclosed.
    if (meter === undefined) throw new ApiError('METER_NOT_FOUND', { id });
    if (meter.dcuId === null) throw new ApiError('NOT_BOUND');
    return { deviceKind: 'meter' as const, dcuId: meter.dcuId, meterId: id };
  });
  const { kind, items: keys, from, to, store, source, priority, includeUnsupported } = order;
  return ctx.db.transaction().execute((tx) =>
    kind === 'registers'
      ? placeOrder(tx, ctx, who, kind, { params: { items: keys, store, askAnyway: includeUnsupported }, priority, items })
      : placeOrder(tx, ctx, who, kind, {
          // as: the contract requires both days for every kind except registers
          params: { from: from as string, to: to as string, store, source },
          priority,
          items,
        }),
  );
}
