import { relay } from '@hes/contract/action/relay.ts';
import { reasonText } from '@hes/contract/core/outcome.ts';
import { say, YES_NO } from '@hes/contract/core/text.ts';
import { RELAY_TEXT } from '@hes/contract/text/device-text.ts';
import { CONTROL_MODES, RELAY_COMMAND_TEXT, RELAY_OPERATION_TEXT } from '@hes/contract/action/relay-rules.ts';
import { relayExport, relayLogExport } from '@hes/contract/transfer/orders.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listCommands, listRelays } from './list-queries.ts';

const CONTACT = { true: { en: 'closed', zh: '闭合' }, false: { en: 'open', zh: '断开' } };

export const relaySheet = defineExport({
  routes: relayExport,
  list: relay.list,
  key: ['meterId'],
  title: { en: 'Relays', zh: '继电器' },
  columns: {
    sn: { label: { en: 'Meter SN', zh: '电表编号' }, cell: (row) => row.sn },
    customerNo: { label: { en: 'Customer no.', zh: '户号' }, cell: (row) => row.customerNo },
    customer: { label: { en: 'Customer', zh: '用户' }, cell: (row) => row.customerName ?? row.customerNo },
    protected: { label: { en: 'Protected', zh: '保电' }, cell: (row, locale) => say(YES_NO[`${row.isProtected}`], locale) },
    address: { label: { en: 'Address', zh: '地址' }, cell: (row) => row.address },
    state: { label: { en: 'Relay state', zh: '继电器状态' }, cell: (row, locale) => say(RELAY_TEXT[row.relayState], locale) },
    contact: {
      label: { en: 'Contact', zh: '触点' },
      cell: (row, locale) => (row.output === null ? null : say(CONTACT[`${row.output}`], locale)),
    },
    mode: {
      label: { en: 'Control mode', zh: '控制模式' },
      cell: (row, locale) => [row.controlMode, say(CONTROL_MODES[row.controlMode]?.text ?? { en: '', zh: '' }, locale)].join(' '),
    },
    lastCommand: {
      label: { en: 'Last command', zh: '最近命令' },
      cell: (row, locale) =>
        row.command && `${say(RELAY_OPERATION_TEXT[row.command.operation], locale)}: ${say(RELAY_COMMAND_TEXT[row.command.state], locale)}`,
    },
    switchedAt: { label: { en: 'Switched', zh: '动作时间' }, kind: 'time', cell: (row) => row.switchedAt },
    by: { label: { en: 'By', zh: '操作人' }, cell: (row) => row.switchedByName },
    readAt: { label: { en: 'Read', zh: '读取时间' }, kind: 'time', cell: (row) => row.readAt },
    dcu: { label: { en: 'DCU', zh: '集中器' }, cell: (row) => row.dcuSn },
    transformer: { label: { en: 'Transformer', zh: '变压器' }, cell: (row) => row.transformerName },
  },
  page: ({ ctx, user, query }) => listRelays(ctx.db, user, query),
});

export const relayLogSheet = defineExport({
  routes: relayLogExport,
  list: relay.log,
  title: { en: 'Relay commands', zh: '拉合闸命令' },
  columns: {
    createdAt: { label: { en: 'Requested', zh: '申请时间' }, kind: 'time', cell: (row) => row.createdAt },
    sn: { label: { en: 'Meter SN', zh: '电表编号' }, cell: (row) => row.sn },
    customerNo: { label: { en: 'Customer no.', zh: '户号' }, cell: (row) => row.customerNo },
    customer: { label: { en: 'Customer', zh: '用户' }, cell: (row) => row.customerName },
    dcu: { label: { en: 'DCU', zh: '集中器' }, cell: (row) => row.dcuSn },
    operation: { label: { en: 'Operation', zh: '操作' }, cell: (row, locale) => say(RELAY_OPERATION_TEXT[row.operation], locale) },
    state: { label: { en: 'Status', zh: '状态' }, cell: (row, locale) => say(RELAY_COMMAND_TEXT[row.state], locale) },
    result: {
      label: { en: 'Result', zh: '结果' },
      cell: (row, locale) => {
        const reason = reasonText(row.reasonCode);
        return reason === undefined ? row.reasonCode : say(reason, locale);
      },
    },
    sentAt: { label: { en: 'Sent', zh: '下发时间' }, kind: 'time', cell: (row) => row.sentAt },
    before: { label: { en: 'Power before', zh: '操作前功率' }, unit: 'W', cell: (row) => row.powerBeforeW },
    after: { label: { en: 'Power after', zh: '操作后功率' }, unit: 'W', cell: (row) => row.powerAfterW },
    requestedBy: { label: { en: 'Requested by', zh: '申请人' }, cell: (row) => row.requestedByName },
    approvedBy: { label: { en: 'Decided by', zh: '审批人' }, cell: (row) => row.approvedByName },
    reason: { label: { en: 'Reason', zh: '原因' }, cell: (row) => row.reason },
    workOrder: { label: { en: 'Work order', zh: '工单号' }, cell: (row) => row.workOrder },
  },
  page: ({ ctx, user, query }) => listCommands(ctx.db, user, query),
});
