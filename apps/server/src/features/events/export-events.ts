import { pick, say, type Locale } from '@hes/contract/core/text.ts';
import { event } from '@hes/contract/event/event.ts';
import { ABNORMAL_LEVEL_TEXT } from '@hes/contract/states/anomaly.ts';
import { EVENT_DIRECTION_TEXT, EVENT_LOG_TEXT, EVENT_SOURCE_TEXT } from '@hes/contract/states/event.ts';
import { messageText } from '@hes/contract/states/field-event.ts';
import { eventExport, incidentExport } from '@hes/contract/transfer/orders.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listEvents, listIncidents } from './queries.ts';
import { searchOf } from './service.ts';

const LEVELS = { ...ABNORMAL_LEVEL_TEXT, none: { en: 'None', zh: '无' } };
const secondsBetween = (from: string, to: string | null) => (to === null ? null : Math.floor((Date.parse(to) - Date.parse(from)) / 1000));
const nameIn = (row: { nameEn: string | null; nameZh: string | null }, locale: Locale) => pick({ en: row.nameEn, zh: row.nameZh }, locale);

export const eventSheet = defineExport({
  routes: eventExport,
  list: event.list,
  title: { en: 'Events', zh: '事件' },
  columns: {
    abnormalLevel: {
      label: { en: 'Abnormal level', zh: '异常等级' },
      cell: (row, locale) => say(LEVELS[row.abnormalLevel ?? 'none'], locale),
    },
    occurAt: { label: { en: 'Occur time', zh: '发生时间' }, kind: 'time', cell: (row) => row.occurAt },
    code: { label: { en: 'Code', zh: '事件代码' }, cell: (row) => row.code },
    codeName: { label: { en: 'Code name', zh: '事件名称' }, cell: nameIn },
    direction: { label: { en: 'Direction', zh: '方向' }, cell: (row, locale) => say(EVENT_DIRECTION_TEXT[row.direction], locale) },
    sn: { label: { en: 'SN', zh: '设备编号' }, cell: (row) => row.meterSn ?? row.dcuSn },
    dcu: { label: { en: 'DCU SN', zh: '集中器编号' }, cell: (row) => row.dcuSn },
    transformer: { label: { en: 'Transformer', zh: '变压器' }, cell: (row) => row.transformerName },
    duration: { label: { en: 'Duration', zh: '持续时间' }, unit: 's', cell: (row) => secondsBetween(row.occurAt, row.recoveredAt) },
    recoveredAt: { label: { en: 'Recovered', zh: '恢复时间' }, kind: 'time', cell: (row) => row.recoveredAt },
    message: { label: { en: 'Message', zh: '报文' }, cell: (row, locale) => say(messageText(row), locale) },
    note: { label: { en: 'Note', zh: '备注' }, cell: (row) => row.note },
    log: { label: { en: 'Log', zh: '日志' }, cell: (row, locale) => say(EVENT_LOG_TEXT[row.log], locale) },
    source: { label: { en: 'Source', zh: '来源' }, cell: (row, locale) => say(EVENT_SOURCE_TEXT[row.source], locale) },
    receivedAt: { label: { en: 'Received', zh: '接收时间' }, kind: 'time', cell: (row) => row.receivedAt },
    ackAt: { label: { en: 'Acknowledged', zh: '已确认' }, kind: 'time', cell: (row) => row.ackAt },
    ackBy: { label: { en: 'Acknowledged by', zh: '确认人' }, cell: (row) => row.ackByName },
  },
  page: ({ ctx, user, query }) => listEvents(ctx.db, user, searchOf(ctx, query), ctx.clock.now()),
});

export const incidentSheet = defineExport({
  routes: incidentExport,
  list: event.incidents,
  title: { en: 'Events by cause', zh: '事件（按原因）' },
  columns: {
    abnormalLevel: {
      label: { en: 'Abnormal level', zh: '异常等级' },
      cell: (row, locale) => say(LEVELS[row.abnormalLevel ?? 'none'], locale),
    },
    openedAt: { label: { en: 'First', zh: '首次发生' }, kind: 'time', cell: (row) => row.openedAt },
    lastAt: { label: { en: 'Last', zh: '最近发生' }, kind: 'time', cell: (row) => row.lastAt },
    code: { label: { en: 'Code', zh: '事件代码' }, cell: (row) => row.code },
    codeName: { label: { en: 'Code name', zh: '事件名称' }, cell: nameIn },
    log: { label: { en: 'Log', zh: '日志' }, cell: (row, locale) => say(EVENT_LOG_TEXT[row.log], locale) },
    dcu: { label: { en: 'DCU SN', zh: '集中器编号' }, cell: (row) => row.dcuSn },
    transformer: { label: { en: 'Transformer', zh: '变压器' }, cell: (row) => row.transformerName },
    devices: [
      { label: { en: 'Devices', zh: '设备数' }, cell: (row) => row.devices },
      { label: { en: 'Of the DCU', zh: '集中器设备数' }, cell: (row) => row.devicesOfDcu },
    ],
    members: { label: { en: 'Members', zh: '成员' }, cell: (row) => row.members },
    weight: { label: { en: 'Weight', zh: '影响' }, unit: 'h', cell: (row) => Math.round(row.weight * 10) / 10 },
    duration: { label: { en: 'Duration', zh: '持续时间' }, unit: 's', cell: (row) => secondsBetween(row.openedAt, row.closedAt) },
    closedAt: { label: { en: 'All recovered', zh: '全部恢复' }, kind: 'time', cell: (row) => row.closedAt },
    acknowledged: [
      { label: { en: 'Acknowledged', zh: '已确认' }, cell: (row) => row.acknowledged },
      { label: { en: 'Of', zh: '共' }, cell: (row) => row.members },
    ],
  },
  page: ({ ctx, user, query }) => listIncidents(ctx.db, user, searchOf(ctx, query)),
});
