import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import { words } from '#core/i18n/words.messages.ts';

export const clockOrderTexts = {
  ...common,
  ...defineMessages({
    syncTitle: { en: 'Synchronize {count} {count|clock|clocks}', zh: '校时 {count} 台设备' },
    broadcastTitle: { en: 'Broadcast the time', zh: '广播校时' },
    broadcastHint: {
      en: 'The DCU is set first and then broadcasts the time to all its meters. Meters do not answer a broadcast: read their clocks afterwards to check.',
      zh: '先校准集中器，再由其向所有电表广播。广播无应答，请随后读取时钟核实。',
    },
    method: { en: 'Method', zh: '方式' },
    methodHint: {
      en: 'Shifting moves the clock by up to 900 s; setting writes the head-end time plus half a round trip.',
      zh: '平移最多 900 秒；对时按往返时延的一半补偿。',
    },
    auto: { en: 'Automatic', zh: '自动' },
    shift: { en: 'Shift', zh: '平移' },
    set: { en: 'Set', zh: '对时' },
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
    recorded: { en: 'Kept in the command log', zh: '将记入命令日志' },
    sync: { en: 'Synchronize', zh: '校时' },
    broadcast: { en: 'Broadcast', zh: '广播校时' },
    deviceTime: { en: 'Device time', zh: '设备时间' },
    before: { en: 'Before', zh: '校前偏差' },
    deviation: { en: 'Deviation', zh: '偏差' },
    roundTrip: { en: 'Round trip', zh: '往返时延' },
    exact: { en: '{seconds} s', zh: '{seconds} 秒' },
    ahead: { en: '+{seconds} s', zh: '+{seconds} 秒' },
    behind: { en: '−{seconds} s', zh: '−{seconds} 秒' },
  }),
};
type T = Translate<typeof clockOrderTexts>;

/** `+12.3 s`, with more decimals for small deviations. */
export function deviationText(t: T, ms: number | null): string {
  if (ms === null) return '—';
  const seconds = Math.abs(ms) / 1000;
  const text = seconds >= 100 ? seconds.toFixed(0) : seconds.toFixed(1);
  if (Number(text) === 0) return t('exact', { seconds: text });
  return t(ms > 0 ? 'ahead' : 'behind', { seconds: text });
}
