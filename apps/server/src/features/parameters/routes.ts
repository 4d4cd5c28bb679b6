import { dcuConfig } from '@hes/contract/action/dcu-config.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import { findDcus, findParameters, findTypes, listDcus, listTemplates } from './list-queries.ts';
import { orderScript, readParameters, removeTemplate, saveTemplate, writeParameters } from './service.ts';

export const dcuConfigRoutes = implement(dcuConfig, {
  list: ({ ctx, user, query }) => listDcus(ctx.db, user, query),
  types: async ({ ctx, user }) => ({ items: await findTypes(ctx.db, user) }),
  get: async ({ ctx, user, params }) => {
    const [dcu] = await findDcus(ctx.db, user, [params.id]);
    if (dcu === undefined) throw new ApiError('DCU_NOT_FOUND', params);
    return { sn: dcu.sn, items: await findParameters(ctx.db, dcu.id) };
  },
  read: ({ ctx, user, body, wire }) => readParameters(ctx, { user, ip: wire.ip }, body),
  write: ({ ctx, user, body, wire, locale }) => writeParameters(ctx, { user, ip: wire.ip }, body, locale),
  restart: ({ ctx, user, params, body, wire }) => orderScript(ctx, { user, ip: wire.ip }, { ...params, ...body }),
  factory: ({ ctx, user, params, body, wire }) => orderScript(ctx, { user, ip: wire.ip }, { ...params, ...body }),
  templates: async ({ ctx }) => ({ items: await listTemplates(ctx.db) }),
  saveTemplate: ({ ctx, user, body, wire, locale }) => saveTemplate(ctx, { user, ip: wire.ip }, body, locale),
  removeTemplate: ({ ctx, user, params, wire }) => removeTemplate(ctx, { user, ip: wire.ip }, params.id),
});
