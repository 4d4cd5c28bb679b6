import { say, YES_NO } from '@hes/contract/core/text.ts';
import { staModel } from '@hes/contract/debug/sta-model.ts';
import { SIGNAL_TEXT } from '@hes/contract/states/signal.ts';
import {
  LIBRARY_VERDICT_TEXT,
  STATION_LINK_TEXT,
  STATION_PHASE_TEXT,
  STATION_ROLE_TEXT,
  STATION_STATE_TEXT,
} from '@hes/contract/states/topology.ts';
import { stationExport } from '@hes/contract/transfer/orders.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listStations } from './service.ts';

export const stationSheet = defineExport({
  routes: stationExport,
  list: staModel.list,
  title: { en: 'Stations', zh: '站点' },
  columns: {
    mac: { label: { en: 'MAC', zh: 'MAC地址' }, cell: (row) => row.mac },
    sn: { label: { en: 'Meter SN', zh: '电表编号' }, cell: (row) => row.sn },
    state: { label: { en: 'State', zh: '状态' }, cell: (row, locale) => say(STATION_STATE_TEXT[row.state], locale) },
    role: { label: { en: 'Role', zh: '角色' }, cell: (row, locale) => say(STATION_ROLE_TEXT[row.role], locale) },
    tei: { label: { en: 'TEI', zh: '短地址' }, cell: (row) => row.nodeId },
    parent: { label: { en: 'Parent', zh: '父节点' }, cell: (row) => row.parentSn },
    level: { label: { en: 'Level', zh: '层级' }, cell: (row) => row.level },
    phase: {
      label: { en: 'Phase', zh: '相别' },
      cell: (row, locale) => (row.phase === 'unknown' ? null : say(STATION_PHASE_TEXT[row.phase], locale)),
    },
    link: { label: { en: 'Link', zh: '链路' }, cell: (row, locale) => say(STATION_LINK_TEXT[row.link], locale) },
    signal: [
      { label: { en: 'SNR', zh: '信噪比' }, unit: 'dB', cell: (row) => (row.signalUnit === 'dB' ? row.signalValue : null) },
      { label: { en: 'RSSI', zh: '接收信号强度' }, unit: 'dBm', cell: (row) => (row.signalUnit === 'dBm' ? row.signalValue : null) },
      { label: { en: 'Strength', zh: '强度' }, cell: (row, locale) => say(SIGNAL_TEXT[row.signal], locale) },
    ],
    upDown: [
      { label: { en: 'Up', zh: '上行' }, unit: '%', cell: (row) => row.upPct },
      { label: { en: 'Down', zh: '下行' }, unit: '%', cell: (row) => row.downPct },
    ],
    chip: { label: { en: 'Chip', zh: '芯片' }, cell: (row) => row.chipId },
    vendor: { label: { en: 'Vendor', zh: '厂商' }, cell: (row) => row.vendor },
    hw: { label: { en: 'Hardware', zh: '硬件版本' }, cell: (row) => row.hwVersion },
    sw: { label: { en: 'Software', zh: '软件版本' }, cell: (row) => row.softwareVersion },
    built: { label: { en: 'Build date', zh: '构建日期' }, cell: (row) => row.builtOn },
    library: {
      label: { en: 'Library', zh: '固件库' },
      cell: (row, locale) => row.library && `${say(LIBRARY_VERDICT_TEXT[row.library.verdict], locale)} (${row.library.version})`,
    },
    uptime: { label: { en: 'Uptime', zh: '运行时长' }, unit: 's', cell: (row) => row.uptimeS },
    boots: { label: { en: 'Reboots', zh: '重启次数' }, cell: (row) => row.boots },
    lastSeen: { label: { en: 'Last seen', zh: '最近在网' }, kind: 'time', cell: (row) => (row.state === 'never' ? null : row.lastSeenAt) },
    inArchive: { label: { en: 'In archive', zh: '在档案中' }, cell: (row, locale) => say(YES_NO[`${row.isInArchive}`], locale) },
  },
  page: ({ ctx, user, query }) => listStations(ctx, user, query),
});
