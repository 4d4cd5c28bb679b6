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
  /** Whether the call belongs to this session. */
  isCurrent: z.boolean(),
});
export type OwnSession = z.infer<typeof ownSession>;

/** Sign-in sessions of the caller, and tickets for the live socket. */
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
    summary: 'End one of my sessions',
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
    summary: 'End all of my other sessions',
    allow: 'signed-in',
    response: z.object({ ended: z.number().int() }),
  }),
  /** The client sends the ticket as the second sub-protocol of the live socket, because tokens in URLs end up in logs. */
  liveTicket: route({
    method: 'POST',
    endangers: 'nothing',
    path: '/auth/live-ticket',
    summary: 'Create a single-use ticket for the live socket, valid for a few seconds',
    allow: 'signed-in',
    response: z.object({ ticket: z.string(), expiresAt: instant }),
  }),
};
