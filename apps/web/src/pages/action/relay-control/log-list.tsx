import { RELAY_COMMAND_TEXT, RELAY_OPERATION_TEXT } from '@hes/contract/action/relay-rules.ts';
import { relay } from '@hes/contract/action/relay.ts';
import { REASONS } from '@hes/contract/core/outcome.ts';
import { relayLogExport } from '@hes/contract/transfer/orders.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { History } from 'lucide-react';
import { Num, Sn } from '#kit/basics/text.tsx';
import { wordFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import { COMMAND } from './signs.ts';

function reasonOf(code: string | null, say: ListTools['say']): string {
  const known = code !== null && code in REASONS ? REASONS[code as keyof typeof REASONS] : undefined; // checked by `in`
  return known ? say(known) : (code ?? '—');
}

/** All relay commands with requester, approver and confirmation by read-back. */
export const logList = defineList({
  route: relay.log,
  path: PAGE_PATH.relays,
  at: { tab: 'log' },
  title: texts.title,
  purpose: texts.purpose,
  label: texts.log,
  rowName: (row) => row.sn,
  refetchMs: 15_000,
  filters: [wordFilter('state', texts.status, RELAY_COMMAND_TEXT, { width: 140 })],
  columns: [
    { key: 'createdAt', title: texts.requestedAt, width: 168, time: (row) => row.createdAt },
    { key: 'sn', title: texts.meterSn, width: 148, cell: (row) => <Sn sn={row.sn} /> },
    { key: 'customerNo', title: texts.customerNo, width: 108, mono: true, value: (row) => row.customerNo },
    { key: 'customer', title: texts.customer, width: 128, value: (row) => row.customerName },
    { key: 'dcu', title: texts.dcu, width: 138, cell: (row) => (row.dcuSn === null ? '—' : <Sn sn={row.dcuSn} />) },
    { key: 'operation', title: texts.operation, width: 122, cell: (row, { say }) => say(RELAY_OPERATION_TEXT[row.operation]) },
    { key: 'state', title: texts.status, width: 116, cell: (row) => <StateOf sign={COMMAND[row.state]} /> },
    { key: 'result', title: texts.result, cell: (row, { say }) => reasonOf(row.reasonCode, say) },
    { key: 'sentAt', title: texts.sent, width: 168, time: (row) => row.sentAt },
    { key: 'before', title: texts.before, width: 106, align: 'right', cell: (row) => <Num value={row.powerBeforeW} unit="W" /> },
    { key: 'after', title: texts.after, width: 100, align: 'right', cell: (row) => <Num value={row.powerAfterW} unit="W" /> },
    { key: 'requestedBy', title: texts.requestedBy, width: 116, value: (row) => row.requestedByName },
    { key: 'approvedBy', title: texts.decidedBy, width: 112, value: (row) => row.approvedByName },
    { key: 'reason', title: texts.reason, width: 130, value: (row) => row.reason },
    { key: 'workOrder', title: texts.workOrder, width: 100, mono: true, value: (row) => row.workOrder },
  ],
  onRow: {
    key: 'open',
    label: texts.log,
    icon: History,
    right: relay.log,
    act: { kind: 'show', change: ({ taskId }) => ({ task: taskId }) },
  },
  export: relayLogExport,
  empty: texts.noCommands,
});
