import { dcuType } from '@hes/contract/asset/dcu-type.ts';
import { changeRecord, createRecord, getRecord, removeRecord } from '#db/master-data.ts';
import { implement } from '#http/implement.ts';
import { findSupplierChoices } from './profile-queries.ts';
import { listProfiles } from './profiles.ts';
import { DCU_TYPES, findCandidates, listDcuTypes } from './queries.ts';
import { dcuTypeAsFile, importDcuType, orderConformance } from './service.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { dcuTypeSheet } from './export-types.ts';

const dcuTypeCalls = implement(dcuType, {
  list: ({ ctx, user, query }) => listDcuTypes(ctx.db, user, query),
  choices: async ({ ctx }) => ({ profiles: await listProfiles(ctx.db, 'dcu'), suppliers: await findSupplierChoices(ctx.db) }),
  get: ({ ctx, user, params }) => getRecord(DCU_TYPES, ctx.db, user, params.id),
  create: ({ ctx, user, body, wire }) => createRecord(DCU_TYPES, ctx, { user, ip: wire.ip }, body),
  update: ({ ctx, user, params, body, wire }) => changeRecord(DCU_TYPES, ctx, { user, ip: wire.ip }, { ...params, ...body }),
  remove: ({ ctx, user, params, wire }) => removeRecord(DCU_TYPES, ctx, { user, ip: wire.ip }, params.id),
  file: ({ ctx, user, params }) => dcuTypeAsFile(ctx, user, params.id),
  importFile: ({ ctx, user, body, wire }) => importDcuType(ctx, { user, ip: wire.ip }, body),
  candidates: async ({ ctx, user, params, query }) => {
    await getRecord(DCU_TYPES, ctx.db, user, params.id);
    return { items: await findCandidates(ctx.db, user, params.id, query.search) };
  },
  conformance: ({ ctx, user, params, body, wire }) => orderConformance(ctx, { user, ip: wire.ip }, { ...params, ...body }),
});

export const dcuTypeRoutes = [...dcuTypeCalls, ...exportRoutes(dcuTypeSheet)];
