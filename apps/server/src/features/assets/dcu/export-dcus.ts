import { dcu } from '@hes/contract/asset/dcu.ts';
import { say } from '@hes/contract/core/text.ts';
import {
  COMMUNICATE_TYPE_TEXT,
  CONNECTION_TYPE_TEXT,
  DATA_CHANNEL_TEXT,
  FRESHNESS_TEXT,
  ONLINE_TEXT,
} from '@hes/contract/text/device-text.ts';
import { AUTHENTICATION_TEXT, PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { dcuExport } from '@hes/contract/transfer/devices.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listDcus } from './queries.ts';

export const dcuSheet = defineExport({
  routes: dcuExport,
  list: dcu.list,
  title: { en: 'DCUs', zh: '集中器' },
  columns: {
    sn: { label: { en: 'SN', zh: '编号' }, cell: (row) => row.sn },
    name: { label: { en: 'Name', zh: '名称' }, cell: (row) => row.name },
    type: { label: { en: 'Type', zh: '型号' }, cell: (row, locale) => say(modelName(row.dcuTypeName), locale) },
    transformer: { label: { en: 'Transformer', zh: '变压器' }, cell: (row) => row.transformerName },
    onlineStatus: { label: { en: 'Online status', zh: '在线状态' }, cell: (row, locale) => say(ONLINE_TEXT[row.onlineStatus], locale) },
    freshness: { label: { en: 'Freshness', zh: '通信时效' }, cell: (row, locale) => say(FRESHNESS_TEXT[row.freshness], locale) },
    meters: [
      { label: { en: 'Meters reachable', zh: '可达电表' }, cell: (row) => row.metersFresh },
      { label: { en: 'Meters', zh: '电表数' }, cell: (row) => row.meters },
    ],
    archiveEntries: [
      { label: { en: 'Meters of the head-end', zh: '主站电表数' }, cell: (row) => row.meters },
      { label: { en: 'Meters in its archive', zh: '档案电表数' }, cell: (row) => row.archiveEntries },
    ],
    lastCommAt: { label: { en: 'Communicate time', zh: '通信时间' }, kind: 'time', cell: (row) => row.lastCommAt },
    connectionType: {
      label: { en: 'Connection type', zh: '连接方式' },
      cell: (row, locale) => say(CONNECTION_TYPE_TEXT[row.connectionType], locale),
    },
    communicateType: {
      label: { en: 'Communicate type', zh: '通信方式' },
      cell: (row, locale) => say(COMMUNICATE_TYPE_TEXT[row.communicateType], locale),
    },
    dataChannel: { label: { en: 'Data channel', zh: '数据通道' }, cell: (row, locale) => say(DATA_CHANNEL_TEXT[row.dataChannel], locale) },
    protocol: { label: { en: 'Protocol', zh: '通信规约' }, cell: (row, locale) => say(PROTOCOL_TEXT[row.protocol], locale) },
    authenticationType: {
      label: { en: 'Authentication type', zh: '认证方式' },
      cell: (row, locale) => say(AUTHENTICATION_TEXT[row.authenticationType], locale),
    },
    remote: {
      label: { en: 'Address', zh: '地址' },
      cell: (row) => row.remote ?? (row.host === null ? null : `${row.host}:${row.port ?? ''}`),
    },
    country: { label: { en: 'Country', zh: '国家' }, cell: (row) => row.country },
    firmware: { label: { en: 'Firmware', zh: '固件版本' }, cell: (row) => row.firmwareVersion },
    signal: {
      label: { en: 'Signal of the uplink', zh: '上行信号' },
      unit: 'dBm',
      cell: (row) => row.uplink?.signalDbm,
    },
    clockDrift: { label: { en: 'Clock deviation', zh: '时钟偏差' }, unit: 's', cell: (row) => row.clockDeviationS },
    availability: { label: { en: 'Availability 24 h', zh: '24小时在线率' }, unit: '%', cell: (row) => row.availability24h },
    longitude: { label: { en: 'Longitude', zh: '经度' }, cell: (row) => row.longitude },
    latitude: { label: { en: 'Latitude', zh: '纬度' }, cell: (row) => row.latitude },
  },
  page: ({ ctx, user, query }) => listDcus(ctx.db, user, query),
});
