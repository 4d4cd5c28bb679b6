import { archive } from '@hes/contract/asset/archive.ts';
import { implement } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { importRoutes } from '#transfer/import/routes.ts';
import { archiveSheet, archiveSummarySheet } from './export-archive.ts';
import { bindToDcu, getOrderDcu, unbindFromDcu } from './bind.ts';
import { bindingList } from './import-bindings.ts';
import { applyPlan, orderClearing, orderComparison, orderDispatch, makePlan, orderRemoval } from './orders.ts';
import { findLog, listArchive, listSummaries } from './list-queries.ts';

const archiveCalls = implement(archive, {
  list: ({ ctx, user, query }) => listArchive(ctx.db, user, query),
  summary: ({ ctx, user, query }) => listSummaries(ctx.db, user, query),
  log: async ({ ctx, user, query }) => {
    await getOrderDcu(ctx.db, user, query.dcuId);
    return { items: await findLog(ctx.db, query.dcuId, query.size) };
  },
  bind: async ({ ctx, user, wire, body }) => ({ items: await bindToDcu(ctx, { user, ip: wire.ip }, body) }),
  unbind: async ({ ctx, user, wire, body }) => ({ items: await unbindFromDcu(ctx, { user, ip: wire.ip }, body.recordIds) }),
  compare: ({ ctx, user, wire, body }) => orderComparison(ctx, { user, ip: wire.ip }, body.dcuIds),
  dispatch: ({ ctx, user, wire, body }) => orderDispatch(ctx, { user, ip: wire.ip }, body),
  remove: ({ ctx, user, wire, body }) => orderRemoval(ctx, { user, ip: wire.ip }, body.dcuId, body.recordIds),
  clear: ({ ctx, user, wire, body }) => orderClearing(ctx, { user, ip: wire.ip }, body.dcuId, body.confirmSn),
  plan: ({ ctx, user, wire, body }) => makePlan(ctx, { user, ip: wire.ip }, body),
  apply: ({ ctx, user, wire, params }) => applyPlan(ctx, { user, ip: wire.ip }, params.id),
});

export const archiveRoutes = [
  ...archiveCalls,
  ...importRoutes(bindingList),
  ...exportRoutes(archiveSheet),
  ...exportRoutes(archiveSummarySheet),
];
