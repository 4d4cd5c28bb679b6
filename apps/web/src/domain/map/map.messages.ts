import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const texts = defineMessages({
  zoomIn: words.zoomIn,
  zoomOut: words.zoomOut,
  wheel: { en: 'Click the map to zoom by the wheel', zh: '单击地图后可用滚轮缩放' },
  fit: { en: 'Show all', zh: '显示全部' },
});
