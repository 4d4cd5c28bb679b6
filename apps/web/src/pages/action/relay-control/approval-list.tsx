import { approval } from '@hes/contract/action/approval.ts';
import { RELAY_OPERATION_TEXT } from '@hes/contract/action/relay-rules.ts';
import { approvalExport } from '@hes/contract/transfer/orders.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { History } from 'lucide-react';
import { Num } from '#kit/basics/text.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { Decide } from './decide.tsx';
import { texts } from './messages.ts';
import { APPROVAL } from './signs.ts';

/** Orders that await approval, and past decisions. */
export const approvalList = defineList({
  route: approval.list,
  path: PAGE_PATH.relays,
  at: { tab: 'approvals' },
  title: texts.title,
  purpose: texts.purpose,
  label: texts.approvals,
  rowName: (row) => row.workOrder,
  refetchMs: 5000,
  filters: [],
  columns: [
    { key: 'state', title: texts.status, width: 124, cell: (row) => <StateOf sign={APPROVAL[row.state]} /> },
    { key: 'operation', title: texts.operation, width: 150, cell: (row, { say }) => say(RELAY_OPERATION_TEXT[row.operation]) },
    { key: 'meters', title: texts.supplies, width: 84, align: 'right', cell: (row) => <Num value={row.meters} /> },
    { key: 'kw', title: { en: 'kW', zh: 'kW' }, width: 84, align: 'right', cell: (row) => <Num value={row.kw} decimals={1} /> },
    { key: 'protected', title: texts.protected, width: 96, align: 'right', cell: (row) => <Num value={row.protected} /> },
    { key: 'reason', title: texts.reason, value: (row) => row.reason },
    { key: 'workOrder', title: texts.workOrder, width: 130, mono: true, value: (row) => row.workOrder },
    { key: 'requestedBy', title: texts.requestedBy, width: 130, value: (row) => row.requestedByName },
    { key: 'createdAt', title: texts.requestedAt, width: 152, time: (row) => row.createdAt },
    { key: 'expiresAt', title: texts.expiresAt, width: 152, time: (row) => (row.state === 'pending' ? row.expiresAt : null) },
    { key: 'decidedBy', title: texts.decidedBy, width: 130, value: (row) => row.decidedByName },
    { key: 'actions', title: texts.approvals, hasHiddenTitle: true, width: 190, cell: (row) => <Decide row={row} /> },
  ],
  onRow: {
    key: 'open',
    label: texts.approvals,
    icon: History,
    right: approval.list,
    act: { kind: 'show', change: ({ taskId }) => ({ task: taskId }) },
  },
  export: approvalExport,
  empty: texts.noApprovals,
});
