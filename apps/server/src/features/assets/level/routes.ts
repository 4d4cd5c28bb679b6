import { level } from '@hes/contract/asset/level.ts';
import { changeRecord, createRecord, removeRecord } from '#db/master-data.ts';
import { implement } from '#http/implement.ts';
import { listLevels } from './queries.ts';
import { LEVELS, moveLevel } from './service.ts';
import { importRoutes } from '#transfer/import/routes.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { levelList, levelSheet } from './transfer-levels.ts';

const levelCalls = implement(level, {
  list: async ({ ctx, user }) => ({ items: await listLevels(ctx.db, user) }),
  create: ({ ctx, user, body, wire }) => createRecord(LEVELS, ctx, { user, ip: wire.ip }, body),
  update: ({ ctx, user, params, body, wire }) => changeRecord(LEVELS, ctx, { user, ip: wire.ip }, { ...params, ...body }),
  move: ({ ctx, user, params, body, wire }) => moveLevel(ctx, { user, ip: wire.ip }, { ...params, ...body }),
  remove: ({ ctx, user, params, wire }) => removeRecord(LEVELS, ctx, { user, ip: wire.ip }, params.id, 'NOT_EMPTY'),
});

export const levelRoutes = [...levelCalls, ...importRoutes(levelList), ...exportRoutes(levelSheet)];
