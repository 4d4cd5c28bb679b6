import type { ClockOperation, ClockOrder } from '@hes/contract/action/clock.ts';
import type { TaskKind } from '@hes/contract/task/kind.ts';
import { writeAudit } from '#db/audit.ts';
import { writeCommands } from '#db/command-log.ts';
import { itemsFor, ORDER_PRIORITY } from '#modules/action/order/api.ts';
import type { Context, Who } from '#platform/context.ts';
import { createTask } from '#tasks/store.ts';

const HOUR_MS = 3_600_000;
const KINDS = { read: 'clock_read', sync: 'clock_sync', broadcast: 'clock_broadcast' } as const satisfies Record<ClockOperation, TaskKind>;

/** One item per device; a broadcast goes to the DCUs of what was chosen. What changes a device is audited and in the command log with it. */
export async function orderClock(ctx: Context, { user, ip }: Who, order: ClockOrder): Promise<{ taskId: string }> {
  const { operation, method, isConfirmed, waitHours, reason } = order;
  const chosen = await itemsFor(ctx, user, order.devices);
  const items =
    operation === 'broadcast'
      ? [...new Set(chosen.map((item) => item.dcuId))].map((dcuId) => ({ deviceKind: 'dcu' as const, dcuId, meterId: null }))
      : chosen;
  const kind = KINDS[operation];
  const params = operation === 'read' ? {} : { method, isConfirmed };
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const { id } = await createTask(tx, {
      kind,
      // What may wait for a DCU is not ended by finding it offline: the queue does that to orders of people only.
      source: waitHours > 0 ? 'system' : 'user',
      params,
      priority: ORDER_PRIORITY,
      createdBy: user.id,
      items,
      ...(reason === '' ? {} : { reason }),
      ...(waitHours > 0 ? { expiresAt: new Date(now + waitHours * HOUR_MS) } : {}),
    });
    if (operation === 'read') return { taskId: id };
    const detail = { operation, method, isConfirmed, reason, devices: items.length };
    await writeAudit(tx, { userId: user.id, action: 'clock_ordered', entity: 'task', entityId: id, detail, ip }, now);
    const commands = items.map((item) => ({
      userId: user.id,
      kind,
      deviceKind: item.deviceKind,
      deviceId: item.meterId ?? item.dcuId,
      reason,
      request: params,
      result: null,
      taskId: id,
    }));
    await writeCommands(tx, commands, now);
    return { taskId: id };
  });
}
