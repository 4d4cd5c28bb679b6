import { bill } from '@hes/contract/analysis/bill.ts';
import { implement } from '#http/implement.ts';
import { exportRoutes } from '#modules/export/export/api.ts';
import { checkRange } from '#modules/reading/reading/api.ts';
import { calculateBill } from './calculate.ts';
import { billSheet, consumptionSheet } from './export-bill.ts';
import { listLines, summariseLines } from './queries.ts';
import { readMissing } from './read-missing.ts';
import { getLine, getStatement, publishBill, trendOf } from './service.ts';

const calls = implement(bill, {
  list: ({ ctx, user, query }) => {
    checkRange(query);
    return listLines(ctx.db, user, query, ctx.settings.timeZone);
  },
  summary: ({ ctx, user, query }) => {
    checkRange(query);
    return summariseLines(ctx.db, user, query);
  },
  line: ({ ctx, user, params }) => getLine(ctx, user, params),
  statement: ({ ctx, user, params, locale }) => getStatement(ctx, user, params, locale),
  calculate: ({ ctx, user, body, wire }) => calculateBill(ctx, { user, ip: wire.ip }, body),
  readMissing: ({ ctx, user, params, body }) => readMissing(ctx, user, params.id, body.node),
  publish: ({ ctx, user, params, body, wire }) => publishBill(ctx, { user, ip: wire.ip }, { ...params, ...body }),
  trend: ({ ctx, user, query }) => trendOf(ctx, user, query),
});

export const billRoutes = [...calls, ...exportRoutes(billSheet), ...exportRoutes(consumptionSheet)];
