import { bill } from '@hes/contract/analysis/bill.ts';
import type { ReadingViews } from '#db/reading-views.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { checkRange } from '#features/readings/port.ts';
import { calculateBill } from './calculate.ts';
import { billSheet, consumptionSheet } from './export-bill.ts';
import { listLines, summariseLines } from './queries.ts';
import { readMissing } from './read-missing.ts';
import { getLine, getStatement, publishBill, trendOf } from './service.ts';

/** `views` limits requests for lines and statements, which read all days of a meter. */
const callsOf = (views: ReadingViews) =>
  implement(bill, {
    list: ({ ctx, user, query }) => {
      checkRange(query);
      return listLines(ctx.db, user, query, ctx.settings.timeZone);
    },
    summary: ({ ctx, user, query }) => {
      checkRange(query);
      return summariseLines(ctx.db, user, query);
    },
    line: async ({ ctx, user, params, wire }) => {
      const line = await getLine(ctx, user, params);
      await views.record(ctx, { user, ip: wire.ip }, line);
      return line;
    },
    statement: async ({ ctx, user, params, locale, wire }) => {
      const statement = await getStatement(ctx, user, params, locale);
      await views.record(ctx, { user, ip: wire.ip }, { meterId: params.meterId, sn: undefined });
      return statement;
    },
    calculate: ({ ctx, user, body, wire }) => calculateBill(ctx, { user, ip: wire.ip }, body),
    readMissing: ({ ctx, user, params, body, wire }) => readMissing(ctx, { user, ip: wire.ip }, params.id, body.node),
    publish: ({ ctx, user, params, body, wire }) => publishBill(ctx, { user, ip: wire.ip }, { ...params, ...body }),
    trend: ({ ctx, user, query }) => trendOf(ctx, user, query),
  });

export const billRoutes = (views: ReadingViews): Implemented[] => [
  ...callsOf(views),
  ...exportRoutes(billSheet),
  ...exportRoutes(consumptionSheet),
];
