import { defineMessages } from '#core/i18n/messages.ts';

export const texts = defineMessages({
  zoomIn: { en: 'Zoom in', zh: '放大' },
  zoomOut: { en: 'Zoom out', zh: '缩小' },
  fit: { en: 'Show all', zh: '显示全部' },
});
