import { relay } from '@hes/contract/action/relay.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#modules/export/export/api.ts';
import { checkOwnPassword } from '#modules/action/order/api.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import { relayLogSheet, relaySheet } from './export-relays.ts';
import { agreeToLimits, changeLimits, protectSupplies, releaseSwitching, stopSwitching } from './guard.ts';
import { judgeOrder, radiusOf } from './judge.ts';
import { findGuard, listCommands, listRelays, summariseRelays } from './queries.ts';
import { orderRelay, readRelays } from './service.ts';

export const relayRoutes = (tries: RateLimiter): Implemented[] => [
  ...exportRoutes(relaySheet),
  ...exportRoutes(relayLogSheet),
  ...implement(relay, {
    list: ({ ctx, user, query }) => listRelays(ctx.db, user, query),
    summary: ({ ctx, user, query }) => summariseRelays(ctx.db, user, query),
    log: ({ ctx, user, query }) => listCommands(ctx.db, user, query),
    read: ({ ctx, user, body }) => readRelays(ctx, user, body.meterIds),
    preview: async ({ ctx, user, body }) => radiusOf(await judgeOrder(ctx, user, body.meterIds, body.operation)),
    order: async ({ ctx, user, body, wire }) => {
      const who = { user, ip: wire.ip };
      const { operation, meterIds, workOrder, password } = body;
      if (operation === 'disconnect')
        await checkOwnPassword(ctx, who, { password, tries, about: { operation, meters: meterIds.length, workOrder } });
      return orderRelay(ctx, who, body);
    },
    protect: ({ ctx, user, body, wire }) => protectSupplies(ctx, { user, ip: wire.ip }, body),
    guard: ({ ctx }) => findGuard(ctx),
    changeLimits: ({ ctx, user, body, wire }) => changeLimits(ctx, { user, ip: wire.ip }, body),
    confirmLimits: async ({ ctx, user, body, wire }) => {
      const who = { user, ip: wire.ip };
      await checkOwnPassword(ctx, who, { password: body.password, tries, about: { limits: body.id } });
      return agreeToLimits(ctx, who, body.id);
    },
    stop: ({ ctx, user, body, wire }) => stopSwitching(ctx, { user, ip: wire.ip }, body.reason),
    release: ({ ctx, user, body, wire }) => releaseSwitching(ctx, { user, ip: wire.ip }, body.reason),
  }),
];
