import { anomaly } from '@hes/contract/analysis/anomaly.ts';
import { writeAudit } from '#db/audit.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { checkRange } from '#features/readings/port.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import { anomalySheet } from './export-anomalies.ts';
import { getLimit, setLimit } from './limits.ts';
import { decideAnomaly, findAnomaly, listAnomalies, summariseAnomalies } from './queries.ts';

export const anomalyRoutes: Implemented[] = [
  ...exportRoutes(anomalySheet),
  ...implement(anomaly, {
    list: ({ ctx, user, query }) => {
      checkRange(query);
      return listAnomalies(ctx.db, user, query);
    },
    summary: ({ ctx, user, query }) => {
      checkRange(query);
      return summariseAnomalies(ctx.db, user, query);
    },
    limit: ({ ctx, user, params }) => getLimit(ctx, user, params.id),
    setLimit: ({ ctx, user, params, body, wire }) => setLimit(ctx, { user, ip: wire.ip }, params.id, body),
    decide: async ({ ctx, user, body, wire }) => {
      const { meterId, day, state, reason } = body;
      const before = await findAnomaly(ctx.db, user, body);
      if (before === undefined) throw new ApiError('NOT_FOUND');
      await ctx.db.transaction().execute(async (tx) => {
        const isChanged = await decideAnomaly(tx, body, user.id, new Date(ctx.clock.now()));
        if (!isChanged) throw stale((await findAnomaly(tx, user, body)) ?? before);
        const detail = { day, sn: before.sn, type: before.type, from: before.state, state, reason };
        const entry = {
          userId: user.id,
          action: 'anomaly_decided' as const,
          entity: 'anomaly' as const,
          entityId: meterId,
          detail,
          ip: wire.ip,
        };
        await writeAudit(tx, entry, ctx.clock.now());
      });
      const after = await findAnomaly(ctx.db, user, body);
      if (after === undefined) throw new ApiError('NOT_FOUND');
      return after;
    },
  }),
];
