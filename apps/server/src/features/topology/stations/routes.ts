import { staModel } from '@hes/contract/debug/sta-model.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { orderReading } from '#features/topology/port.ts';
import { stationSheet } from './export-stations.ts';
import { aboutStation, findPings, listStations, markReplaced, orderPing, orderRestart, summariseStations } from './service.ts';

export const staModelRoutes: Implemented[] = [
  ...exportRoutes(stationSheet),
  ...implement(staModel, {
    list: ({ ctx, user, query }) => listStations(ctx, user, query),
    summary: ({ ctx, user, query }) => summariseStations(ctx, user, query.dcuId),
    get: ({ ctx, user, params, query }) => aboutStation(ctx, user, query.dcuId, params.mac),
    read: ({ ctx, user, wire, body }) => orderReading(ctx, { user, ip: wire.ip }, body.dcuId, 'modules'),
    ping: ({ ctx, user, wire, params, body }) => orderPing(ctx, { user, ip: wire.ip }, { ...body, mac: params.mac }),
    pings: ({ ctx, user, params, query }) => findPings(ctx, user, { ...query, mac: params.mac }),
    restart: ({ ctx, user, wire, params, body }) => orderRestart(ctx, { user, ip: wire.ip }, { ...body, mac: params.mac }),
    replaced: ({ ctx, user, wire, params, body }) => markReplaced(ctx, { user, ip: wire.ip }, { ...body, mac: params.mac }),
  }),
];
