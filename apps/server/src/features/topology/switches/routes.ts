import { topologySwitch } from '@hes/contract/debug/topology-switch.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { topologySwitchSheet } from './export-switches.ts';
import { listSwitches, orderSwitch, previewSwitch, readSetting, saveSetting } from './service.ts';

export const topologySwitchRoutes: Implemented[] = [
  ...exportRoutes(topologySwitchSheet),
  ...implement(topologySwitch, {
    setting: ({ ctx, user, params }) => readSetting(ctx, user, params.dcuId),
    saveSetting: ({ ctx, user, wire, params, body }) => saveSetting(ctx, { user, ip: wire.ip }, params.dcuId, body),
    list: ({ ctx, user, query }) => listSwitches(ctx.db, user, query),
    preview: ({ ctx, user, params }) => previewSwitch(ctx.db, user, params.dcuId),
    order: ({ ctx, user, wire, body }) => orderSwitch(ctx, { user, ip: wire.ip }, body),
  }),
];
