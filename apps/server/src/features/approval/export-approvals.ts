import { approval } from '@hes/contract/action/approval.ts';
import { say } from '@hes/contract/core/text.ts';
import { APPROVAL_TEXT, RELAY_OPERATION_TEXT } from '@hes/contract/action/relay-rules.ts';
import { approvalExport } from '@hes/contract/transfer/orders.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listApprovals } from './queries.ts';

export const approvalSheet = defineExport({
  routes: approvalExport,
  list: approval.list,
  title: { en: 'Approvals', zh: '审批' },
  columns: {
    state: { label: { en: 'Status', zh: '状态' }, cell: (row, locale) => say(APPROVAL_TEXT[row.state], locale) },
    operation: { label: { en: 'Operation', zh: '操作' }, cell: (row, locale) => say(RELAY_OPERATION_TEXT[row.operation], locale) },
    meters: { label: { en: 'Supplies', zh: '户数' }, cell: (row) => row.meters },
    kw: { label: { en: 'Load', zh: '负荷' }, unit: 'kW', cell: (row) => row.kw },
    protected: { label: { en: 'Protected', zh: '保电' }, cell: (row) => row.protected },
    reason: { label: { en: 'Reason', zh: '原因' }, cell: (row) => row.reason },
    workOrder: { label: { en: 'Work order', zh: '工单号' }, cell: (row) => row.workOrder },
    requestedBy: { label: { en: 'Requested by', zh: '申请人' }, cell: (row) => row.requestedByName },
    createdAt: { label: { en: 'Requested', zh: '申请时间' }, kind: 'time', cell: (row) => row.createdAt },
    expiresAt: { label: { en: 'Until', zh: '截止' }, kind: 'time', cell: (row) => row.expiresAt },
    decidedBy: { label: { en: 'Decided by', zh: '审批人' }, cell: (row) => row.decidedByName },
    decidedAt: { label: { en: 'Decided', zh: '审批时间' }, kind: 'time', cell: (row) => row.decidedAt },
    comment: { label: { en: 'Comment', zh: '意见' }, cell: (row) => row.comment },
  },
  page: ({ ctx, user, query }) => listApprovals(ctx.db, user, query),
});
