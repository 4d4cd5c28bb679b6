import { bill, billExport, consumptionExport } from '@hes/contract/analysis/bill.ts';
import { ANOMALY_TEXT } from '@hes/contract/states/anomaly.ts';
import { BILL_FLAG_TEXT, BILL_STATUS_TEXT } from '@hes/contract/states/bill.ts';
import { say } from '@hes/contract/core/text.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { CONSUMPTION_COLUMNS } from './consumption-columns.ts';
import { listLines } from './queries.ts';
import { trendOf } from './service.ts';

/** Export of the bill of a period. */
export const billSheet = defineExport({
  routes: billExport,
  list: bill.list,
  title: { en: 'Electricity Bill', zh: '电量账单' },
  columns: {
    period: { label: { en: 'Period', zh: '账期' }, cell: (row) => `${row.firstDay} – ${row.lastDay}` },
    sn: { label: { en: 'Meter SN', zh: '电表编号' }, cell: (row) => row.sn },
    customer: { label: { en: 'Customer', zh: '用户' }, cell: (row) => row.customerName ?? row.customerNo },
    transformer: { label: { en: 'Transformer', zh: '变压器' }, cell: (row) => row.transformerName },
    ratio: { label: { en: 'Ratio', zh: '倍率' }, cell: (row) => row.ratio },
    opening: { label: { en: 'Opening reading', zh: '起始示数' }, unit: 'kWh', cell: (row) => row.opening },
    closing: { label: { en: 'Closing reading', zh: '截止示数' }, unit: 'kWh', cell: (row) => row.closing },
    ...CONSUMPTION_COLUMNS,
    maxDemand: { label: { en: 'Max demand', zh: '最大需量' }, unit: 'kW', cell: (row) => row.maxDemandKw },
    status: { label: { en: 'Data status', zh: '数据状态' }, cell: (row, locale) => say(BILL_STATUS_TEXT[row.status], locale) },
    flags: {
      label: { en: 'Remarks', zh: '备注' },
      cell: (row, locale) => row.flags.map((flag) => say(BILL_FLAG_TEXT[flag], locale)).join('; '),
    },
    anomaly: { label: { en: 'Anomaly', zh: '电量异常' }, cell: (row, locale) => say(ANOMALY_TEXT[row.anomaly], locale) },
    amount: { label: { en: 'Amount', zh: '金额' }, cell: (row) => row.amount },
    currency: { label: { en: 'Currency', zh: '币种' }, cell: (row) => row.currency },
  },
  page: ({ ctx, user, query }) => listLines(ctx.db, user, query, ctx.settings.timeZone),
});

/** Export of consumption by day for the whole network or a node. */
export const consumptionSheet = defineExport({
  routes: consumptionExport,
  list: bill.trend,
  title: { en: 'Consumption', zh: '用电量' },
  columns: {
    day: { label: { en: 'Day', zh: '日期' }, cell: (row) => row.day },
    ...CONSUMPTION_COLUMNS,
    metersData: { label: { en: 'Meters with data', zh: '实采电表' }, cell: (row) => row.metersData },
  },
  // Newest day first, as in the table.
  page: async ({ ctx, user, query }) => ({ items: (await trendOf(ctx, user, query)).items.toReversed() }),
});
