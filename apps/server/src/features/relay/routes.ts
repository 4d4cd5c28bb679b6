import { relay } from '@hes/contract/action/relay.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { relayLogSheet, relaySheet } from './export-relays.ts';
import { approveLimits, changeLimits, protectSupplies, releaseSwitching, stopSwitching } from './guard.ts';
import { judgeOrder, radiusOf } from './judge.ts';
import { findLimitStatus, listCommands, listRelays, summariseRelays } from './list-queries.ts';
import { orderRelay, readRelays } from './service.ts';

export const relayRoutes: Implemented[] = [
  ...exportRoutes(relaySheet),
  ...exportRoutes(relayLogSheet),
  ...implement(relay, {
    list: ({ ctx, user, query }) => listRelays(ctx.db, user, query),
    summary: ({ ctx, user, query }) => summariseRelays(ctx.db, user, query),
    log: ({ ctx, user, query }) => listCommands(ctx.db, user, query),
    read: ({ ctx, user, body, wire }) => readRelays(ctx, { user, ip: wire.ip }, body.meterIds),
    preview: async ({ ctx, user, body }) => radiusOf(await judgeOrder(ctx, user, body.meterIds, body.operation)),
    order: ({ ctx, user, body, wire }) => orderRelay(ctx, { user, ip: wire.ip }, body),
    protect: ({ ctx, user, body, wire }) => protectSupplies(ctx, { user, ip: wire.ip }, body),
    limits: ({ ctx }) => findLimitStatus(ctx),
    changeLimits: ({ ctx, user, body, wire }) => changeLimits(ctx, { user, ip: wire.ip }, body),
    approveLimits: ({ ctx, user, body, wire }) => approveLimits(ctx, { user, ip: wire.ip }, body.id),
    stop: ({ ctx, user, body, wire }) => stopSwitching(ctx, { user, ip: wire.ip }, body.reason),
    release: ({ ctx, user, body, wire }) => releaseSwitching(ctx, { user, ip: wire.ip }, body.reason),
  }),
];
