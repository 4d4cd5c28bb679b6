import { clock } from '@hes/contract/action/clock.ts';
import { say } from '@hes/contract/core/text.ts';
import { CLOCK_CLASS_TEXT, CLOCK_METHOD_TEXT, clockStatusText, cosemZoneText } from '@hes/contract/states/clock.ts';
import { clockExport } from '@hes/contract/transfer/orders.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listClocks } from './list-queries.ts';

const secondsOf = (ms: number | null): number | null => (ms === null ? null : ms / 1000);

const KINDS = { dcu: { en: 'DCU', zh: '集中器' }, meter: { en: 'Meter', zh: '电表' } };

export const clockSheet = defineExport({
  routes: clockExport,
  list: clock.list,
  key: ['deviceId', 'deviceKind'],
  title: { en: 'Clocks', zh: '时钟' },
  columns: {
    sn: { label: { en: 'SN', zh: '设备编号' }, cell: (row) => row.sn },
    kind: { label: { en: 'Kind', zh: '类型' }, cell: (row, locale) => say(KINDS[row.deviceKind], locale) },
    class: { label: { en: 'Class', zh: '偏差等级' }, cell: (row, locale) => say(CLOCK_CLASS_TEXT[row.class], locale) },
    deviation: { label: { en: 'Deviation', zh: '偏差' }, unit: 's', cell: (row) => secondsOf(row.deviationMs) },
    roundTrip: { label: { en: 'Round trip', zh: '往返时延' }, unit: 's', cell: (row) => secondsOf(row.roundTripMs) },
    deviceTime: { label: { en: 'Device time', zh: '设备时间' }, cell: (row) => row.deviceTime },
    readAt: { label: { en: 'Head-end time', zh: '主站时间' }, kind: 'time', cell: (row) => row.readAt },
    lastSyncAt: { label: { en: 'Last sync', zh: '最近校时' }, kind: 'time', cell: (row) => row.lastSyncAt },
    method: {
      label: { en: 'Method', zh: '方式' },
      cell: (row, locale) => row.lastSyncMethod && say(CLOCK_METHOD_TEXT[row.lastSyncMethod], locale),
    },
    status: {
      label: { en: 'Clock status', zh: '时钟状态' },
      cell: (row, locale) => (row.status === null ? null : say(clockStatusText(row.status), locale)),
    },
    zone: { label: { en: 'Zone', zh: '时区' }, cell: (row) => (row.zoneMinutes === null ? null : cosemZoneText(row.zoneMinutes)) },
    dcu: { label: { en: 'DCU', zh: '集中器' }, cell: (row) => row.dcuSn },
    transformer: { label: { en: 'Transformer', zh: '变压器' }, cell: (row) => row.transformerName },
  },
  page: ({ ctx, user, query }) => listClocks(ctx.db, user, query),
});
