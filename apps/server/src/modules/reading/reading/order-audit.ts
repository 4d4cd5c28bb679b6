import type { AuditOrder } from '@hes/contract/reading/reading.ts';
import { writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#platform/context.ts';
import { createTask } from '#tasks/store.ts';
import { chooseMeters } from './audit-queries.ts';
import { checkRange } from './service.ts';

const HOUR_MS = 3_600_000;
/** After all that brings readings. */
const PRIORITY = 9;

/** Queues the comparison of stored readings with what the meters hold. */
export async function orderAudit(ctx: Context, { user, ip }: Who, order: AuditOrder): Promise<{ taskId: string }> {
  if (!('sample' in order)) checkRange(order);
  const chosen = await chooseMeters(ctx.db, user, order);
  if (chosen.length === 0 && !('sample' in order)) throw new ApiError('METER_NOT_FOUND', { id: order.meterSn });
  if (chosen.length === 0) throw new ApiError('NOTHING_TO_DO');
  return ctx.db.transaction().execute(async (tx) => {
    const { id } = await createTask(tx, {
      kind: 'audit_readings',
      // It may wait for a DCU that is offline: the queue ends orders of people at once.
      source: 'system',
      title: 'Audit of readings',
      params: 'sample' in order ? { seed: order.seed } : { from: order.from, to: order.to },
      priority: PRIORITY,
      createdBy: user.id,
      items: chosen.map((meter) => ({ deviceKind: 'meter' as const, dcuId: meter.dcuId, meterId: meter.id })),
      expiresAt: new Date(ctx.clock.now() + 12 * HOUR_MS),
    });
    const detail = { meters: chosen.length, ...('sample' in order ? { seed: order.seed } : { from: order.from, to: order.to }) };
    await writeAudit(tx, { userId: user.id, action: 'reading_audit_ordered', entity: 'task', entityId: id, detail, ip }, ctx.clock.now());
    return { taskId: id };
  });
}
