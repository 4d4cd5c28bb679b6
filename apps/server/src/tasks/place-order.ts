import { auditActionOf, ORDERS, type TaskKind } from '@hes/contract/orders/every-order.ts';
import { DCU_PARTS } from '@hes/contract/asset/dcu-part.ts';
import { REASONS } from '@hes/contract/core/outcome.ts';
import { writeAudit, type AuditEntry } from '#db/audit.ts';
import { writeCommands } from '#db/command-log.ts';
import type { Context, Tx, Who } from '#db/context.ts';
import { findDcusWithout } from '#db/dcu-parts.ts';
import { ApiError } from '#platform/api-error.ts';
import { createTask, type NewTask } from './create-task.ts';
import type { OrderedDevice } from './operation.ts';

export interface Placement<K extends TaskKind> extends Omit<NewTask<K>, 'kind' | 'source' | 'createdBy' | 'planId'> {
  workOrder?: string | null;
  /** Overrides parts of the audit row, which concerns the task itself unless `entity` and `entityId` name something else. */
  record?: Partial<Pick<AuditEntry, 'action' | 'entity' | 'entityId' | 'detail'>>;
  /** The request in the command log; the params when absent. */
  request?: Record<string, unknown>;
}

/**
 * Places an order in the caller's transaction: task, items, audit row and command-log entries, as the declaration of its kind says. `who`
 * is null for an order of the server itself, which leaves no audit row. Throws DCU_LACKS when every device of the order is a DCU without
 * the part that the order needs. Where only some DCUs are without it, their items end with this reason.
 */
export async function placeOrder<K extends TaskKind>(
  tx: Tx,
  { clock }: Pick<Context, 'clock'>,
  who: Who | null,
  kind: K,
  placement: Placement<K>,
): Promise<{ taskId: string }> {
  const { record, request, workOrder, ...task } = placement;
  const userId = who?.user.id ?? null;
  if (who !== null) await refuseWithoutPart(tx, kind, placement.items, 'all');
  const source = who === null ? 'system' : 'user';
  const { id: taskId } = await createTask<K>(tx, { ...task, kind, source, createdBy: userId });
  const now = clock.now();
  const action = record?.action ?? auditActionOf(kind, placement.params);
  if (who !== null && action !== null)
    await writeAudit(tx, { entity: 'task', entityId: taskId, ...record, action, userId, ip: who.ip }, now);
  if (ORDERS[kind].changesDevice) {
    const entry = { userId, kind, reason: placement.reason ?? null, workOrder: workOrder ?? null, request: request ?? placement.params };
    const commands = placement.items.map(({ deviceKind, dcuId, meterId }) => ({
      ...entry,
      deviceKind,
      deviceId: meterId ?? dcuId,
      result: null,
      taskId,
    }));
    await writeCommands(tx, commands, now);
  }
  return { taskId };
}

/**
 * Refuses an order whose DCUs lack the part that it needs: `all` of its devices, or `any` of them where one order has a record of its own for
 * each DCU. Meters are not concerned.
 */
export async function refuseWithoutPart(tx: Tx, kind: TaskKind, items: readonly OrderedDevice[], which: 'all' | 'any'): Promise<void> {
  const { needs } = ORDERS[kind];
  const dcuIds = items.flatMap(({ deviceKind, dcuId }) => (deviceKind === 'dcu' ? [dcuId] : []));
  if (needs === null || dcuIds.length === 0) return;
  const lacking = await findDcusWithout(tx, dcuIds, needs);
  const [first] = lacking;
  if (first === undefined || (which === 'all' && lacking.length < items.length)) return;
  throw new ApiError('DCU_LACKS', { sn: first.sn, why: REASONS[DCU_PARTS[needs].reason] });
}
