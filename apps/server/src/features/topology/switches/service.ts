import type { SwitchFigures, TopologySetting } from '@hes/contract/debug/topology-switch.ts';
import { MAX_RANGE_MS } from '@hes/contract/core/page.ts';
import type { TopologySwitchOperation } from '@hes/contract/states/topology.ts';
import { lockDcuInTransaction } from '#db/advisory-locks.ts';
import { changedFields, writeAudit } from '#db/audit.ts';
import { isoOrNull, type PageQuery } from '#db/paging.ts';
import { requireDcu } from '#features/topology/port.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, Db, Tx, User, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import {
  countMeters,
  endLostSwitches,
  findBlockingKinds,
  findSettingRow,
  findSwitches,
  insertSwitch,
  upsertSetting,
  type SwitchFilters,
} from './queries.ts';

async function findSetting(db: Db | Tx, dcuId: string): Promise<TopologySetting> {
  const row = await findSettingRow(db, dcuId);
  if (row === undefined) throw new ApiError('DCU_NOT_FOUND', { id: dcuId });
  return { ...row, updatedAt: isoOrNull(row.updatedAt), lastTakenAt: isoOrNull(row.lastTakenAt) };
}

export async function readSetting(ctx: Context, user: User, dcuId: string): Promise<TopologySetting> {
  await requireDcu(ctx.db, user, dcuId);
  return findSetting(ctx.db, dcuId);
}

type SettingChange = Pick<TopologySetting, 'capture' | 'pollMin' | 'depthDays' | 'updatedAt'>;

export async function saveSetting(ctx: Context, { user, ip }: Who, dcuId: string, change: SettingChange): Promise<TopologySetting> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    await requireDcu(tx, user, dcuId);
    await lockDcuInTransaction(tx, 'topologySetting', dcuId);
    const before = await findSetting(tx, dcuId);
    if (before.updatedAt !== change.updatedAt) throw stale(before);
    const { capture, pollMin, depthDays } = change;
    await upsertSetting(tx, { dcuId, capture, pollMin, depthDays, at: new Date(now), userId: user.id });
    const was = { capture: before.capture, pollMin: before.pollMin, depthDays: before.depthDays };
    const detail = changedFields(was, { capture, pollMin, depthDays });
    await writeAudit(tx, { userId: user.id, action: 'topology_setting_changed', entity: 'dcu', entityId: dcuId, detail, ip }, now);
    return findSetting(tx, dcuId);
  });
}

export async function previewSwitch(db: Db | Tx, user: User, dcuId: string) {
  await requireDcu(db, user, dcuId);
  const [meters, blockedBy] = await Promise.all([countMeters(db, dcuId), findBlockingKinds(db, dcuId)]);
  return { meters, blockedBy };
}

export async function orderSwitch(
  ctx: Context,
  who: Who,
  { dcuId, operation, reason }: { dcuId: string; operation: TopologySwitchOperation; reason: string },
): Promise<{ taskId: string }> {
  const { user } = who;
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const dcu = await requireDcu(tx, user, dcuId);
    await lockDcuInTransaction(tx, 'topologySwitch', dcuId);
    const { meters, blockedBy } = await previewSwitch(tx, user, dcuId);
    if (blockedBy.length > 0) throw new ApiError('BUSY', { sn: dcu.sn });
    await endLostSwitches(tx, dcuId, new Date(now));
    const { taskId } = await placeOrder(tx, ctx, who, 'topology_switch', {
      params: { operation },
      reason,
      items: [{ deviceKind: 'dcu', dcuId, meterId: null }],
      record: { entity: 'dcu', entityId: dcuId, detail: { dcuSn: dcu.sn, operation, reason, meters } },
    });
    await insertSwitch(tx, { dcuId, taskId, operation, reason, at: new Date(now), userId: user.id });
    return { taskId };
  });
}

const figures = (of: SwitchFigures | null): SwitchFigures | null =>
  of && { nodes: of.nodes, meanLevel: of.meanLevel, successPct: of.successPct, ...(of.mode === undefined ? {} : { mode: of.mode }) };

export async function listSwitches(db: Db, user: User, query: PageQuery & SwitchFilters) {
  const { from = null, to = null } = query;
  if (from !== null && to !== null && Date.parse(to) - Date.parse(from) > MAX_RANGE_MS) throw new ApiError('RANGE_TOO_LONG');
  const rows = await findSwitches(db, user, query);
  return {
    items: rows.map(({ matching: _matching, ...row }) => ({
      ...row,
      before: figures(row.before),
      after: figures(row.after),
      startedAt: row.startedAt.toISOString(),
      endedAt: isoOrNull(row.endedAt),
    })),
    total: rows[0]?.matching ?? 0,
    totalIsExact: true,
    page: query.page,
    size: query.size,
  };
}
