import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';
import { clockOrderTexts } from '#domain/device-orders/clock-order.messages.ts';
import type { Translate } from '#core/i18n/use-messages.ts';

export const texts = {
  ...common,
  ...clockOrderTexts,
  ...defineMessages({
    title: { en: 'Clock Synchronization', zh: '时钟同步' },
    purpose: { en: 'Check the deviation of device clocks and synchronize them', zh: '查看设备时钟偏差并校时' },
    class: { en: 'Class', zh: '偏差等级' },
    network: words.networkLevel,
    allClocks: { en: 'All clocks', zh: '全部时钟' },
    readClock: { en: 'Read clock', zh: '读取时钟' },
    plan: { en: 'Schedule as plan', zh: '设为采集方案' },
    kind: words.kind,
    dcu: words.dcu,
    meter: words.meter,
    sn: words.deviceSn,
    deviationAtLeast: { en: 'Off by at least', zh: '偏差不小于' },
    hesTime: { en: 'Head-end time', zh: '主站时间' },
    zone: { en: 'Zone', zh: '时区' },
    daylight: { en: 'DST', zh: '夏令时' },
    clockStatus: { en: 'Clock status', zh: '时钟状态' },
    lastSync: { en: 'Last sync', zh: '最近校时' },
    after: { en: 'After', zh: '校后偏差' },
    leftAlone: { en: 'not needed', zh: '无需校时' },
    histogram: { en: 'Deviations', zh: '偏差分布' },
    histogramNote: { en: 'seconds ahead (+) or behind (−)', zh: '秒，超前（+）或滞后（−）' },
    noneRead: { en: 'No clock has been read yet', zh: '尚未读取时钟' },
    noneReadHint: {
      en: 'Select devices in the list, or all of this filter, and choose Read clock.',
      zh: '在列表中勾选设备或本筛选的全部设备，然后点击“读取时钟”。',
    },
    bar: { en: '{from} to {to} s: {count}', zh: '{from} 至 {to} 秒：{count}' },
    confirmRest: { en: 'Confirm and synchronize {count}', zh: '确认并校时 {count} 台' },
    backToList: { en: 'Back to the clocks', zh: '返回时钟列表' },
  }),
};
export type T = Translate<typeof texts>;
