import { dcu } from '@hes/contract/asset/dcu.ts';
import { implement } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { importRoutes } from '#transfer/import/routes.ts';
import { todayOfDcu } from '#features/readings/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User, Who } from '#db/context.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { dcuSheet } from './export-dcus.ts';
import { changeDcu, createDcu, forget, moveToTransformer, orderDcus, removeDcu, setDcuKeys } from './administer.ts';
import { findDcuOptions } from './admin-queries.ts';
import { dcuList } from './import-dcus.ts';
import { listNearDcus } from './near-queries.ts';
import { countFacets, findDcu, findSessions, findUnregistered, listDcus, listOnlineHours } from './queries.ts';

/** Hours of the availability of a DCU that its page shows. */
const HOURS_SHOWN = 72;

const who = ({ user, wire }: { user: User; wire: { ip: string } }): Who => ({ user, ip: wire.ip });

async function getDcu(ctx: Context, user: User, id: string) {
  const found = await findDcu(ctx.db, user, id);
  if (found === undefined) throw new ApiError('DCU_NOT_FOUND', { id });
  return found;
}

async function wholeDcu(ctx: Context, user: User, id: string) {
  const { detail, activeMeters } = await getDcu(ctx, user, id);
  const hours = new Zone(ctx.settings.timeZone).hoursUpTo(ctx.clock.now(), HOURS_SHOWN);
  const [onlineHours, completeness] = await Promise.all([
    listOnlineHours(ctx.db, id, hours),
    todayOfDcu(ctx, user, { dcuId: id, activeMeters }),
  ]);
  return { ...detail, onlineHours, completeness };
}

const dcuCalls = implement(dcu, {
  list: ({ ctx, user, query }) => listDcus(ctx.db, user, query),
  facets: ({ ctx, user, query }) => countFacets(ctx.db, user, query),
  get: ({ ctx, user, params }) => wholeDcu(ctx, user, params.id),
  sessions: async ({ ctx, user, params }) => {
    await getDcu(ctx, user, params.id);
    return { items: await findSessions(ctx.db, params.id) };
  },
  near: async ({ ctx, user, query }) => ({ items: await listNearDcus(ctx.db, user, query) }),
  unregistered: ({ ctx }) => findUnregistered(ctx.db),
  options: ({ ctx }) => findDcuOptions(ctx.db),
  create: async (call) => wholeDcu(call.ctx, call.user, await createDcu(call.ctx, who(call), call.body)),
  update: async (call) => {
    await changeDcu(call.ctx, who(call), call.params.id, call.body);
    return wholeDcu(call.ctx, call.user, call.params.id);
  },
  remove: (call) => removeDcu(call.ctx, who(call), call.params.id),
  setKeys: async (call) => {
    await setDcuKeys(call.ctx, who(call), call.params.id, call.body);
    return wholeDcu(call.ctx, call.user, call.params.id);
  },
  move: (call) => moveToTransformer(call.ctx, who(call), call.body),
  test: (call) => orderDcus(call.ctx, who(call), 'dcu_test', [call.params.id]),
  readInfo: (call) => orderDcus(call.ctx, who(call), 'dcu_read_info', call.body.ids),
  restart: (call) => orderDcus(call.ctx, who(call), 'dcu_restart', [call.params.id], call.body.reason),
  forgetCaller: (call) => forget(call.ctx, who(call), call.query.name),
});

export const dcuRoutes = [...dcuCalls, ...importRoutes(dcuList), ...exportRoutes(dcuSheet)];
