import { z } from 'zod';
import { id, idParams, instant, listOf } from '../core/page.ts';
import { route } from '../core/route.ts';

/** A dangerous call that requires the approval of a second user, pending or decided. */
export const heldCallRow = z.object({
  id,
  /** Method and path of the call; `summary` is the summary of the route. */
  route: z.string(),
  summary: z.string(),
  /** Number of devices that the call may make unreachable. */
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
  /** Whether the caller may decide: the caller holds the right of the call and did not request it. */
  mayDecide: z.boolean(),
});
export type HeldCallRow = z.infer<typeof heldCallRow>;

/** Calls above the limit of one user. Orders to relays are listed by `approval` instead. */
export const heldCall = {
  list: route({
    method: 'GET',
    path: '/action/held-call',
    summary:
      'Dangerous calls of the last week that require approval, pending and decided: those of the caller, and those the caller may decide',
    allow: 'signed-in',
    response: listOf(heldCallRow),
  }),
  decide: route({
    method: 'PUT',
    path: '/action/held-call/{id}',
    summary: 'Approve or reject a dangerous call of another user; an approved call runs in the name of that user',
    allow: 'signed-in',
    endangers: 'safeguards',
    announces: '/action/held-call',
    proofOnlyIf: { decision: 'approve' },
    params: idParams,
    body: z.object({ decision: z.enum(['approve', 'reject']), comment: z.string().trim().max(256).default('') }),
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'SAME_USER', 'RIGHT_GIVER', 'NOTHING_TO_DO'],
  }),
};
