import { firmware, firmwareKey } from '@hes/contract/upgrade/firmware.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { firmwareSheet } from './export-firmware.ts';
import { listFirmware } from './queries.ts';
import {
  approve,
  changeFirmware,
  createFirmware,
  downloadFirmware,
  everyKey,
  getFirmware,
  hasKey,
  saveManufacturerKey,
  removeFirmware,
  retire,
} from './service.ts';
import { storeUpload } from './upload.ts';

const library = implement(firmware, {
  list: ({ ctx, user, query }) => listFirmware(ctx.db, user, query),
  get: ({ ctx, user, params }) => getFirmware(ctx.db, user, params.id),
  upload: ({ ctx, user, query, body }) => storeUpload(ctx, user, query.name, body),
  create: ({ ctx, user, body, wire }) => createFirmware(ctx, { user, ip: wire.ip }, body),
  update: ({ ctx, user, params, body, wire }) => changeFirmware(ctx, { user, ip: wire.ip }, params.id, body),
  approve: ({ ctx, user, params, body, wire }) => approve(ctx, { user, ip: wire.ip }, params.id, body.revision),
  retire: ({ ctx, user, params, body, wire }) => retire(ctx, { user, ip: wire.ip }, params.id, body.revision),
  remove: ({ ctx, user, params, wire }) => removeFirmware(ctx, { user, ip: wire.ip }, params.id),
  file: ({ ctx, user, params, wire }) => downloadFirmware(ctx, { user, ip: wire.ip }, params.id),
});

/** Replacing or deleting a manufacturer's key requires approval; the first key only adds a restriction. */
const isKeyKept: Implemented['requiresApproval'] = async ({ ctx, params }) => hasKey(ctx, (params as { id: string }).id); // as: parsed by the route

const keys = implement(firmwareKey, {
  list: ({ ctx }) => everyKey(ctx),
  save: ({ ctx, user, params, body, wire }) => saveManufacturerKey(ctx, { user, ip: wire.ip }, params.id, body.publicKey),
});

const guardedKeys = keys.map((key): Implemented => (key.route === firmwareKey.save ? { ...key, requiresApproval: isKeyKept } : key));

export const firmwareRoutes = [...library, ...guardedKeys, ...exportRoutes(firmwareSheet)];
