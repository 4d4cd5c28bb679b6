import { reading } from '@hes/contract/reading/reading.ts';
import { unitSymbol } from '@hes/dlms/cosem/unit.ts';
import { implement } from '#http/implement.ts';
import { findMeter } from '#modules/asset/meter/api.ts';
import { ApiError } from '#platform/api-error.ts';
import { listCorrections } from './correction-queries.ts';
import { enterManual } from './enter-manual.ts';
import { orderAudit } from './order-audit.ts';
import { findLatest, listDaily, listObisCodes, listProfile } from './queries.ts';
import { checkRange, completenessFigures } from './service.ts';

export const readingRoutes = implement(reading, {
  daily: ({ ctx, user, query }) => {
    checkRange(query);
    return listDaily(ctx.db, user, query);
  },
  profile: ({ ctx, user, params, query }) => {
    checkRange(query);
    return listProfile(ctx.db, user, params.profile, query, ctx.settings.timeZone);
  },
  enter: async ({ ctx, user, body, wire }) => {
    await enterManual(ctx, { user, ip: wire.ip }, body);
    return undefined;
  },
  completeness: ({ ctx, user, query }) => {
    checkRange(query);
    return completenessFigures(ctx, user, query);
  },
  latest: async ({ ctx, user, params }) => {
    if ((await findMeter(ctx.db, user, params.meterId)) === undefined) throw new ApiError('METER_NOT_FOUND', { id: params.meterId });
    return { items: await findLatest(ctx.db, params.meterId) };
  },
  corrections: async ({ ctx, user, params, query }) => {
    checkRange(query);
    if ((await findMeter(ctx.db, user, params.meterId)) === undefined) throw new ApiError('METER_NOT_FOUND', { id: params.meterId });
    return { items: await listCorrections(ctx.db, { ...query, ...params }, ctx.settings.timeZone) };
  },
  audit: ({ ctx, user, body, wire }) => orderAudit(ctx, { user, ip: wire.ip }, body),
  obis: async ({ ctx, query }) => {
    const codes = await listObisCodes(ctx.db, query.category);
    return { items: codes.map((code) => ({ ...code, unit: unitSymbol(code.unit) })) };
  },
});
