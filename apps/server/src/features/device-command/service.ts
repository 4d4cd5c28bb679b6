import type { DeviceCommand } from '@hes/contract/action/device-command.ts';
import { ORDERS, type TaskKind } from '@hes/contract/orders/every-order.ts';
import { itemsFor } from '#features/orders/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';

const HOUR_MS = 3_600_000;

/** Places a command with its parsed body. Rejects the whole order when one device does not support the command. */
export async function orderCommand(
  ctx: Context,
  who: Who,
  kind: TaskKind,
  { devices, params, waitHours, reason }: DeviceCommand,
): Promise<{ taskId: string }> {
  const { target } = ORDERS[kind];
  if (devices.some((device) => target !== 'device' && device.kind !== target)) throw new ApiError('VALIDATION');
  const items = await itemsFor(ctx, who.user, devices);
  return ctx.db.transaction().execute((tx) =>
    placeOrder(tx, ctx, who, kind, {
      // as: the route has parsed the body by the schema of this kind
      params: params as never,
      items,
      ...(waitHours > 0 ? { waitsForDevice: true, expiresAt: new Date(ctx.clock.now() + waitHours * HOUR_MS) } : {}),
      ...(reason === undefined ? {} : { reason }),
      record: { detail: { kind, ...params, reason: reason ?? null, devices: items.length } },
    }),
  );
}
