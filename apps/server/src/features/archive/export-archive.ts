import { archive, type ArchiveEntry, type ArchiveRow } from '@hes/contract/asset/archive.ts';
import { reasonText } from '@hes/contract/core/outcome.ts';
import { say, YES_NO, type Locale, type Text } from '@hes/contract/core/text.ts';
import { BIND_TEXT, DELETE_STATUS_TEXT, DIFF_TEXT, DISPATCH_TEXT, DISTRIBUTION_TEXT } from '@hes/contract/states/archive.ts';
import { ONLINE_TEXT, RECORDED_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { SIGNAL_TEXT, type SignalUnit } from '@hes/contract/states/signal.ts';
import { archiveExport, archiveSummaryExport } from '@hes/contract/transfer/devices.ts';
import { defineExport, type ExportColumn } from '#transfer/export/define-export.ts';
import { listArchive, listSummaries } from './list-queries.ts';

/** Fields that both sides have, in the order of their comparison. */
const FIELDS: Record<keyof ArchiveEntry, Text> = {
  measurementPoint: { en: 'Measurement point', zh: '测量点' },
  communicationMode: { en: 'Communication mode', zh: '通信模式' },
  phase: { en: 'Phase', zh: '相位' },
  meterType: { en: 'Meter type', zh: '电表类型' },
  address: { en: 'Address', zh: '地址' },
  protocol: { en: 'Protocol', zh: '通信规约' },
  isMaster: { en: 'Is master', zh: '是否总表' },
  enabled: { en: 'Enabled', zh: '启用' },
};

function fieldCell(entry: ArchiveEntry | null, field: keyof ArchiveEntry, locale: Locale): string | number | null {
  if (entry === null) return null;
  const value = entry[field];
  if (typeof value === 'boolean') return say(YES_NO[`${value}`], locale);
  return field === 'phase' ? say(RECORDED_PHASE_TEXT[entry.phase], locale) : value;
}

/** One column per field of one side. */
const sideOf = (side: 'hes' | 'dcu'): ExportColumn<ArchiveRow>[] =>
  Object.entries(FIELDS).map(([field, label]) => ({
    label,
    cell: (row: ArchiveRow, locale: Locale) => fieldCell(row[side], field as keyof ArchiveEntry, locale), // as: keys of FIELDS
  }));

const signalIn = ({ air }: ArchiveRow, unit: SignalUnit): number | null => (air?.signalUnit === unit ? air.signalValue : null);

const RESULTS = { ok: { en: 'Verified', zh: '已验证' }, refused: { en: 'Refused', zh: '被拒绝' }, unknown: { en: 'Unknown', zh: '未知' } };

/** Export of the archive comparison: both sides field by field. */
export const archiveSheet = defineExport({
  routes: archiveExport,
  list: archive.list,
  key: ['dcuId', 'sn'],
  title: { en: 'Archive', zh: '档案比对' },
  columns: {
    sn: { label: { en: 'SN', zh: '表号' }, cell: (row: ArchiveRow) => row.sn },
    dcuSn: { label: { en: 'DCU SN', zh: '集中器编号' }, cell: (row: ArchiveRow) => row.dcuSn },
    hes: sideOf('hes'),
    dcu: sideOf('dcu'),
    air: [
      { label: { en: 'Hops', zh: '跳数' }, cell: (row: ArchiveRow) => row.air?.hops },
      { label: { en: 'Communication mode', zh: '通信模式' }, cell: (row: ArchiveRow) => row.air?.communicationMode.toUpperCase() },
      { label: { en: 'Phase', zh: '相位' }, cell: (row: ArchiveRow, locale) => row.air && say(RECORDED_PHASE_TEXT[row.air.phase], locale) },
      { label: { en: 'Signal', zh: '信号' }, cell: (row: ArchiveRow, locale) => row.air && say(SIGNAL_TEXT[row.air.signal], locale) },
      { label: { en: 'SNR', zh: '信噪比' }, unit: 'dB', cell: (row: ArchiveRow) => signalIn(row, 'dB') },
      { label: { en: 'RSSI', zh: '接收信号强度' }, unit: 'dBm', cell: (row: ArchiveRow) => signalIn(row, 'dBm') },
      { label: { en: 'Discovered', zh: '侦听时间' }, kind: 'time', cell: (row: ArchiveRow) => row.air?.lastSeen },
    ],
    difference: {
      label: { en: 'Difference', zh: '差异' },
      cell: (row: ArchiveRow, locale) => row.diffKind && [say(DIFF_TEXT[row.diffKind], locale), row.otherDcuSn].filter(Boolean).join(': '),
    },
    bindState: { label: { en: 'Bind state', zh: '绑定状态' }, cell: (row: ArchiveRow, locale) => say(BIND_TEXT[row.bindState], locale) },
    dispatchStatus: {
      label: { en: 'Dispatch status', zh: '下发状态' },
      cell: (row: ArchiveRow, locale) => say(DISPATCH_TEXT[row.dispatchState], locale),
    },
    distribution: {
      label: { en: 'Distribution state', zh: '分发状态' },
      cell: (row: ArchiveRow, locale) => row.distributionState && say(DISTRIBUTION_TEXT[row.distributionState], locale),
    },
    deleteStatus: {
      label: { en: 'Delete status', zh: '删除状态' },
      cell: (row: ArchiveRow, locale) => say(DELETE_STATUS_TEXT[row.deleteStatus], locale),
    },
    lastDispatchAt: {
      label: { en: 'Last dispatch time', zh: '最近下发时间' },
      kind: 'time',
      cell: (row: ArchiveRow) => row.lastDispatchAt,
    },
    operator: { label: { en: 'Operator', zh: '操作员' }, cell: (row: ArchiveRow) => row.lastDispatchBy },
    result: {
      label: { en: 'Result', zh: '结果' },
      cell: (row: ArchiveRow, locale) => {
        const reason = reasonText(row.lastReasonCode);
        return row.lastResult && [say(RESULTS[row.lastResult], locale), reason && say(reason, locale)].filter(Boolean).join(': ');
      },
    },
    meterType: {
      label: { en: 'Meter type', zh: '电表类型' },
      cell: (row: ArchiveRow, locale) => row.meterTypeName && say(modelName(row.meterTypeName), locale),
    },
    customerNo: { label: { en: 'Customer no.', zh: '户号' }, cell: (row: ArchiveRow) => row.customerNo },
  },
  page: ({ ctx, user, query }) => listArchive(ctx.db, user, query),
});

export const archiveSummarySheet = defineExport({
  routes: archiveSummaryExport,
  list: archive.summary,
  key: ['dcuId'],
  title: { en: 'Archives of DCUs', zh: '集中器档案' },
  columns: {
    sn: { label: { en: 'DCU SN', zh: '集中器编号' }, cell: (row) => row.dcuSn },
    name: { label: { en: 'Name', zh: '名称' }, cell: (row) => row.dcuName },
    transformer: { label: { en: 'Transformer', zh: '变压器' }, cell: (row) => row.transformerName },
    online: { label: { en: 'Online status', zh: '在线状态' }, cell: (row, locale) => say(ONLINE_TEXT[row.onlineStatus], locale) },
    bound: { label: { en: 'Bound here', zh: '绑定电表' }, cell: (row) => row.bound },
    dcu: { label: { en: 'In the DCU', zh: '集中器内' }, cell: (row) => row.dcuEntries },
    pending: { label: { en: 'To distribute', zh: '待下发' }, cell: (row) => row.pending },
    surplus: { label: { en: 'To delete', zh: '待删除' }, cell: (row) => row.surplus },
    compared: { label: { en: 'Compared', zh: '最近比对' }, kind: 'time', cell: (row) => row.comparedAt },
  },
  page: ({ ctx, user, query }) => listSummaries(ctx.db, user, query),
});
