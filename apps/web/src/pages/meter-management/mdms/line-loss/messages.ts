import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';
import { words } from '#core/i18n/words.messages.ts';

export const texts = defineMessages({
  ...common,
  dateRange: words.dateRange,
  title: { en: 'Line Loss', zh: '线损分析' },
  purpose: { en: 'Where energy is lost, by transformer and by evidence', zh: '按变压器和依据分析电量损失' },
  search: { en: 'Name or code', zh: '名称或编码' },
  lossClass: { en: 'Class of loss', zh: '线损分级' },
  lossPercent: words.lossRate,
  total: { en: 'All transformers', zh: '全部变压器' },
  supply: words.supplied,
  sold: words.sold,
  loss: { en: 'Loss', zh: '损失电量' },
  split: { en: 'Parts', zh: '构成' },
  missing: words.missingData,
  missingHint: {
    en: 'Estimated consumption of meters without data. It is no loss: it disappears when they are read. Above a quarter of the supply, or where the meters have no history, the loss is not known.',
    zh: '无数据电表的估算电量，不属于损失，补采后消除。超过供电量的四分之一，或电表无历史数据时，线损未知。',
  },
  unmetered: { en: 'Unmetered', zh: '未计量' },
  unmeteredHint: {
    en: 'Devices found on the network without a record, or installed and not in service. Energy is an estimate: as much as a customer uses on average.',
    zh: '网络中发现但无档案，或已安装未投运的设备。电量按用户平均用电估算。',
  },
  suspected: { en: 'Suspected theft', zh: '疑似窃电' },
  suspectedHint: {
    en: 'Shortfall of meters whose consumption fell, stopped or ran backwards, unless dismissed. A suspicion is no proof.',
    zh: '用电突减、停止或反向的电表的缺口电量（已排除的除外）。疑似不等于证实。',
  },
  technical: { en: 'Technical', zh: '技术线损' },
  technicalHint: { en: 'The rest, as far as it is normal by the thresholds in Settings.', zh: '其余部分中按系统设置属于正常的线损。' },
  unexplained: { en: 'Unexplained', zh: '原因不明' },
  unexplainedHint: { en: 'What is left: no stored fact says where it is lost.', zh: '剩余部分：已存数据不能说明原因。' },
  evidence: { en: 'Evidence', zh: '依据' },
  noData: { en: '{count} {count|meter|meters} without data', zh: '无数据电表 {count} 只' },
  devices: { en: '{count} unmetered {count|device|devices}', zh: '未计量设备 {count} 台' },
  suspects: { en: '{count} {count|meter|meters} with unusual consumption', zh: '用电异常电表 {count} 只' },
  frauds: { en: '{count} {count|meter|meters} with tamper events', zh: '窃电事件电表 {count} 只' },
  noMaster: { en: '{count} {count|day|days} without master meter data', zh: '总表无数据 {count} 天' },
  balanced: { en: 'Days balanced', zh: '已平衡天数' },
  empty: { en: 'No transformer', zh: '暂无变压器' },
  emptyHint: {
    en: 'Losses are calculated every night from the readings of master meters and customers.',
    zh: '每晚根据总表和用户读数计算线损。',
  },
});
