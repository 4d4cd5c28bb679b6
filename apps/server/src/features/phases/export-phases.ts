import { phase, phaseExport, phaseFactExport } from '@hes/contract/analysis/phase.ts';
import { say, type Locale } from '@hes/contract/core/text.ts';
import type { RecordedPhase } from '@hes/contract/states/device.ts';
import { RECORDED_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { conflictText, PHASE_FACT_TEXT, PHASE_STATE_TEXT } from '@hes/contract/states/phase.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { factsOf } from './facts-queries.ts';
import { listPhases } from './queries.ts';

const phaseIn = (phase: RecordedPhase | null | undefined, locale: Locale): string | null =>
  phase && phase !== 'unknown' ? say(RECORDED_PHASE_TEXT[phase], locale) : null;
const percent = (share: number | null): number | null => (share === null ? null : Math.round(share * 1_000_000) / 10_000);

/** Export of phases with their evidence. */
export const phaseSheet = defineExport({
  routes: phaseExport,
  list: phase.list,
  key: ['meterId'],
  title: { en: 'Phases', zh: '相位识别' },
  columns: {
    sn: { label: { en: 'Meter SN', zh: '电表编号' }, cell: (row) => row.sn },
    customer: { label: { en: 'Customer', zh: '用户' }, cell: (row) => row.customerName },
    address: { label: { en: 'Address', zh: '地址' }, cell: (row) => row.address },
    dcuSn: { label: { en: 'DCU SN', zh: '集中器编号' }, cell: (row) => row.dcuSn },
    recordedPhase: { label: { en: 'Recorded phase', zh: '档案相位' }, cell: (row, locale) => phaseIn(row.recordedPhase, locale) },
    modulePhase: { label: { en: 'Module phase', zh: '模块上报相位' }, cell: (row, locale) => phaseIn(row.modulePhase, locale) },
    masterPhase: { label: { en: 'Voltage correlation', zh: '电压相关相位' }, cell: (row, locale) => phaseIn(row.master?.phase, locale) },
    neighbourPhase: { label: { en: 'Neighbours', zh: '邻近电表' }, cell: (row, locale) => phaseIn(row.neighbours?.phase, locale) },
    finalPhase: { label: { en: 'Final phase', zh: '最终相位' }, cell: (row, locale) => phaseIn(row.finalPhase, locale) },
    confidence: { label: { en: 'Confidence', zh: '置信度' }, unit: '%', cell: (row) => percent(row.confidence) },
    state: { label: { en: 'Status', zh: '状态' }, cell: (row, locale) => say(PHASE_STATE_TEXT[row.state], locale) },
    conflict: {
      label: { en: 'Conflict', zh: '冲突' },
      cell: (row, locale) => {
        const conflict = conflictText(row);
        return conflict && say(conflict, locale);
      },
    },
    computedAt: { label: { en: 'Computed', zh: '计算时间' }, kind: 'time', cell: (row) => row.computedAt },
  },
  page: ({ ctx, user, query }) => listPhases(ctx.db, user, query),
});

/** Export of phase faults. */
export const factSheet = defineExport({
  routes: phaseFactExport,
  list: phase.facts,
  title: { en: 'Phase anomalies', zh: '相位异常' },
  columns: {
    sn: { label: { en: 'Meter SN', zh: '电表编号' }, cell: (row) => row.sn },
    customer: { label: { en: 'Customer', zh: '用户' }, cell: (row) => row.customerName },
    fact: { label: { en: 'Anomaly', zh: '异常' }, cell: (row, locale) => say(PHASE_FACT_TEXT[row.fact], locale) },
    phase: { label: { en: 'Phase', zh: '相位' }, cell: (row, locale) => phaseIn(row.phase, locale) },
    times: { label: { en: 'Times', zh: '次数' }, cell: (row) => row.times },
    firstAt: { label: { en: 'First', zh: '首次时间' }, kind: 'time', cell: (row) => row.firstAt },
    lastAt: { label: { en: 'Last', zh: '最近时间' }, kind: 'time', cell: (row) => row.lastAt },
  },
  page: ({ ctx, user, query }) => factsOf(ctx, user, query),
});
