import { dashboardCard } from '@hes/contract/dashboard/card.ts';
import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { implement } from '#http/implement.ts';
import { anomaliesOf, archivesToDo, availability, recentEvents, signalDistribution, worstLosses } from './cards-queries.ts';
import { findMapItems } from './map.ts';
import { summarise } from './service.ts';
import { spanOf } from './span.ts';

export const dashboardRoutes = implement(dashboard, {
  summary: ({ ctx, user, query }) => summarise(ctx, user, query),
  map: async ({ ctx, user, query }) => ({ items: await findMapItems(ctx.db, user, query.box) }),
});

export const dashboardCardRoutes = implement(dashboardCard, {
  events: ({ ctx, user, query }) => recentEvents(ctx.db, user, query.node, spanOf(ctx, query.date)),
  archives: async ({ ctx, user, query }) => ({ items: await archivesToDo(ctx.db, user, query.node) }),
  signal: async ({ ctx, user, query }) => ({ bySignal: await signalDistribution(ctx.db, user, query.node) }),
  anomalies: ({ ctx, user, query }) => anomaliesOf(ctx.db, user, query.node, query.date),
  losses: async ({ ctx, user, query }) => ({ items: await worstLosses(ctx.db, user, query.node, query.date) }),
  availability: ({ ctx, user, query }) => availability(ctx.db, user, query.node, spanOf(ctx, query.date)),
});
