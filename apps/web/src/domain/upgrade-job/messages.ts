import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const messages = {
  ...common,
  ...defineMessages({
    pause: { en: 'Pause', zh: '暂停' },
    resume: { en: 'Resume', zh: '恢复' },
    stop: { en: 'Stop', zh: '停止' },
    continueRing: { en: 'Continue ring', zh: '继续下一批' },
    window: { en: 'Window', zh: '升级时段' },
    anyTime: { en: 'at any time', zh: '任意时间' },
    onlyBetween: { en: 'only between', zh: '仅在时段内' },
    stopTitle: { en: 'Stop {name}?', zh: '停止 {name}？' },
    stopHint: {
      en: 'Devices that have not started are skipped; those in progress stop after their current block and are not activated.',
      zh: '未开始的设备将跳过；进行中的设备在下一块后停止，不会激活。',
    },
  }),
};
