import { DCU_PARTS } from '@hes/contract/asset/dcu-part.ts';
import { diffTopology } from '@hes/contract/network/topology-diff.ts';
import type { TopologyDiffAnswer, TopologyNode, TopologyPicture, TopologyStats } from '@hes/contract/network/topology.ts';
import { findActiveTask, findStations, findVisibleDcu, type VisibleDcu } from './topology-queries.ts';
import { findDcusWithout } from '#db/dcu-parts.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Db, Tx, User, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { countParentChanges, findNodeHistory, findSnapshotAt, nodesOfSnapshot } from './tree-queries.ts';

export async function requireDcu(db: Db | Tx, user: User, id: string): Promise<VisibleDcu> {
  const dcu = await findVisibleDcu(db, user, id);
  if (dcu === undefined) throw new ApiError('DCU_NOT_FOUND', { id });
  return dcu;
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

function statsOf(nodes: readonly TopologyNode[], parentChanges24h: number): TopologyStats {
  const online = nodes.filter((node) => node.isOnline);
  const sum = (of: (node: TopologyNode) => number): number => online.reduce((total, node) => total + of(node), 0);
  return {
    online: online.length,
    total: nodes.length,
    meanLevel: online.length === 0 ? null : tenths(sum((node) => node.level) / online.length),
    maxLevel: Math.max(0, ...online.map((node) => node.level)),
    successPct: online.length === 0 ? null : tenths(sum((node) => ((node.upPct ?? 0) + (node.downPct ?? 0)) / 2) / online.length),
    parentChanges24h,
  };
}

/** The network of a DCU at its last reading, or at a given time. */
export async function pictureOf(ctx: Context, user: User, dcuId: string, at: string | undefined): Promise<TopologyPicture> {
  const dcu = await requireDcu(ctx.db, user, dcuId);
  const until = new Date(at ?? ctx.clock.now());
  const snapshot = await findSnapshotAt(ctx.db, dcuId, until);
  const [nodes, changes, activeTask, without] = await Promise.all([
    snapshot === undefined ? [] : at === undefined ? findStations(ctx.db, dcuId) : nodesOfSnapshot(ctx.db, snapshot),
    countParentChanges(ctx.db, dcuId, until),
    findActiveTask(ctx.db, dcuId, ['topology', 'modules', 'topology_switch']),
    findDcusWithout(ctx.db, [dcuId], 'topology'),
  ]);
  const { id, ...rest } = dcu;
  return {
    dcuId: id,
    ...rest,
    takenAt: snapshot?.takenAt.toISOString() ?? null,
    activeTaskId: activeTask ?? null,
    lacks: without.length === 0 ? null : DCU_PARTS.topology.reason,
    stats: statsOf(nodes, changes),
    nodes,
  };
}

export async function compareMoments(
  ctx: Context,
  user: User,
  dcuId: string,
  moments: { from: string; to: string },
): Promise<TopologyDiffAnswer> {
  await requireDcu(ctx.db, user, dcuId);
  const [before, after] = await Promise.all([
    findSnapshotAt(ctx.db, dcuId, new Date(moments.from)),
    findSnapshotAt(ctx.db, dcuId, new Date(moments.to)),
  ]);
  const online = (snapshot: typeof before) => (snapshot?.stations ?? []).map((station) => ({ ...station, isOnline: true }));
  return {
    from: before?.takenAt.toISOString() ?? moments.from,
    to: after?.takenAt.toISOString() ?? moments.to,
    ...diffTopology(online(before), online(after)),
  };
}

export async function historyOf(ctx: Context, user: User, dcuId: string, mac: string) {
  await requireDcu(ctx.db, user, dcuId);
  return findNodeHistory(ctx.db, dcuId, mac, new Date(ctx.clock.now()));
}

/** Queues a reading of the network or of its modules; one reading at a time. */
export async function orderReading(ctx: Context, who: Who, dcuId: string, kind: 'topology' | 'modules'): Promise<{ taskId: string }> {
  return ctx.db.transaction().execute(async (tx) => {
    const dcu = await requireDcu(tx, who.user, dcuId);
    if ((await findActiveTask(tx, dcuId, [kind])) !== undefined) throw new ApiError('BUSY', { sn: dcu.sn });
    return placeOrder(tx, ctx, who, kind, {
      params: {},
      items: [{ deviceKind: 'dcu', dcuId, meterId: null }],
      record: { entity: 'dcu', entityId: dcuId, detail: { dcuSn: dcu.sn } },
    });
  });
}
