import { hasSuccessor, node } from '@hes/contract/manager/node.ts';
import { writeAudit } from '#db/audit.ts';
import type { Context, Who } from '#db/context.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import { findNodeEvents, findNodes, lockNodes, orderNode } from './queries.ts';

/** Orders a node to drain or to resume; it obeys at its next sign of life. */
async function order(ctx: Context, { user, ip }: Who, id: string, wanted: 'drain' | 'resume'): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const nodes = await lockNodes(tx);
    const found = nodes.find((one) => one.id === id);
    if (found === undefined) throw new ApiError('NOT_FOUND');
    // Devices of all areas move with a node.
    if (!seesWholeNetwork(user)) throw new ApiError('BEYOND_OWN_RIGHTS');
    if (found.isDraining === (wanted === 'drain')) throw new ApiError('NOTHING_TO_DO');
    if (wanted === 'drain' && !hasSuccessor(found, nodes)) throw new ApiError('LAST_NODE');
    await orderNode(tx, wanted, { id, userId: user.id });
    const action = wanted === 'drain' ? 'node_drained' : 'node_resumed';
    await writeAudit(tx, { userId: user.id, action, entity: 'node', entityId: id, detail: { name: found.name }, ip }, ctx.clock.now());
  });
}

export const nodeRoutes = implement(node, {
  list: async ({ ctx }) => {
    const items = await findNodes(ctx.db);
    return { items: items.map((row) => ({ ...row, startedAt: row.startedAt.toISOString(), aliveAt: row.aliveAt.toISOString() })) };
  },
  events: async ({ ctx }) => {
    const items = await findNodeEvents(ctx.db);
    return { items: items.map((row) => ({ ...row, at: row.at.toISOString() })) };
  },
  drain: ({ ctx, user, params, wire }) => order(ctx, { user, ip: wire.ip }, params.id, 'drain'),
  resume: ({ ctx, user, params, wire }) => order(ctx, { user, ip: wire.ip }, params.id, 'resume'),
});
