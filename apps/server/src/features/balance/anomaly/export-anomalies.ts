import { anomaly } from '@hes/contract/analysis/anomaly.ts';
import { say } from '@hes/contract/core/text.ts';
import { ANOMALY_TEXT } from '@hes/contract/states/anomaly.ts';
import { ANOMALY_STATE_TEXT } from '@hes/contract/states/bill.ts';
import { anomalyExport } from '@hes/contract/transfer/orders.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { checkRange } from '#features/readings/port.ts';
import { listAnomalies } from './queries.ts';

export const anomalySheet = defineExport({
  routes: anomalyExport,
  list: anomaly.list,
  title: { en: 'Anomalies', zh: '电量异常' },
  columns: {
    day: { label: { en: 'Day', zh: '日期' }, cell: (row) => row.day },
    sn: { label: { en: 'Meter SN', zh: '电表编号' }, cell: (row) => row.sn },
    type: { label: { en: 'Type', zh: '异常类型' }, cell: (row, locale) => say(ANOMALY_TEXT[row.type], locale) },
    value: { label: { en: 'Value', zh: '数值' }, unit: 'kWh', cell: (row) => row.value },
    reference: { label: { en: 'Measured against', zh: '参照值' }, unit: 'kWh', cell: (row) => row.reference },
    state: { label: { en: 'State', zh: '状态' }, cell: (row, locale) => say(ANOMALY_STATE_TEXT[row.state], locale) },
    reason: { label: { en: 'Reason', zh: '原因' }, cell: (row) => row.reason },
    decided: { label: { en: 'Decided by', zh: '处理人' }, cell: (row) => row.decidedByName },
    decidedAt: { label: { en: 'Decided', zh: '处理时间' }, kind: 'time', cell: (row) => row.decidedAt },
    customer: { label: { en: 'Customer', zh: '用户' }, cell: (row) => row.customerName },
    transformer: { label: { en: 'Transformer', zh: '变压器' }, cell: (row) => row.transformerName },
  },
  page: ({ ctx, user, query }) => {
    checkRange(query);
    return listAnomalies(ctx.db, user, query);
  },
});
