import { transformer } from '@hes/contract/asset/transformer.ts';
import { changeRecord, createRecord, getRecord, removeRecord } from '#db/master-data.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import { countTransformerStates, findBindable, findDcusOf, findDots, findMetersOf, listTransformers } from './queries.ts';
import { putTransformer } from './put-transformer.ts';
import { bindDcus, changeMaster, moveTransformers, TRANSFORMERS, unbindDcu } from './service.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { importRoutes } from '#transfer/import/routes.ts';
import { transformerList, transformerSheet } from './transfer-transformers.ts';

function boxOf(bbox: readonly string[] | undefined): readonly [number, number, number, number] | undefined {
  if (bbox === undefined) return undefined;
  const [west, south, east, north] = bbox.map(Number);
  if (west === undefined || south === undefined || east === undefined || north === undefined)
    throw new ApiError('VALIDATION', {}, [{ field: 'bbox', message: 'west,south,east,north' }]);
  return [west, south, east, north];
}

const transformerCalls = implement(transformer, {
  list: ({ ctx, user, query }) => listTransformers(ctx.db, user, query),
  facets: ({ ctx, user, query }) => countTransformerStates(ctx.db, user, query),
  map: async ({ ctx, user, query: { bbox, ...query } }) => ({ items: await findDots(ctx.db, user, { ...query, bbox: boxOf(bbox) }) }),
  dcus: async ({ ctx, user, query }) => ({ items: await findBindable(ctx.db, user, query) }),
  get: async ({ ctx, user, params }) => {
    const row = await getRecord(TRANSFORMERS, ctx.db, user, params.id);
    return { ...row, dcuList: await findDcusOf(ctx.db, user, params.id) };
  },
  meters: async ({ ctx, user, params, query }) => {
    await getRecord(TRANSFORMERS, ctx.db, user, params.id);
    return { items: await findMetersOf(ctx.db, params.id, query.search) };
  },
  create: ({ ctx, user, body, wire }) => createRecord(TRANSFORMERS, ctx, { user, ip: wire.ip }, body),
  put: ({ ctx, user, body, wire }) => putTransformer(ctx, { user, ip: wire.ip }, body),
  update: ({ ctx, user, params, body, wire }) => changeRecord(TRANSFORMERS, ctx, { user, ip: wire.ip }, { ...params, ...body }),
  remove: ({ ctx, user, params, wire }) => removeRecord(TRANSFORMERS, ctx, { user, ip: wire.ip }, params.id),
  moveMany: ({ ctx, user, body, wire }) => moveTransformers(ctx, { user, ip: wire.ip }, body),
  bindDcus: ({ ctx, user, params, body, wire }) => bindDcus(ctx, { user, ip: wire.ip }, params.id, body.dcuIds),
  unbindDcu: ({ ctx, user, params, wire }) => unbindDcu(ctx, { user, ip: wire.ip }, params),
  setMaster: ({ ctx, user, params, body, wire }) => changeMaster(ctx, { user, ip: wire.ip }, { ...params, ...body }),
});

export const transformerRoutes = [...transformerCalls, ...importRoutes(transformerList), ...exportRoutes(transformerSheet)];
