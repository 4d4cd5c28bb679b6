import type { AuditOrder } from '@hes/contract/reading/reading.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { chooseMeters } from './audit-queries.ts';
import { checkRange } from './service.ts';

const HOUR_MS = 3_600_000;

/** Queues the comparison of stored readings with the buffers of meters. */
export async function orderAudit(ctx: Context, who: Who, order: AuditOrder): Promise<{ taskId: string }> {
  if (!('sample' in order)) checkRange(order);
  const chosen = await chooseMeters(ctx.db, who.user, order);
  if (chosen.length === 0 && !('sample' in order)) throw new ApiError('METER_NOT_FOUND', { id: order.meterSn });
  if (chosen.length === 0) throw new ApiError('NOTHING_TO_DO');
  const params = 'sample' in order ? { seed: order.seed } : { from: order.from, to: order.to };
  return ctx.db.transaction().execute((tx) =>
    placeOrder(tx, ctx, who, 'audit_readings', {
      params,
      items: chosen.map((meter) => ({ deviceKind: 'meter', dcuId: meter.dcuId, meterId: meter.id })),
      expiresAt: new Date(ctx.clock.now() + 12 * HOUR_MS),
      record: { detail: { meters: chosen.length, ...params } },
    }),
  );
}
