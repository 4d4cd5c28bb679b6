import { clock } from '@hes/contract/action/clock.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { clockSheet } from './export-clocks.ts';
import { listClocks, summariseClocks } from './list-queries.ts';
import { orderClock } from './service.ts';

export const clockRoutes: Implemented[] = [
  ...exportRoutes(clockSheet),
  ...implement(clock, {
    list: ({ ctx, user, query }) => listClocks(ctx.db, user, query),
    summary: ({ ctx, user, query }) => summariseClocks(ctx.db, user, query),
    order: ({ ctx, user, body, wire }) => orderClock(ctx, { user, ip: wire.ip }, body),
  }),
];
