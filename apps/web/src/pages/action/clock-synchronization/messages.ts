import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';
import type { Translate } from '#core/i18n/use-messages.ts';

export const texts = {
  ...common,
  ...defineMessages({
    title: { en: 'Clock Synchronization', zh: '时钟同步' },
    purpose: { en: 'Check the deviation of device clocks and synchronize them', zh: '查看设备时钟偏差并校时' },
    class: { en: 'Class', zh: '偏差等级' },
    network: words.networkLevel,
    allClocks: { en: 'All clocks', zh: '全部时钟' },
    readClock: { en: 'Read clock', zh: '读取时钟' },
    sync: { en: 'Synchronize', zh: '校时' },
    broadcast: { en: 'Broadcast', zh: '广播校时' },
    plan: { en: 'Schedule as plan', zh: '设为采集方案' },
    kind: words.kind,
    dcu: words.dcu,
    meter: words.meter,
    sn: words.deviceSn,
    deviation: { en: 'Deviation', zh: '偏差' },
    deviationAtLeast: { en: 'Off by at least', zh: '偏差不小于' },
    deviceTime: { en: 'Device time', zh: '设备时间' },
    hesTime: { en: 'Head-end time', zh: '主站时间' },
    zone: { en: 'Zone', zh: '时区' },
    daylight: { en: 'DST', zh: '夏令时' },
    clockStatus: { en: 'Clock status', zh: '时钟状态' },
    lastSync: { en: 'Last sync', zh: '最近校时' },
    method: { en: 'Method', zh: '方式' },
    roundTrip: { en: 'Round trip', zh: '往返时延' },
    before: { en: 'Before', zh: '校前偏差' },
    after: { en: 'After', zh: '校后偏差' },
    leftAlone: { en: 'not needed', zh: '无需校时' },
    histogram: { en: 'Deviations', zh: '偏差分布' },
    histogramNote: { en: 'seconds ahead (+) or behind (−)', zh: '秒，超前（+）或滞后（−）' },
    noneRead: { en: 'No clock has been read yet', zh: '尚未读取时钟' },
    bar: { en: '{from} to {to} s: {count}', zh: '{from} 至 {to} 秒：{count}' },
    syncTitle: { en: 'Synchronize {count} {count|clock|clocks}', zh: '校时 {count} 台设备' },
    broadcastTitle: { en: 'Broadcast the time', zh: '广播校时' },
    broadcastHint: {
      en: 'The DCU is set first and then broadcasts the time to all its meters. Meters do not answer a broadcast: read their clocks afterwards to check.',
      zh: '先校准集中器，再由其向所有电表广播。广播无应答，请随后读取时钟核实。',
    },
    auto: { en: 'Automatic', zh: '自动' },
    shift: { en: 'Shift', zh: '平移' },
    set: { en: 'Set', zh: '对时' },
    methodHint: {
      en: 'Shifting moves the clock by up to 900 s; setting writes the head-end time plus half a round trip.',
      zh: '平移最多 900 秒；对时按往返时延的一半补偿。',
    },
    offline: { en: 'If a DCU is offline', zh: '集中器离线时' },
    failNow: { en: 'Fail now', zh: '立即失败' },
    waitHours: { en: 'Wait {hours} h', zh: '等待 {hours} 小时' },
    reason: words.reason,
    reasonMissing: words.enterTheReason,
    jump: {
      en: '{count} of them {count|is|are} off by more than {limit} s, or invalid: their profiles will contain a jump.',
      zh: '其中 {count} 台偏差超过 {limit} 秒或时钟无效：校时后其曲线将出现跳变。',
    },
    confirmJump: { en: 'I have read this; synchronize them too', zh: '已知悉，一并校时' },
    confirmRest: { en: 'Confirm and synchronize {count}', zh: '确认并校时 {count} 台' },
    backToList: { en: 'Back to the clocks', zh: '返回时钟列表' },
    recorded: { en: 'Kept in the command log', zh: '将记入命令日志' },
    exact: { en: '{seconds} s', zh: '{seconds} 秒' },
    ahead: { en: '+{seconds} s', zh: '+{seconds} 秒' },
    behind: { en: '−{seconds} s', zh: '−{seconds} 秒' },
  }),
};
export type T = Translate<typeof texts>;

/** `+12.3 s`, with more decimals for small deviations. */
export function deviationText(t: T, ms: number | null): string {
  if (ms === null) return '—';
  const seconds = Math.abs(ms) / 1000;
  const text = seconds >= 100 ? seconds.toFixed(0) : seconds.toFixed(1);
  if (Number(text) === 0) return t('exact', { seconds: text });
  return t(ms > 0 ? 'ahead' : 'behind', { seconds: text });
}
