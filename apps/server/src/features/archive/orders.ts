import { framesOf, planArchive } from '@hes/contract/asset/archive-diff.ts';
import type { ArchiveEntry, RepairPlan } from '@hes/contract/asset/archive.ts';
import { lockDcuInTransaction } from '#db/advisory-locks.ts';
import { findStandings, hesEntryOf } from './archive-queries.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { getOrderDcu } from './bind.ts';
import {
  findOrderDcus,
  findPending,
  findPlan,
  findRecords,
  findSnapshot,
  insertPlan,
  isBusy,
  markApplied,
  type OrderDcu,
} from './list-queries.ts';

type Mode = 'dispatch' | 'delete' | 'clear' | 'plan';

/** Queues a comparison of the archive of each DCU with the HES. */
export async function orderComparison(ctx: Context, who: Who, dcuIds: readonly string[]): Promise<{ taskId: string }> {
  const ids = [...new Set(dcuIds)];
  return ctx.db.transaction().execute(async (tx) => {
    const dcus = await findOrderDcus(tx, who.user, ids);
    const missing = ids.find((id) => !dcus.some((dcu) => dcu.id === id));
    if (missing !== undefined) throw new ApiError('DCU_NOT_FOUND', { id: missing });
    for (const dcu of dcus) await refuseBusy(tx, dcu, ['archive_compare', 'archive_dispatch']);
    return placeOrder(tx, ctx, who, 'archive_compare', {
      params: { by: who.user.id },
      items: ids.map((dcuId) => ({ deviceKind: 'dcu', dcuId, meterId: null })),
    });
  });
}

async function refuseBusy(tx: Tx, dcu: OrderDcu, kinds: readonly string[]): Promise<void> {
  await lockDcuInTransaction(tx, 'archive', dcu.id);
  if (await isBusy(tx, dcu.id, kinds)) throw new ApiError('BUSY', { sn: dcu.sn });
}

/** Queues a change of one DCU's archive within the caller's transaction. */
async function orderChange(
  ctx: Context,
  tx: Tx,
  who: Who,
  dcu: OrderDcu,
  { mode, sns }: { mode: Mode; sns?: readonly string[] },
): Promise<string> {
  await refuseBusy(tx, dcu, ['archive_dispatch']);
  const { taskId } = await placeOrder(tx, ctx, who, 'archive_dispatch', {
    params: { mode, by: who.user.id, ...(sns === undefined ? {} : { sns: [...sns] }) },
    items: [{ deviceKind: 'dcu', dcuId: dcu.id, meterId: null }],
    record: { entity: 'archive', entityId: dcu.id, detail: { dcuSn: dcu.sn, meters: sns?.length ?? null } },
  });
  return taskId;
}

async function findOrderedRecords(tx: Tx, user: User, dcuId: string, ids: readonly string[]) {
  const unique = [...new Set(ids)];
  const records = (await findRecords(tx, user, unique)).filter((record) => record.dcuId === dcuId);
  if (records.length < unique.length) throw new ApiError('NOT_FOUND');
  return records;
}

/** Queues the dispatch of bound meters: of the chosen records, or of all that wait for it. */
export async function orderDispatch(
  ctx: Context,
  who: Who,
  { dcuId, recordIds, all }: { dcuId: string; recordIds?: readonly string[] | undefined; all: boolean },
): Promise<{ taskId: string }> {
  return ctx.db.transaction().execute(async (tx) => {
    const dcu = await getOrderDcu(tx, who.user, dcuId);
    let sns: string[];
    if (all) {
      sns = await findPending(tx, dcuId);
      if (sns.length === 0) throw new ApiError('NOTHING_TO_DO');
    } else {
      const records = await findOrderedRecords(tx, who.user, dcuId, recordIds ?? []);
      if (records.some((record) => record.bindState !== 'bound')) throw new ApiError('NOT_BOUND');
      sns = records.map((record) => record.sn);
    }
    const entries = (await findSnapshot(tx, dcuId))?.entries ?? {};
    const after = new Set([...Object.keys(entries), ...sns]);
    if (after.size > dcu.maxMeters) throw new ApiError('ARCHIVE_FULL', { sn: dcu.sn, max: dcu.maxMeters });
    return { taskId: await orderChange(ctx, tx, who, dcu, { mode: 'dispatch', sns }) };
  });
}

