import { session } from '@hes/contract/auth/session.ts';
import { implement } from '#http/implement.ts';
import type { Nonces } from '#db/nonces.ts';
import { endOtherSessions, endOwnSession, listOwnSessions } from './service.ts';

/** `liveTickets` maps tickets of the live socket to sessions. */
export const sessionRoutes = (liveTickets: Nonces) =>
  implement(session, {
    list: async ({ ctx, user }) => ({ items: await listOwnSessions(ctx, user) }),
    end: ({ ctx, user, params, wire }) => endOwnSession(ctx, { user, ip: wire.ip }, params.id),
    endOthers: async ({ ctx, user, wire }) => ({ ended: await endOtherSessions(ctx, { user, ip: wire.ip }) }),
    liveTicket: ({ user }) => {
      const { nonce, expiresAt } = liveTickets.issue(user.sessionId);
      return { ticket: nonce, expiresAt: new Date(expiresAt).toISOString() };
    },
  });
