import { topology } from '@hes/contract/network/topology.ts';
import { implement } from '#http/implement.ts';
import { findMoments, listDcus } from './tree-queries.ts';
import { compareMoments, historyOf, orderReading, pictureOf, requireDcu } from './service.ts';

export const topologyRoutes = implement(topology, {
  dcus: ({ ctx, user, query }) => listDcus(ctx.db, user, query),
  get: ({ ctx, user, params, query }) => pictureOf(ctx, user, params.dcuId, query.at),
  moments: async ({ ctx, user, params }) => {
    await requireDcu(ctx.db, user, params.dcuId);
    return { items: await findMoments(ctx.db, params.dcuId) };
  },
  diff: ({ ctx, user, params, query }) => compareMoments(ctx, user, params.dcuId, query),
  node: ({ ctx, user, params }) => historyOf(ctx, user, params.dcuId, params.mac),
  refresh: ({ ctx, user, wire, params }) => orderReading(ctx, { user, ip: wire.ip }, params.dcuId, 'topology'),
});
