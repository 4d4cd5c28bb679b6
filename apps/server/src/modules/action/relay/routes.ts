import { relay } from '@hes/contract/action/relay.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#modules/export/export/api.ts';
import { checkOwnProof } from '#modules/auth/second-factor/api.ts';
import type { RateLimiter } from '#platform/rate-limiter.ts';
import { relayLogSheet, relaySheet } from './export-relays.ts';
import { agreeToLimits, changeLimits, protectSupplies, releaseSwitching, stopSwitching } from './guard.ts';
import { judgeOrder, radiusOf } from './judge.ts';
import { findGuard, listCommands, listRelays, summariseRelays } from './queries.ts';
import { orderRelay, readRelays } from './service.ts';

const REFUSED = { action: 'relay_refused', entity: 'relay', entityId: null } as const;

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
      const { operation, meterIds, workOrder, password, otp } = body;
      const about = { operation, meters: meterIds.length, workOrder };
      if (operation === 'disconnect') await checkOwnProof(ctx, who, { password, otp, tries, about, refused: REFUSED });
      return orderRelay(ctx, who, body);
    },
    protect: ({ ctx, user, body, wire }) => protectSupplies(ctx, { user, ip: wire.ip }, body),
    guard: ({ ctx }) => findGuard(ctx),
    changeLimits: ({ ctx, user, body, wire }) => changeLimits(ctx, { user, ip: wire.ip }, body),
    confirmLimits: async ({ ctx, user, body, wire }) => {
      const who = { user, ip: wire.ip };
      const { id, ...proof } = body;
      await checkOwnProof(ctx, who, { ...proof, tries, about: { limits: id }, refused: REFUSED });
      return agreeToLimits(ctx, who, id);
    },
    stop: ({ ctx, user, body, wire }) => stopSwitching(ctx, { user, ip: wire.ip }, body.reason),
    release: ({ ctx, user, body, wire }) => releaseSwitching(ctx, { user, ip: wire.ip }, body.reason),
  }),
];
