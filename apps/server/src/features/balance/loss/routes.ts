import { loss, lossExport, type LossRow } from '@hes/contract/analysis/loss.ts';
import { say, type Text } from '@hes/contract/core/text.ts';
import { lossClassText } from '@hes/contract/states/bill.ts';
import { implement } from '#http/implement.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { exportRoutes } from '#transfer/export/routes.ts';
import { findThresholds } from '../balance/queries.ts';
import { listLosses, listLossesWithSum } from './service.ts';

/** A row of the file, with the range and the class of its loss by the thresholds. */
type FiledRow = LossRow & { from: string; to: string; classText: Text };

const lossSheet = defineExport<typeof loss.list, FiledRow>({
  routes: lossExport,
  list: loss.list,
  title: { en: 'Line loss', zh: '线损' },
  columns: {
    name: { label: { en: 'Transformer', zh: '变压器' }, cell: (row) => row.name },
    code: { label: { en: 'Code', zh: '编码' }, cell: (row) => row.code },
    lossPercent: { label: { en: 'Loss rate', zh: '线损率' }, unit: '%', cell: (row) => row.lossPercent },
    class: { label: { en: 'Class of loss', zh: '线损分级' }, cell: (row, locale) => say(row.classText, locale) },
    supply: { label: { en: 'Supplied', zh: '供电量' }, unit: 'kWh', cell: (row) => row.supply },
    sold: { label: { en: 'Sold', zh: '售电量' }, unit: 'kWh', cell: (row) => row.sold },
    loss: { label: { en: 'Loss', zh: '损失电量' }, unit: 'kWh', cell: (row) => row.loss },
    suspected: { label: { en: 'Suspected theft', zh: '疑似窃电' }, unit: 'kWh', cell: (row) => row.suspectedKwh },
    unmetered: { label: { en: 'Unmetered', zh: '未计量' }, unit: 'kWh', cell: (row) => row.unmeteredKwh },
    unexplained: { label: { en: 'Unexplained', zh: '原因不明' }, unit: 'kWh', cell: (row) => row.unexplainedKwh },
    technical: { label: { en: 'Technical', zh: '技术线损' }, unit: 'kWh', cell: (row) => row.technicalKwh },
    missing: { label: { en: 'Missing data', zh: '未采集电量' }, unit: 'kWh', cell: (row) => row.missing },
    evidence: [
      { label: { en: 'Meters without data', zh: '无数据电表数' }, cell: (row) => row.metersWithoutData },
      { label: { en: 'Unmetered devices', zh: '未计量设备数' }, cell: (row) => row.unmeteredDevices },
      { label: { en: 'Meters with unusual consumption', zh: '用电异常电表数' }, cell: (row) => row.suspectedMeters },
      { label: { en: 'Meters with tamper events', zh: '窃电事件电表数' }, cell: (row) => row.fraudMeters },
      { label: { en: 'Days without master meter data', zh: '总表无数据天数' }, cell: (row) => row.daysWithoutMaster },
    ],
    days: [
      { label: { en: 'Days balanced', zh: '已平衡天数' }, cell: (row) => row.daysBalanced },
      { label: { en: 'Days of the range', zh: '统计天数' }, cell: (row) => row.days },
      { label: { en: 'First day', zh: '起始日期' }, cell: (row) => row.from },
      { label: { en: 'Last day', zh: '截止日期' }, cell: (row) => row.to },
    ],
  },
  page: async ({ ctx, user, query }) => {
    const words = lossClassText((await findThresholds(ctx.db)).lossPercent);
    const { items, from, to, ...page } = await listLosses(ctx, user, query);
    return { ...page, items: items.map((row) => ({ ...row, from, to, classText: words[row.class] })) };
  },
});

const calls = implement(loss, { list: ({ ctx, user, query }) => listLossesWithSum(ctx, user, query) });

export const lossRoutes = [...calls, ...exportRoutes(lossSheet)];
