import type { ClockOperation, ClockOrder } from '@hes/contract/action/clock.ts';
import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import { itemsFor } from '#features/orders/port.ts';
import type { Context, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';

const HOUR_MS = 3_600_000;
const KINDS = { read: 'clock_read', sync: 'clock_sync', broadcast: 'clock_broadcast' } as const satisfies Record<ClockOperation, TaskKind>;

/** Queues one item per device; a broadcast is queued for the DCUs of the chosen devices. */
export async function orderClock(ctx: Context, who: Who, order: ClockOrder): Promise<{ taskId: string }> {
  const { operation, method, isConfirmed, waitHours, reason } = order;
  const chosen = await itemsFor(ctx, who.user, order.devices);
  const items =
    operation === 'broadcast'
      ? [...new Set(chosen.map((item) => item.dcuId))].map((dcuId) => ({ deviceKind: 'dcu' as const, dcuId, meterId: null }))
      : chosen;
  const waits = waitHours > 0 ? { waitsForDevice: true, expiresAt: new Date(ctx.clock.now() + waitHours * HOUR_MS) } : {};
  return ctx.db.transaction().execute((tx) =>
    placeOrder(tx, ctx, who, KINDS[operation], {
      params: operation === 'read' ? {} : { method, isConfirmed },
      items,
      ...waits,
      ...(reason === '' ? {} : { reason }),
      record: { detail: { operation, method, isConfirmed, reason, devices: items.length } },
    }),
  );
}
