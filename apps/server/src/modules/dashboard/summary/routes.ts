import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { implement } from '#http/implement.ts';
import { findMapPoints } from './queries.ts';
import { summarise } from './service.ts';

export const dashboardRoutes = implement(dashboard, {
  summary: ({ ctx, user, query }) => summarise(ctx, user, query.node),
  map: async ({ ctx, user }) => ({ items: await findMapPoints(ctx.db, user) }),
});
