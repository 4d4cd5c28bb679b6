import { z } from 'zod';
import { csv, id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { approvalState, relayOperation } from './relay-rules.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.relays;

export const approvalRow = z.object({
  id,
  taskId: id,
  operation: relayOperation,
  meters: z.number().int(),
  kw: z.number(),
  protected: z.number().int(),
  /** Serial numbers of a few of the meters. */
  examples: z.array(z.string()),
  reason: z.string(),
  workOrder: z.string(),
  requestedBy: id,
  requestedByName: z.string().nullable(),
  createdAt: instant,
  expiresAt: instant,
  state: approvalState,
  decidedByName: z.string().nullable(),
  decidedAt: instant.nullable(),
  comment: z.string().nullable(),
});
export type ApprovalRow = z.infer<typeof approvalRow>;

export const approval = {
  list: route({
    method: 'GET',
    path: '/action/approval',
    summary: 'Orders that require the approval of a second user, pending and decided',
    allow: { page, action: 'view' },
    query: pageQuery.extend({ state: csv(approvalState).optional() }),
    response: pageOf(approvalRow),
  }),
  decide: route({
    method: 'PUT',
    path: '/action/approval/{id}',
    summary: 'Approve or reject an order of another user',
    allow: { page, action: 'approve' },
    endangers: 'safeguards',
    announces: '/action/approval',
    proofOnlyIf: { decision: 'approve' },
    params: idParams,
    body: z.object({
      decision: z.enum(['approve', 'reject']),
      comment: z.string().trim().max(256).default(''),
    }),
    response: approvalRow,
    errors: ['NOT_FOUND', 'SAME_USER', 'NOTHING_TO_DO'],
  }),
};
