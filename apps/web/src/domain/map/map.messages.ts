import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const texts = defineMessages({
  zoomIn: words.zoomIn,
  zoomOut: words.zoomOut,
  fit: { en: 'Show all', zh: '显示全部' },
});
