import { approval, type ApprovalRow } from '@hes/contract/action/approval.ts';
import { relay } from '@hes/contract/action/relay.ts';
import { writeAudit } from '#db/audit.ts';
import { requireIndependentApprover } from '#db/right-holders.ts';
import { findLimits, spreadItems } from '#features/relay/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, Who } from '#db/context.ts';
import { approvalParts, sealOrder } from '#platform/order-seal.ts';
import { cancelTask } from '#tasks/store.ts';
import { decideApproval, findApproval, queueApprovedTask, releaseItems, wakeTasks } from './queries.ts';

const HOUR_MS = 3_600_000;

export interface Decision {
  id: string;
  decision: 'approve' | 'reject';
  comment: string;
}

/** Decides about an order by dual approval: the requester cannot decide, and each order is decided once. */
export async function decideOrder(ctx: Context, who: Who, decision: Decision): Promise<ApprovalRow> {
  const { user, ip } = who;
  const { id, comment } = decision;
  const asked = await findApproval(ctx.db, user, id);
  if (asked === undefined) throw new ApiError('NOT_FOUND');
  const isApproved = decision.decision === 'approve';
  const now = ctx.clock.now();
  const { taskId, requestedBy } = asked;
  if (requestedBy === user.id) {
    const detail = { why: 'SAME_USER', taskId };
    const entry = { userId: user.id, action: 'relay_refused', entity: 'task', entityId: taskId, detail, ip } as const;
    await ctx.db.transaction().execute((tx) => writeAudit(tx, entry, now));
    throw new ApiError('SAME_USER');
  }
  const requester = { userId: requestedBy, right: relay.order.allow };
  if (isApproved) await requireIndependentApprover(ctx.db, requester, { userId: user.id, right: approval.decide.allow });
  await ctx.db.transaction().execute(async (tx) => {
    const seal = sealOrder(ctx.secrets, 'approval', approvalParts({ taskId, requestedBy, approverId: user.id }));
    const isDecided = await decideApproval(tx, id, {
      state: isApproved ? 'approved' : 'rejected',
      approverId: user.id,
      comment: comment === '' ? null : comment,
      decidedAt: new Date(now),
      seal,
    });
    if (!isDecided) throw new ApiError('NOTHING_TO_DO');
    if (isApproved) await startOrder(ctx, tx, asked, now);
    else await cancelTask(tx, taskId);
    const action = isApproved ? ('relay_approved' as const) : ('relay_rejected' as const);
    const detail = { requestedBy: asked.requestedByName, meters: asked.meters, comment };
    await writeAudit(tx, { userId: user.id, action, entity: 'task', entityId: taskId, detail, ip }, now);
  });
  const row = await findApproval(ctx.db, user, id);
  if (row === undefined) throw new ApiError('NOT_FOUND');
  return row;
}

async function startOrder({ secrets }: Context, tx: Tx, { taskId, meters }: ApprovalRow, now: number): Promise<void> {
  const { spreadS } = (await findLimits(tx, secrets)).inForce;
  const expiresAt = new Date(now + HOUR_MS + spreadS * 1000);
  await queueApprovedTask(tx, taskId, expiresAt);
  await releaseItems(tx, taskId);
  await spreadItems(tx, taskId, { meters, spreadS });
  await wakeTasks(tx);
}
