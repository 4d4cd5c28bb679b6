import { discovery } from '@hes/contract/asset/discovery.ts';
import { say } from '@hes/contract/core/text.ts';
import { RECORDED_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { DISCOVERY_MATCH_TEXT } from '@hes/contract/states/discovery.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { SIGNAL_TEXT } from '@hes/contract/states/signal.ts';
import { discoveryExport } from '@hes/contract/transfer/devices.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listFound } from './list-queries.ts';

export const foundSheet = defineExport({
  routes: discoveryExport,
  list: discovery.list,
  title: { en: 'Discovered meters', zh: '搜表结果' },
  columns: {
    sn: { label: { en: 'SN', zh: '表号' }, cell: (row) => row.sn },
    match: { label: { en: 'Match', zh: '匹配' }, cell: (row, locale) => say(DISCOVERY_MATCH_TEXT[row.match], locale) },
    address: { label: { en: 'Address', zh: '地址' }, cell: (row) => row.address },
    dcu: { label: { en: 'DCU', zh: '集中器' }, cell: (row) => row.dcuSn },
    mode: { label: { en: 'Communication mode', zh: '通信模式' }, cell: (row) => row.communicationMode.toUpperCase() },
    phase: { label: { en: 'Phase', zh: '相位' }, cell: (row, locale) => say(RECORDED_PHASE_TEXT[row.phase], locale) },
    recordedPhase: {
      label: { en: 'Recorded phase', zh: '档案相位' },
      cell: (row, locale) => row.recordedPhase && say(RECORDED_PHASE_TEXT[row.recordedPhase], locale),
    },
    hops: { label: { en: 'Hops', zh: '跳数' }, cell: (row) => row.hops },
    signal: { label: { en: 'Signal strength', zh: '信号强度' }, cell: (row, locale) => say(SIGNAL_TEXT[row.signal], locale) },
    snr: { label: { en: 'SNR', zh: '信噪比' }, unit: 'dB', cell: (row) => (row.signalUnit === 'dB' ? row.signalValue : null) },
    rssi: { label: { en: 'RSSI', zh: '接收信号强度' }, unit: 'dBm', cell: (row) => (row.signalUnit === 'dBm' ? row.signalValue : null) },
    protocol: { label: { en: 'Protocol', zh: '通信规约' }, cell: (row) => row.protocol.toUpperCase() },
    firstSeen: { label: { en: 'First seen', zh: '首次发现' }, kind: 'time', cell: (row) => row.firstSeen },
    lastSeen: { label: { en: 'Last seen', zh: '最近发现' }, kind: 'time', cell: (row) => row.lastSeen },
    timesSeen: { label: { en: 'Times seen', zh: '发现次数' }, cell: (row) => row.timesSeen },
    suggestedType: {
      label: { en: 'Suggested type', zh: '建议类型' },
      cell: (row, locale) => row.suggestedTypeName && say(modelName(row.suggestedTypeName), locale),
    },
    decision: {
      label: { en: 'Decision', zh: '处理' },
      cell: (row) => row.ignoreReason ?? (row.otherDcuSns.join('; ') || row.nameplate?.logicalDeviceName),
    },
  },
  page: ({ ctx, user, query }) => listFound(ctx.db, user, query),
});
