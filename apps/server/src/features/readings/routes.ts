import { reading } from '@hes/contract/reading/reading.ts';
import { unitSymbol } from '@hes/dlms/cosem/unit.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { findMeter } from '#features/assets/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { listCorrections } from './correction-queries.ts';
import { enterManual } from './enter-manual.ts';
import { orderAudit } from './order-audit.ts';
import { findLatest, listDaily, listObisCodes, listProfile } from './queries.ts';
import { checkRange, completenessFigures } from './service.ts';
import type { ReadingViews } from '#db/reading-views.ts';

export const readingRoutes = (views: ReadingViews): Implemented[] => {
  /** The record of one meter, if the caller names one that there is, or of the filtered list. */
  const recordList = async (ctx: Context, who: Who, query: { meterId?: string | undefined }, sn: string | undefined) => {
    const { meterId } = query;
    const isMeter = meterId !== undefined && (sn !== undefined || (await findMeter(ctx.db, who.user, meterId)) !== undefined);
    await views.record(ctx, who, isMeter ? { meterId, sn } : { filter: { ...query } });
  };
  const recordMeter = async (ctx: Context, who: Who, meterId: string) => {
    const meter = await findMeter(ctx.db, who.user, meterId);
    if (meter === undefined) throw new ApiError('METER_NOT_FOUND', { id: meterId });
    await views.record(ctx, who, { meterId, sn: meter.sn });
  };
  return implement(reading, {
    daily: async ({ ctx, user, query, wire }) => {
      checkRange(query);
      const answer = await listDaily(ctx.db, user, query);
      await recordList(ctx, { user, ip: wire.ip }, query, answer.items[0]?.meterSn);
      return answer;
    },
    profile: async ({ ctx, user, params, query, wire }) => {
      checkRange(query);
      const answer = await listProfile(ctx.db, user, params.profile, query, ctx.settings.timeZone);
      await recordList(ctx, { user, ip: wire.ip }, query, answer.items[0]?.meterSn);
      return answer;
    },
    enter: async ({ ctx, user, body, wire }) => {
      await enterManual(ctx, { user, ip: wire.ip }, body);
      return undefined;
    },
    completeness: ({ ctx, user, query }) => {
      checkRange(query);
      return completenessFigures(ctx, user, query);
    },
    latest: async ({ ctx, user, params, wire }) => {
      await recordMeter(ctx, { user, ip: wire.ip }, params.meterId);
      return { items: await findLatest(ctx.db, params.meterId) };
    },
    corrections: async ({ ctx, user, params, query, wire }) => {
      checkRange(query);
      await recordMeter(ctx, { user, ip: wire.ip }, params.meterId);
      return { items: await listCorrections(ctx.db, { ...query, ...params }, ctx.settings.timeZone) };
    },
    audit: ({ ctx, user, body, wire }) => orderAudit(ctx, { user, ip: wire.ip }, body),
    obis: async ({ ctx, query }) => {
      const codes = await listObisCodes(ctx.db, query.category);
      return { items: codes.map((code) => ({ ...code, unit: unitSymbol(code.unit) })) };
    },
  });
};
