import { approval } from '@hes/contract/action/approval.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { approvalSheet } from './export-approvals.ts';
import { listApprovals } from './queries.ts';
import { decideOrder } from './service.ts';

export const approvalRoutes: Implemented[] = [
  ...exportRoutes(approvalSheet),
  ...implement(approval, {
    list: ({ ctx, user, query }) => listApprovals(ctx.db, user, query),
    decide: ({ ctx, user, params, body, wire }) => decideOrder(ctx, { user, ip: wire.ip }, { ...params, ...body }),
  }),
];
