import { dcu } from '@hes/contract/asset/dcu.ts';
import { implement } from '#http/implement.ts';
import { todayOfDcu } from '#modules/reading/reading/api.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#platform/context.ts';
import { countFacets, findDcu, findSessions, findUnregistered, listDcus, onlineMinutes } from './queries.ts';

async function getDcu(ctx: Context, user: User, id: string) {
  const found = await findDcu(ctx.db, user, id);
  if (found === undefined) throw new ApiError('DCU_NOT_FOUND', { id });
  return found;
}

export const dcuRoutes = implement(dcu, {
  list: ({ ctx, user, query }) => listDcus(ctx.db, user, query),
  facets: ({ ctx, user, query }) => countFacets(ctx.db, user, query),
  get: async ({ ctx, user, params }) => {
    const { detail, activeMeters } = await getDcu(ctx, user, params.id);
    const [minutes, completeness] = await Promise.all([
      onlineMinutes(ctx.db, params.id),
      todayOfDcu(ctx, user, { dcuId: params.id, activeMeters }),
    ]);
    return { ...detail, onlineMinutes: minutes, completeness };
  },
  sessions: async ({ ctx, user, params }) => {
    await getDcu(ctx, user, params.id);
    return { items: await findSessions(ctx.db, params.id) };
  },
  unregistered: ({ ctx }) => findUnregistered(ctx.db),
});
