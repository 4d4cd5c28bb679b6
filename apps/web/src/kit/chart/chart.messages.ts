import { defineMessages } from '#core/i18n/messages.ts';

export const chartTexts = defineMessages({
  png: { en: 'Save as picture', zh: '保存为图片' },
  csv: { en: 'Save the numbers', zh: '保存数据' },
});