/** Queues the removal of meters that are not bound to the DCU. */
export async function orderRemoval(ctx: Context, who: Who, dcuId: string, recordIds: readonly string[]): Promise<{ taskId: string }> {
  return ctx.db.transaction().execute(async (tx) => {
    const dcu = await getOrderDcu(tx, who.user, dcuId);
    const records = await findOrderedRecords(tx, who.user, dcuId, recordIds);
    // The next dispatch would restore a bound meter, so its removal is refused.
    if (records.some((record) => record.bindState === 'bound')) throw new ApiError('ALREADY_BOUND');
    return { taskId: await orderChange(ctx, tx, who, dcu, { mode: 'delete', sns: records.map((record) => record.sn) }) };
  });
}

/** Queues the removal of all entries. The serial number of the DCU confirms it. */
export async function orderClearing(ctx: Context, who: Who, dcuId: string, confirmSn: string): Promise<{ taskId: string }> {
  return ctx.db.transaction().execute(async (tx) => {
    const dcu = await getOrderDcu(tx, who.user, dcuId);
    if (confirmSn.trim().toUpperCase() !== dcu.sn.toUpperCase()) throw new ApiError('WRONG_SN', {}, 'confirmSn');
    return { taskId: await orderChange(ctx, tx, who, dcu, { mode: 'clear' }) };
  });
}

/** Plans the changes that make the DCU's archive equal to the HES, based on its last reading. Sends nothing. */
export async function makePlan(
  ctx: Context,
  who: Who,
  { dcuId, removeSurplus }: { dcuId: string; removeSurplus: boolean },
): Promise<RepairPlan> {
  const id = await ctx.db.transaction().execute(async (tx) => {
    const dcu = await getOrderDcu(tx, who.user, dcuId);
    const snapshot = await findSnapshot(tx, dcuId);
    if (snapshot === undefined) throw new ApiError('NOT_COMPARED', { sn: dcu.sn });
    const wanted = new Map<string, ArchiveEntry>();
    for (const row of await findStandings(tx, dcuId)) {
      const entry = hesEntryOf(row);
      if (entry !== null) wanted.set(row.sn, entry);
    }
    const present = Object.entries(snapshot.entries).map(([sn, entry]) => ({ sn, entry }));
    const surplus = removeSurplus ? present.map(({ sn }) => sn).filter((sn) => !wanted.has(sn)) : [];
    const steps = planArchive(present, wanted, new Set(surplus));
    const after =
      present.length - surplus.length + steps.filter((step) => step.kind === 'insert' && snapshot.entries[step.sn] === undefined).length;
    if (after > dcu.maxMeters) throw new ApiError('ARCHIVE_FULL', { sn: dcu.sn, max: dcu.maxMeters });
    const frames = steps.length === 0 ? 0 : framesOf(steps, present.length);
    const seconds = (frames * snapshot.durationMs) / Math.max(1, snapshot.frames) / 1000;
    return insertPlan(tx, { dcuId, snapshotId: snapshot.id, steps, frames, seconds, createdBy: who.user.id });
  });
  return getPlan(ctx, who.user, id);
}

async function getPlan(ctx: Pick<Context, 'db'>, user: User, id: string): Promise<RepairPlan> {
  const plan = await findPlan(ctx.db, user, id);
  if (plan === undefined) throw new ApiError('NOT_FOUND');
  return plan;
}

/** Queues the changes of a plan. The operation reads the DCU first and skips entries that are correct by then. */
export async function applyPlan(ctx: Context, who: Who, id: string): Promise<{ taskId: string }> {
  return ctx.db.transaction().execute(async (tx) => {
    const plan = await findPlan(tx, who.user, id);
    if (plan === undefined) throw new ApiError('NOT_FOUND');
    if (plan.steps.length === 0) throw new ApiError('NOTHING_TO_DO');
    const dcu = await getOrderDcu(tx, who.user, plan.dcuId);
    const sns = [...new Set(plan.steps.map((step) => step.sn))];
    const taskId = await orderChange(ctx, tx, who, dcu, { mode: 'plan', sns });
    await markApplied(tx, id, taskId, new Date(ctx.clock.now()));
    return { taskId };
  });
}
