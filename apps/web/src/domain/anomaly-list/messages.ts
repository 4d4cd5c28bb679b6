import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const texts = defineMessages({
  anomalies: { en: 'Anomalies', zh: '电量异常' },
  anomaly: { en: 'Anomaly', zh: '电量异常' },
  allLines: common.all,
  day: words.day,
  sn: common.meterSn,
  search: words.snOrCustomer,
  customer: words.customer,
  transformer: common.transformer,
  type: { en: 'Type', zh: '异常类型' },
  value: { en: 'Value', zh: '数值' },
  reference: { en: 'Measured against', zh: '参照值' },
  state: words.state,
  decided: { en: 'Decided by', zh: '处理人' },
  reason: words.reason,
  confirm: { en: 'Confirm', zh: '确认' },
  dismiss: { en: 'Dismiss', zh: '排除' },
  readings: { en: 'Readings of the day', zh: '当日抄表数据' },
  limits: { en: 'Limits of the meter', zh: '电量限值' },
  dismissTitle: { en: 'Dismiss the anomaly of {name}', zh: '排除 {name} 的异常' },
  dismissEffect: { en: 'The anomaly no longer counts. You can still confirm it later.', zh: '不再计入统计，之后仍可确认。' },
  reasonMissing: words.enterTheReason,
  decisionSaved: { en: 'Decision saved', zh: '已保存处理结果' },
  noAnomaly: { en: 'All normal', zh: '一切正常' },
});
