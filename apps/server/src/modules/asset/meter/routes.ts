import { meter } from '@hes/contract/asset/meter.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import { findMeter, listMeters } from './queries.ts';

export const meterRoutes = implement(meter, {
  list: ({ ctx, user, query }) => listMeters(ctx.db, user, query),
  get: async ({ ctx, user, params }) => {
    const found = await findMeter(ctx.db, user, params.id);
    if (found === undefined) throw new ApiError('METER_NOT_FOUND', { id: params.id });
    return found;
  },
});
