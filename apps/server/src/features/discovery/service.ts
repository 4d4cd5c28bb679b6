import type { DiscoveredRow, DiscoveryRun } from '@hes/contract/asset/discovery.ts';
import type { DiscoveryMode } from '@hes/contract/states/discovery.ts';
import { writeAudit, type AuditEntry } from '#db/audit.ts';
import { lockDcuInTransaction } from '#db/advisory-locks.ts';
import { findOrderDcus } from '#features/archive/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, Who } from '#db/context.ts';
import { placeOrder, refuseWithoutPart } from '#tasks/place-order.ts';
import { askToStop, closeDeadRuns, deleteFound, findVisibleRun, insertRuns, isSearching } from './list-queries.ts';

const MINUTE_MS = 60_000;
/** The search ends before its task expires. */
const EXPIRY_SLACK_MS = 60 * MINUTE_MS;

export const audit = (tx: Tx, { user, ip }: Who, entry: Pick<AuditEntry, 'action' | 'entityId' | 'detail'>, now: number) =>
  writeAudit(tx, { userId: user.id, ip, entity: 'discovery', ...entry }, now);

async function requireDcus(tx: Tx, who: Who, ids: readonly string[]) {
  const dcus = await findOrderDcus(tx, who.user, ids);
  const missing = ids.find((id) => !dcus.some((dcu) => dcu.id === id));
  if (missing !== undefined) throw new ApiError('DCU_NOT_FOUND', { id: missing });
  return dcus;
}

export interface SearchOrder {
  dcuIds: readonly string[];
  mode: DiscoveryMode;
  minutes: number;
  pollSeconds: number;
}

/** Starts a search at each DCU, with one task for all. */
export async function startSearch(ctx: Context, who: Who, order: SearchOrder): Promise<{ taskId: string }> {
  const ids = [...new Set(order.dcuIds)];
  const { mode, pollSeconds, minutes } = order;
  const startedAt = new Date(ctx.clock.now());
  const endsAt = new Date(startedAt.getTime() + minutes * MINUTE_MS);
  return ctx.db.transaction().execute(async (tx) => {
    const dcus = await requireDcus(tx, who, ids);
    const items = ids.map((dcuId) => ({ deviceKind: 'dcu' as const, dcuId, meterId: null }));
    await refuseWithoutPart(tx, 'discovery', items, 'any');
    await closeDeadRuns(tx, ids);
    for (const dcu of dcus) {
      await lockDcuInTransaction(tx, 'archive', dcu.id);
      if (await isSearching(tx, dcu.id)) throw new ApiError('BUSY', { sn: dcu.sn });
    }
    const { taskId } = await placeOrder(tx, ctx, who, 'discovery', {
      params: { mode, minutes },
      expiresAt: new Date(endsAt.getTime() + EXPIRY_SLACK_MS),
      items,
      record: { entity: 'discovery', detail: { dcus: dcus.map((dcu) => dcu.sn), mode, minutes } },
    });
    await insertRuns(
      tx,
      ids.map((dcuId) => ({ dcuId, taskId, mode, pollSeconds, startedAt, endsAt, startedBy: who.user.id })),
    );
    return { taskId };
  });
}

/** Stops a search: queues its last turn at once. */
export async function stopSearch(ctx: Context, who: Who, id: string): Promise<DiscoveryRun> {
  return ctx.db.transaction().execute(async (tx) => {
    const run = await findVisibleRun(tx, who.user, id);
    if (run === undefined) throw new ApiError('NOT_FOUND');
    if (run.state !== 'starting' && run.state !== 'searching') throw new ApiError('NOTHING_TO_DO');
    await askToStop(tx, run);
    await audit(tx, who, { action: 'discovery_stopped', entityId: id, detail: { dcuSn: run.dcuSn, found: run.found } }, ctx.clock.now());
    return { ...run, state: 'stopping' };
  });
}

/** Deletes the discoveries of a DCU in the HES at once, and in the DCU by a task. */
export async function clearFound(ctx: Context, who: Who, dcuId: string): Promise<{ taskId: string }> {
  return ctx.db.transaction().execute(async (tx) => {
    const [dcu] = await requireDcus(tx, who, [dcuId]);
    await closeDeadRuns(tx, [dcuId]);
    if (await isSearching(tx, dcuId)) throw new ApiError('BUSY', { sn: dcu?.sn ?? '' });
    await deleteFound(tx, dcuId);
    return placeOrder(tx, ctx, who, 'discovery_clear', {
      params: {},
      items: [{ deviceKind: 'dcu', dcuId, meterId: null }],
      record: { entity: 'discovery', entityId: dcuId, detail: { dcuSn: dcu?.sn ?? null } },
    });
  });
}

export type Adopted = { taskId: string | null; items: DiscoveredRow[] };
