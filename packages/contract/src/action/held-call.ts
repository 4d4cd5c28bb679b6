import { z } from 'zod';
import { id, idParams, instant, listOf } from '../core/page.ts';
import { route } from '../core/route.ts';

/** A dangerous call that waits for a second person, or was decided by one. */
export const heldCallRow = z.object({
  id,
  /** Method and path of the call; `summary` says in words what it does. */
  route: z.string(),
  summary: z.string(),
  /** Devices it may take out of reach. */
  devices: z.number().int(),
  reason: z.string().nullable(),
  requestedBy: id,
  requestedByName: z.string().nullable(),
  createdAt: instant,
  expiresAt: instant,
  state: z.enum(['pending', 'approved', 'rejected', 'expired', 'failed']),
  decidedByName: z.string().nullable(),
  decidedAt: instant.nullable(),
  comment: z.string().nullable(),
  /** The caller may decide: holds the right of the call, and did not make it. */
  mayDecide: z.boolean(),
});
export type HeldCallRow = z.infer<typeof heldCallRow>;

/** Calls above the limit of one person, other than orders to relays, which have a list of their own. */
export const heldCall = {
  list: route({
    method: 'GET',
    path: '/action/held-call',
    summary: 'Dangerous calls of the last week that wait for a second person or were decided: own ones, and those the caller may decide',
    allow: 'signed-in',
    response: listOf(heldCallRow),
  }),
  decide: route({
    method: 'PUT',
    path: '/action/held-call/{id}',
    summary: 'Approve a dangerous call of another user, which then runs in the name of that user, or reject it',
    allow: 'signed-in',
    endangers: 'safeguards',
    proofOnlyIf: { decision: 'approve' },
    params: idParams,
    body: z.object({ decision: z.enum(['approve', 'reject']), comment: z.string().trim().max(256).default('') }),
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'SAME_USER', 'RIGHT_GIVER', 'NOTHING_TO_DO'],
  }),
};
