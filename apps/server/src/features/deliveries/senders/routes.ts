import { sender } from '@hes/contract/delivery/sender.ts';
import type { ReadingViews } from '#db/reading-views.ts';
import { implement, type Implemented } from '#http/implement.ts';
import type { DeliveryReach } from './kinds/kind.ts';
import {
  changeSender,
  createSender,
  getSender,
  listDeadLetters,
  listSenders,
  pauseSender,
  removeSender,
  replaySender,
  testSender,
} from './service.ts';

/** `reach`: what senders may reach. */
export const senderRoutes = (reach: DeliveryReach, views: ReadingViews): Implemented[] =>
  implement(sender, {
    list: ({ ctx, user, query }) => listSenders(ctx, user, query),
    get: ({ ctx, user, params }) => getSender(ctx, user, params.id),
    deadLetters: async ({ ctx, user, params, wire }) => ({ items: await listDeadLetters(ctx, { user, ip: wire.ip }, views, params.id) }),
    create: ({ ctx, user, body, wire }) => createSender(ctx, { user, ip: wire.ip }, body),
    update: ({ ctx, user, params, body, wire }) => changeSender(ctx, { user, ip: wire.ip }, { ...params, ...body }),
    remove: ({ ctx, user, params, wire }) => removeSender(ctx, { user, ip: wire.ip }, params.id),
    pause: ({ ctx, user, params, wire }) => pauseSender(ctx, { user, ip: wire.ip }, params.id, true),
    resume: ({ ctx, user, params, wire }) => pauseSender(ctx, { user, ip: wire.ip }, params.id, false),
    replay: ({ ctx, user, params, body, wire }) => replaySender(ctx, { user, ip: wire.ip }, params.id, body.since),
    test: ({ ctx, user, params, wire }) => testSender(ctx, { user, ip: wire.ip }, params.id, reach),
  });
