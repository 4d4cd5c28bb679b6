import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const texts = {
  ...common,
  ...defineMessages({
    limits: { en: 'Limits', zh: '电量限值' },
    title: { en: 'Limits of {sn}', zh: '{sn} 的电量限值' },
    upper: { en: 'Upper limit (kWh a day)', zh: '日电量上限 (kWh)' },
    lower: { en: 'Lower limit (kWh a day)', zh: '日电量下限 (kWh)' },
    upperPlate: {
      en: 'Empty: {kwh} kWh, from the rating plate and the factor in the settings.',
      zh: '留空：按铭牌与系统系数计算，为 {kwh} kWh。',
    },
    upperUnknown: { en: 'Empty: no limit, because the rating plate does not give one.', zh: '留空：铭牌数据不全，不判断上限。' },
    lowerDefault: {
      en: 'Empty: {days} {days|day|days} without consumption on an active supply. Zero: never.',
      zh: '留空：正常供电时连续 {days} 天用电为零即判为异常；填 0 则不判断。',
    },
    note: {
      en: 'The last 40 days are evaluated again within a minute; decisions stay.',
      zh: '一分钟内重新判断最近40天，已处理的结果保留。',
    },
    saved: { en: 'Limits saved', zh: '限值已保存' },
  }),
};
