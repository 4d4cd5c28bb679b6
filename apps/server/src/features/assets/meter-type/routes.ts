import { meterType } from '@hes/contract/asset/meter-type.ts';
import { changeRecord, createRecord, getRecord, removeRecord } from '#db/master-data.ts';
import { implement } from '#http/implement.ts';
import { findSupplierChoices } from '#features/assets/dcu-type/profile-queries.ts';
import { listProfiles } from '#features/assets/dcu-type/profiles.ts';
import { findCandidates, listMeterTypes, METER_TYPES } from './queries.ts';
import { forgetLearnt, importMeterType, learntLines, meterTypeAsFile, orderLearning, takeOverTemplate } from './service.ts';
import { listUnsupported } from './unsupported-queries.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { meterTypeSheet } from './export-types.ts';

const meterTypeCalls = implement(meterType, {
  list: ({ ctx, user, query }) => listMeterTypes(ctx.db, user, query),
  choices: async ({ ctx }) => ({ profiles: await listProfiles(ctx.db, 'meter'), suppliers: await findSupplierChoices(ctx.db) }),
  get: ({ ctx, user, params }) => getRecord(METER_TYPES, ctx.db, user, params.id),
  create: ({ ctx, user, body, wire }) => createRecord(METER_TYPES, ctx, { user, ip: wire.ip }, body),
  update: ({ ctx, user, params, body, wire }) => changeRecord(METER_TYPES, ctx, { user, ip: wire.ip }, { ...params, ...body }),
  remove: ({ ctx, user, params, wire }) => removeRecord(METER_TYPES, ctx, { user, ip: wire.ip }, params.id),
  file: ({ ctx, user, params }) => meterTypeAsFile(ctx, user, params.id),
  importFile: ({ ctx, user, body, wire }) => importMeterType(ctx, { user, ip: wire.ip }, body),
  candidates: async ({ ctx, user, params, query }) => {
    await getRecord(METER_TYPES, ctx.db, user, params.id);
    return { items: await findCandidates(ctx.db, user, params.id, query.search) };
  },
  learn: ({ ctx, user, params, body, wire }) => orderLearning(ctx, { user, ip: wire.ip }, { ...params, ...body }),
  learnt: async ({ ctx, user, params }) => ({ items: await learntLines(ctx, user, params) }),
  unsupported: async ({ ctx, user, params }) => {
    await getRecord(METER_TYPES, ctx.db, user, params.id);
    return { items: await listUnsupported(ctx.db, params.id) };
  },
  forgetUnsupported: ({ ctx, user, params, body, wire }) => forgetLearnt(ctx, { user, ip: wire.ip }, { ...params, ...body }),
  takeOver: ({ ctx, user, params, body, wire }) => takeOverTemplate(ctx, { user, ip: wire.ip }, { ...params, ...body }),
});

export const meterTypeRoutes = [...meterTypeCalls, ...exportRoutes(meterTypeSheet)];
