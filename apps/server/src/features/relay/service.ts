import { randomUUID } from 'node:crypto';
import type { RelayOrder } from '@hes/contract/action/relay.ts';
import { APPROVAL_MINUTES } from '@hes/contract/action/relay-rules.ts';
import { lockInTransaction } from '#db/advisory-locks.ts';
import { itemsFor } from '#features/orders/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, Who } from '#db/context.ts';
import { relayParts, sealOrder } from '#platform/order-seal.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { judgeOrder, type Judged } from './judge.ts';
import { spreadItems } from './list-queries.ts';
import { findOrder, insertCommands, insertOrder, requestApproval } from './order-queries.ts';

const MINUTE_MS = 60_000;
/** Lifetime of a sealed command, independent of the database. */
const VALID_MS = 4 * 60 * MINUTE_MS;

export async function readRelays(ctx: Context, who: Who, meterIds: readonly string[]): Promise<{ taskId: string }> {
  const items = await itemsFor(
    ctx,
    who.user,
    meterIds.map((id) => ({ kind: 'meter', id })),
  );
  return ctx.db.transaction().execute((tx) => placeOrder(tx, ctx, who, 'relay_read', { params: {}, items }));
}

/** Creates one order per request id, even when the request is delivered several times. */
export async function orderRelay(ctx: Context, who: Who, order: RelayOrder): Promise<{ taskId: string; requiresApproval: boolean }> {
  const { user } = who;
  return ctx.db.transaction().execute(async (tx) => {
    await lockInTransaction(tx, 'relayRequest');
    const known = await findOrder(tx, user.id, order.requestId);
    if (known !== undefined) return known;
    const judged = await judgeOrder({ ...ctx, db: tx }, user, order.meterIds, order.operation);
    if (judged.limits.stop !== null) throw new ApiError('RELAY_STOPPED', { reason: judged.limits.stop.reason });
    if (judged.targets.length === 0) throw new ApiError('NOTHING_TO_DO');
    return writeOrder(tx, { ctx, who, order, judged });
  });
}

interface OrderToWrite {
  ctx: Context;
  who: Who;
  order: RelayOrder;
  judged: Judged;
}

/** Stores task, sealed commands, approval request, audit entry and command log in one transaction. */
async function writeOrder(tx: Tx, { ctx, who, order, judged }: OrderToWrite): Promise<{ taskId: string; requiresApproval: boolean }> {
  const { user } = who;
  const { operation, reason, workOrder, requestId } = order;
  const { targets, requiresApproval, powerW, limits } = judged;
  const now = ctx.clock.now();
  const expiresAt = new Date(now + APPROVAL_MINUTES * MINUTE_MS);
  const { taskId } = await placeOrder(tx, ctx, who, `relay_${operation}`, {
    params: { workOrder },
    reason,
    workOrder,
    expiresAt: requiresApproval ? expiresAt : new Date(expiresAt.getTime() + limits.spreadS * 1000),
    items: targets.flatMap(({ id, dcuId }) => (dcuId === null ? [] : [{ deviceKind: 'meter' as const, dcuId, meterId: id }])),
    record: {
      detail: { operation, reason, workOrder, meters: targets.length, kw: Math.round(powerW) / 1000, needsApproval: requiresApproval },
    },
    request: { needsApproval: requiresApproval },
  });
  const base = { taskId, operation, requestedBy: user.id, needsApproval: requiresApproval };
  await insertOrder(tx, { ...base, requestId, reason, workOrder, meters: targets.length, powerW: String(Math.round(powerW)) });
  // Covers approval, spreading and retries of its task.
  const validUntil = new Date(now + VALID_MS + limits.spreadS * 1000);
  const sealed = targets.map(({ id: meterId, sn: meterSn, customerNo, customerName, dcuSn }) => {
    const command = { ...base, meterId, nonce: randomUUID(), validUntil };
    return { ...command, meterSn, customerNo, customerName, dcuSn, seal: sealOrder(ctx.secrets, 'relay command', relayParts(command)) };
  });
  await insertCommands(tx, sealed);
  if (requiresApproval) await requestApproval(tx, taskId, user.id, expiresAt);
  else await spreadItems(tx, taskId, { meters: targets.length, spreadS: limits.spreadS });
  return { taskId, requiresApproval };
}
