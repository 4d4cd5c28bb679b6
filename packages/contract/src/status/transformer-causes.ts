import { offlineAmong } from './dcu-causes.ts';
import type { Cause } from './cause.ts';
import type { TransformerFacts } from './transformer-status.ts';

const kwh = (value: number | null | undefined): string => (value ?? 0).toFixed(1);
const percentOf = ({ loss }: TransformerFacts): string => (loss?.lossPercent ?? 0).toFixed(1);
const isHigh = ({ loss }: TransformerFacts): boolean => loss?.class === 'raised' || loss?.class === 'high';
/** Signs of theft count where energy is lost, or where a meter has reported tampering. */
const showsTheft = (facts: TransformerFacts): boolean =>
  (facts.loss?.fraudMeters ?? 0) > 0 || (isHigh(facts) && (facts.loss?.suspectedMeters ?? 0) > 0);
const has = (value: number | null | undefined): boolean => (value ?? 0) >= 0.05;

/** Causes for the state of a transformer and its loss, those that explain others first. */
export const TRANSFORMER_CAUSES = {
  no_master: {
    health: 'unknown',
    applies: ({ master }) => master === null,
    sentence: { en: 'The transformer has no master meter, so its loss is unknown.', zh: '变压器没有总表，线损未知。' },
    todo: { en: 'Choose its master meter on the page of transformers.', zh: '在变压器页面指定总表。' },
    evidence: ['identity'],
    actions: ['asset'],
  },
  master_silent: {
    health: 'bad',
    applies: ({ master, loss }) => master !== null && (loss?.daysWithoutMaster ?? 0) > 0,
    values: ({ master, loss }) => ({ sn: master?.sn ?? '', days: loss?.daysWithoutMaster ?? 0 }),
    sentence: {
      en: 'Master meter {sn} has no data on {days} {days|day|days}: these days have no loss.',
      zh: '总表 {sn} 有 {days} 天无数据，这些天没有线损。',
    },
    todo: {
      en: 'Open the status of the master meter; the balance is calculated again when its data arrive.',
      zh: '查看总表状态；数据到达后重新计算平衡。',
    },
    evidence: ['loss'],
    actions: ['readings'],
  },
  dcus_offline: {
    health: 'bad',
    applies: ({ dcus }) => offlineAmong(dcus) > 0,
    values: ({ dcus }) => ({ offline: offlineAmong(dcus), count: dcus.length }),
    sentence: {
      en: '{offline} of {count} {count|DCU|DCUs} of this transformer {offline|is|are} not online.',
      zh: '该变压器 {count} 台集中器中有 {offline} 台不在线。',
    },
    todo: { en: 'Restore the connection of the DCU first; readings follow without an order.', zh: '先恢复集中器连接，读数会自动补采。' },
    evidence: ['connections'],
    actions: ['dcu'],
  },
  negative_loss: {
    health: 'bad',
    applies: ({ loss }) => loss?.class === 'negative',
    values: (facts) => ({ percent: percentOf(facts) }),
    sentence: {
      en: 'More energy was sold than supplied ({percent} %): a ratio, the master meter or the binding of meters is wrong.',
      zh: '售电量大于供电量（{percent} %）：变比、总表或电表归属有误。',
    },
    todo: {
      en: 'Check CT and PT ratios, then the meters that belong to other transformers.',
      zh: '检查CT、PT变比，再核对归属其他变压器的电表。',
    },
    evidence: ['loss'],
    actions: ['asset', 'loss'],
  },
  suspected_theft: {
    health: 'bad',
    applies: showsTheft,
    values: ({ loss }) => ({ meters: Math.max(loss?.suspectedMeters ?? 0, loss?.fraudMeters ?? 0), kwh: kwh(loss?.suspectedKwh) }),
    sentence: {
      en: '{meters} {meters|meter shows|meters show} signs of theft, with a shortfall of {kwh} kWh. A suspicion is no proof.',
      zh: '{meters} 只电表有窃电迹象，缺口 {kwh} kWh。疑似不等于证实。',
    },
    todo: { en: 'Review each day, and inspect the meters with tamper events on site.', zh: '逐日判断，并现场检查有窃电事件的电表。' },
    evidence: ['loss', 'events'],
    actions: ['anomalies', 'events'],
  },
  unmetered: {
    health: 'attention',
    applies: ({ loss }) => (loss?.unmeteredDevices ?? 0) > 0,
    values: ({ loss }) => ({ count: loss?.unmeteredDevices ?? 0, kwh: kwh(loss?.unmeteredKwh) }),
    sentence: {
      en: '{count} {count|device is|devices are} on the network but not billed; estimated at {kwh} kWh.',
      zh: '{count} 台设备在网但未计费，估算 {kwh} kWh。',
    },
    todo: { en: 'Register the found meters, or put installed ones into service.', zh: '登记搜到的电表，或将已安装的电表投运。' },
    evidence: ['loss'],
    actions: ['archives'],
  },
  unusual_consumption: {
    health: 'attention',
    applies: (facts) => !showsTheft(facts) && (facts.loss?.suspectedMeters ?? 0) > 0,
    values: ({ loss }) => ({ meters: loss?.suspectedMeters ?? 0 }),
    sentence: {
      en: '{meters} {meters|meter has|meters have} unusual consumption, but the loss of the transformer is not raised.',
      zh: '{meters} 只电表用电异常，但变压器线损未偏高。',
    },
    todo: {
      en: 'Review each day: a customer may be away, or generate without a record of it.',
      zh: '逐日判断：用户可能外出，或有未登记的发电。',
    },
    evidence: ['loss'],
    actions: ['anomalies'],
  },
  missing_data: {
    health: 'attention',
    applies: ({ loss }) => has(loss?.missing),
    values: ({ loss }) => ({ count: loss?.metersWithoutData ?? 0, kwh: kwh(loss?.missing) }),
    sentence: {
      en: '{kwh} kWh are estimated for meters without data (up to {count} on a day); they are not counted as loss.',
      zh: '无数据电表（单日最多 {count} 只）估算 {kwh} kWh，不计入损失。',
    },
    todo: { en: 'Fill the gaps, then calculate the balance again.', zh: '补召后重新计算平衡。' },
    evidence: ['loss', 'gaps'],
    actions: ['refill'],
  },
  unexplained: {
    health: 'attention',
    applies: (facts) => isHigh(facts) && has(facts.loss?.unexplainedKwh),
    values: ({ loss }) => ({ kwh: kwh(loss?.unexplainedKwh) }),
    sentence: {
      en: '{kwh} kWh of the loss exceed what is normal, and no stored fact says where they are lost.',
      zh: '有 {kwh} kWh 损失超出正常范围，已存数据不能说明去向。',
    },
    todo: {
      en: 'Check ratios and phases, search for unknown meters, and inspect the line.',
      zh: '检查变比和相位，搜索未知电表，并巡查线路。',
    },
    evidence: ['loss'],
    actions: ['loss', 'route'],
  },
  no_balance: {
    health: 'unknown',
    applies: ({ loss, master }) => master !== null && loss !== null && loss.daysBalanced === 0 && loss.daysWithoutMaster === 0,
    sentence: { en: 'No day of the last week is balanced yet.', zh: '最近一周尚无平衡数据。' },
    todo: { en: 'Balances are calculated at night, or by order on the page of bills.', zh: '平衡在夜间计算，也可在账单页面手动计算。' },
    evidence: ['loss'],
    actions: ['loss'],
  },
} as const satisfies Record<string, Cause<TransformerFacts>>;
export type TransformerCause = keyof typeof TRANSFORMER_CAUSES;
