import { price } from '@hes/contract/analysis/price.ts';
import { writeAudit } from '#db/audit.ts';
import { implement } from '#http/implement.ts';
import { findPriceLists, writePriceList } from './queries.ts';

export const priceRoutes = implement(price, {
  list: async ({ ctx }) => ({ items: await findPriceLists(ctx.db) }),
  save: async ({ ctx, user, body, wire }) => {
    await ctx.db.transaction().execute(async (tx) => {
      await writePriceList(tx, body);
      const entry = {
        userId: user.id,
        action: 'price_changed' as const,
        entity: 'tariff_price' as const,
        entityId: body.validFrom,
        detail: { ...body },
        ip: wire.ip,
      };
      await writeAudit(tx, entry, ctx.clock.now());
    });
    return { items: await findPriceLists(ctx.db) };
  },
});
