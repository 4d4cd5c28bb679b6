import { z } from 'zod';
import { instant, listOf } from '../core/page.ts';
import { route } from '../core/route.ts';

export const ownSession = z.object({
  id: z.uuid(),
  issuedAt: instant,
  lastUsedAt: instant,
  endsAt: instant,
  ip: z.string().nullable(),
  agent: z.string().nullable(),
  /** The session of this call. */
  isCurrent: z.boolean(),
});
export type OwnSession = z.infer<typeof ownSession>;

/** The caller's own sign-in sessions, and the ticket of the live socket. */
export const session = {
  list: route({
    method: 'GET',
    path: '/auth/session',
    summary: 'My sessions, newest first',
    allow: 'signed-in',
    response: listOf(ownSession),
  }),
  end: route({
    method: 'DELETE',
    endangers: 'account',
    path: '/auth/session/{id}',
    summary: 'End one of my sessions at once',
    allow: 'signed-in',
    params: z.object({ id: z.uuid() }),
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND'],
  }),
  endOthers: route({
    method: 'DELETE',
    endangers: 'account',
    path: '/auth/session',
    summary: 'End all of my sessions but this one',
    allow: 'signed-in',
    response: z.object({ ended: z.number().int() }),
  }),
  /** Opens the live socket once, as its second sub-protocol: tokens do not belong into addresses. */
  liveTicket: route({
    method: 'POST',
    endangers: 'nothing',
    path: '/auth/live-ticket',
    summary: 'A ticket for the live socket, good once and for some seconds',
    allow: 'signed-in',
    response: z.object({ ticket: z.string(), expiresAt: instant }),
  }),
};
