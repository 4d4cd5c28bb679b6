import { discovery } from '@hes/contract/asset/discovery.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { foundSheet } from './export-found.ts';
import { adoptMeters } from './adopt.ts';
import { countMatches, listFound, listRuns } from './list-queries.ts';
import { clearFound, startSearch, stopSearch } from './service.ts';

export const discoveryRoutes: Implemented[] = [
  ...exportRoutes(foundSheet),
  ...implement(discovery, {
    start: ({ ctx, user, wire, body }) => startSearch(ctx, { user, ip: wire.ip }, body),
    runs: ({ ctx, user, query }) => listRuns(ctx.db, user, query),
    stop: ({ ctx, user, wire, params }) => stopSearch(ctx, { user, ip: wire.ip }, params.id),
    list: ({ ctx, user, query }) => listFound(ctx.db, user, query),
    facets: ({ ctx, user, query }) => countMatches(ctx.db, user, query),
    adopt: ({ ctx, user, wire, body }) => adoptMeters(ctx, { user, ip: wire.ip }, body),
    clear: ({ ctx, user, wire, query }) => clearFound(ctx, { user, ip: wire.ip }, query.dcuId),
  }),
];
