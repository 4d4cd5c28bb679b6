import { gap } from '@hes/contract/reading/gap.ts';
import { writeAudit } from '#db/audit.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { importRoutes } from '#transfer/import/routes.ts';
import { completenessSheet, gapSheet } from './export-gaps.ts';
import { dailySheet, profileSheet } from './export-readings.ts';
import { manualList } from './import-manual.ts';
import { countByDcu, dismissGaps, listCompleteness } from './gap-queries.ts';
import { estimateRefill, orderRefill } from './refill.ts';
import { checkRange, listGapsWithFigures } from './service.ts';

export const gapRoutes: Implemented[] = [
  ...exportRoutes(dailySheet),
  ...exportRoutes(profileSheet),
  ...exportRoutes(gapSheet),
  ...exportRoutes(completenessSheet),
  ...importRoutes(manualList),
  ...implement(gap, {
    list: ({ ctx, user, query }) => {
      checkRange(query);
      return listGapsWithFigures(ctx, user, query);
    },
    byMeter: ({ ctx, user, query }) => {
      checkRange(query);
      return listCompleteness(ctx.db, user, query, ctx.settings.timeZone);
    },
    byDcu: async ({ ctx, user, query }) => {
      checkRange(query);
      return { items: await countByDcu(ctx.db, user, query, ctx.settings.timeZone) };
    },
    estimate: ({ ctx, user, body }) => estimateRefill(ctx, user, body),
    refill: ({ ctx, user, body, wire }) => orderRefill(ctx, { user, ip: wire.ip }, body),
    dismiss: ({ ctx, user, body, wire }) =>
      ctx.db.transaction().execute(async (tx) => {
        const changed = await dismissGaps(tx, user, body.ids, body.note);
        const entry = {
          userId: user.id,
          action: 'gap_dismissed',
          entity: 'gap',
          entityId: null,
          detail: { ...body, changed },
          ip: wire.ip,
        } as const;
        await writeAudit(tx, entry, ctx.clock.now());
        return { changed };
      }),
  }),
];
