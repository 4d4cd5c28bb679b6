import { balance, balanceExport, type BalanceRow } from '@hes/contract/analysis/balance.ts';
import { say, type Text } from '@hes/contract/core/text.ts';
import { lossClassText } from '@hes/contract/states/bill.ts';
import { implement } from '#http/implement.ts';
import { CONSUMPTION_COLUMNS } from '#features/billing/port.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { checkRange } from '#features/readings/port.ts';
import { findThresholds, listBalances, summariseBalances } from './queries.ts';

/** A row of the file, with the class of its loss by the thresholds. */
type FiledRow = BalanceRow & { classText: Text };

const balanceSheet = defineExport<typeof balance.list, FiledRow>({
  routes: balanceExport,
  list: balance.list,
  title: { en: 'Energy balance', zh: '电量平衡' },
  columns: {
    name: { label: { en: 'Transformer', zh: '变压器' }, cell: (row) => row.name },
    code: { label: { en: 'Code', zh: '编码' }, cell: (row) => row.code },
    class: { label: { en: 'Class of loss', zh: '线损分级' }, cell: (row, locale) => say(row.classText, locale) },
    supply: { label: { en: 'Supplied', zh: '供电量' }, unit: 'kWh', cell: (row) => row.supply },
    sold: { label: { en: 'Sold', zh: '售电量' }, unit: 'kWh', cell: (row) => row.sold },
    missing: { label: { en: 'Missing data', zh: '未采集电量' }, unit: 'kWh', cell: (row) => row.missing },
    loss: { label: { en: 'Loss', zh: '损失电量' }, unit: 'kWh', cell: (row) => row.loss },
    lossPercent: { label: { en: 'Loss rate', zh: '线损率' }, unit: '%', cell: (row) => row.lossPercent },
    metersData: [
      { label: { en: 'Meters with data, fewest of a day', zh: '单日最少实采电表' }, cell: (row) => row.metersDataMin },
      { label: { en: 'Meters expected', zh: '应采电表' }, cell: (row) => row.metersExpected },
    ],
    daysBalanced: [
      { label: { en: 'Days balanced', zh: '已平衡天数' }, cell: (row) => row.daysBalanced },
      { label: { en: 'Days of the range', zh: '统计天数' }, cell: (row) => row.days },
      { label: { en: 'Days without master meter data', zh: '总表无数据天数' }, cell: (row) => row.daysWithoutMaster },
      { label: { en: 'Days not calculated', zh: '未计算天数' }, cell: (row) => row.daysNotCalculated },
    ],
    ...CONSUMPTION_COLUMNS,
  },
  page: async ({ ctx, user, query }) => {
    const words = lossClassText((await findThresholds(ctx.db)).lossPercent);
    const { items, ...page } = await listBalances(ctx.db, user, query);
    return { ...page, items: items.map((row) => ({ ...row, classText: words[row.class] })) };
  },
});

const calls = implement(balance, {
  list: ({ ctx, user, query }) => {
    checkRange(query);
    return listBalances(ctx.db, user, query);
  },
  summary: ({ ctx, user, query }) => {
    checkRange(query);
    return summariseBalances(ctx.db, user, query);
  },
});

export const balanceRoutes = [...calls, ...exportRoutes(balanceSheet)];
