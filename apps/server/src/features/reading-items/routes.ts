import { obis } from '@hes/contract/reading/obis.ts';
import { implement } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { importRoutes } from '#transfer/import/routes.ts';
import { obisSheet } from './export-obis.ts';
import { obisList } from './import-obis.ts';
import { findTestMeters, listObis } from './queries.ts';
import { changeObis, createObis, getObis, orderTest, removeObis } from './service.ts';
import { changeTemplate, createTemplate, listTemplates, removeTemplate } from './templates.ts';

export const obisRoutes = [
  ...implement(obis, {
    list: ({ ctx, query }) => listObis(ctx.db, query),
    get: ({ ctx, params }) => getObis(ctx.db, params.id),
    create: ({ ctx, user, body, wire }) => createObis(ctx, { user, ip: wire.ip }, body),
    update: ({ ctx, user, params, body, wire }) => changeObis(ctx, { user, ip: wire.ip }, params.id, body),
    remove: ({ ctx, user, params, wire }) => removeObis(ctx, { user, ip: wire.ip }, params.id),
    test: ({ ctx, user, params, body, wire }) => orderTest(ctx, { user, ip: wire.ip }, params.id, body.meterId),
    meters: async ({ ctx, user, query }) => ({ items: await findTestMeters(ctx.db, user, query.search) }),
    templates: async ({ ctx }) => ({ items: await listTemplates(ctx.db) }),
    createTemplate: ({ ctx, user, body, wire }) => createTemplate(ctx, { user, ip: wire.ip }, body),
    updateTemplate: ({ ctx, user, params, body, wire }) => changeTemplate(ctx, { user, ip: wire.ip }, params.id, body),
    removeTemplate: ({ ctx, user, params, wire }) => removeTemplate(ctx, { user, ip: wire.ip }, params.id),
  }),
  ...importRoutes(obisList),
  ...exportRoutes(obisSheet),
];
