import { audit } from '@hes/contract/manager/audit.ts';
import { MAX_RANGE_MS } from '@hes/contract/core/page.ts';
import type { ChainAnchors } from '#db/chain-anchors.ts';
import { checkChain } from '#db/check-chain.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { ApiError } from '#platform/api-error.ts';
import { auditSheet } from './export-audit.ts';
import { countRows, listAudit } from './queries.ts';

export const auditRoutes = (anchors: ChainAnchors): Implemented[] => [
  ...exportRoutes(auditSheet),
  ...implement(audit, {
    list: ({ ctx, user, query }) => {
      const { from, to } = query;
      if (from !== undefined && to !== undefined && Date.parse(to) - Date.parse(from) > MAX_RANGE_MS)
        throw new ApiError('RANGE_TOO_LONG', {}, 'to');
      return listAudit(ctx.db, user, query);
    },
    verify: async ({ ctx, query }) => {
      const { chain, after, limit } = query;
      const anchor = anchors.of(chain);
      const part = { after, limit, keyedFrom: anchor?.keyedFrom };
      const [check, total] = await Promise.all([checkChain(ctx.db, chain, part), countRows(ctx.db, chain)]);
      if (check === undefined) throw new ApiError('NOT_FOUND');
      const { checked, brokenId, brokenBy, last, isEnd } = check;
      const next = isEnd || brokenId !== null ? null : (last?.id ?? null);
      const outside = anchor && { id: anchor.id, at: anchor.at, breaks: anchor.breaks };
      return {
        checked,
        brokenId,
        brokenBy,
        anchor: outside ?? null,
        next,
        lastId: last?.id ?? null,
        lastHash: last?.hash.toString('hex') ?? null,
        total,
      };
    },
  }),
];
