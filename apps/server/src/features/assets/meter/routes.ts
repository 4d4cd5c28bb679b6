import { meter } from '@hes/contract/asset/meter.ts';
import { implement } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { importRoutes } from '#transfer/import/routes.ts';
import { ApiError } from '#platform/api-error.ts';
import type { User, Who } from '#db/context.ts';
import { assetSheet } from './export-assets.ts';
import { changeMeter, createMeter, getAsset, removeMeter, setMaster, setMeterKeys, setType, testMeter } from './administer.ts';
import { countInventory, findMeterOptions, listAssets } from './asset-queries.ts';
import { installationList } from './import-installation.ts';
import { meterList } from './import-meters.ts';
import { putMeter } from './put-meter.ts';
import { installMeter } from './install.ts';
import { changeState, getShown, replaceMeter } from './life.ts';
import { findMeter, listMeters } from './queries.ts';

const who = ({ user, wire }: { user: User; wire: { ip: string } }): Who => ({ user, ip: wire.ip });

const meterCalls = implement(meter, {
  list: ({ ctx, user, query }) => listMeters(ctx.db, user, query),
  get: async ({ ctx, user, params }) => {
    const found = await findMeter(ctx.db, user, params.id);
    if (found === undefined) throw new ApiError('METER_NOT_FOUND', { id: params.id });
    return found;
  },
  assets: ({ ctx, user, query }) => listAssets(ctx.db, user, query),
  facets: ({ ctx, user, query }) => countInventory(ctx.db, user, query),
  options: ({ ctx }) => findMeterOptions(ctx.db),
  frozenRegisters: ({ ctx, user, params, query }) => getShown(ctx, user, params.id, query),
  asset: ({ ctx, user, params }) => getAsset(ctx.db, user, params.id),
  create: (call) => createMeter(call.ctx, who(call), call.body),
  put: (call) => putMeter(call.ctx, who(call), call.body),
  update: (call) => changeMeter(call.ctx, who(call), call.params.id, call.body),
  remove: (call) => removeMeter(call.ctx, who(call), call.params.id),
  setKeys: (call) => setMeterKeys(call.ctx, who(call), call.params.id, call.body),
  setState: (call) => changeState(call.ctx, who(call), call.body),
  setMaster: (call) => setMaster(call.ctx, who(call), call.body),
  setType: (call) => setType(call.ctx, who(call), call.body),
  test: (call) => testMeter(call.ctx, who(call), call.params.id),
  install: (call) => installMeter(call.ctx, who(call), call.params.id, call.body),
  replace: (call) => replaceMeter(call.ctx, who(call), call.params.id, call.body),
});

export const meterRoutes = [...meterCalls, ...importRoutes(meterList), ...importRoutes(installationList), ...exportRoutes(assetSheet)];
