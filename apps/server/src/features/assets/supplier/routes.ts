import { supplier } from '@hes/contract/asset/supplier.ts';
import { changeRecord, createRecord, getRecord, removeRecord } from '#db/master-data.ts';
import { implement } from '#http/implement.ts';
import { listSuppliers, SUPPLIERS } from './queries.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { importRoutes } from '#transfer/import/routes.ts';
import { supplierList, supplierSheet } from './transfer-suppliers.ts';

const supplierCalls = implement(supplier, {
  list: ({ ctx, user, query }) => listSuppliers(ctx.db, user, query),
  get: ({ ctx, user, params }) => getRecord(SUPPLIERS, ctx.db, user, params.id),
  create: ({ ctx, user, body, wire }) => createRecord(SUPPLIERS, ctx, { user, ip: wire.ip }, body),
  update: ({ ctx, user, params, body, wire }) => changeRecord(SUPPLIERS, ctx, { user, ip: wire.ip }, { ...params, ...body }),
  remove: ({ ctx, user, params, wire }) => removeRecord(SUPPLIERS, ctx, { user, ip: wire.ip }, params.id),
});

export const supplierRoutes = [...supplierCalls, ...importRoutes(supplierList), ...exportRoutes(supplierSheet)];
