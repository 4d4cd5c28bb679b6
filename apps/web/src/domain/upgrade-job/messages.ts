import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const messages = {
  ...common,
  ...defineMessages({
    pause: words.pause,
    resume: { en: 'Resume', zh: '恢复' },
    stop: words.stop,
    continueRing: { en: 'Continue ring', zh: '继续下一批' },
    window: words.window,
    anyTime: { en: 'at any time', zh: '任意时间' },
    onlyBetween: { en: 'only between', zh: '仅在时段内' },
    stopTitle: { en: 'Stop {name}?', zh: '停止 {name}？' },
    stopHint: {
      en: 'Devices that have not started are skipped; those in progress stop after their current block and are not activated.',
      zh: '未开始的设备将跳过；进行中的设备在下一块后停止，不会激活。',
    },
  }),
};
