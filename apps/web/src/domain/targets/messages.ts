import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const texts = {
  ...common,
  ...defineMessages({
    target: { en: 'Target', zh: '操作对象' },
    chosen: { en: '{count} chosen', zh: '已选 {count} 台' },
    clear: words.clear,
    tooMany: words.atMostThousandDevices,
    pasteSns: { en: 'Paste SNs', zh: '粘贴编号' },
    pasteHint: {
      en: 'One SN per line, or separated by commas or spaces; at most 1,000.',
      zh: '每行一个编号，或以逗号、空格分隔，最多 1,000 个。',
    },
    addMeters: { en: 'Add meters', zh: '添加电表' },
    notFound: { en: 'Not found: {sns}', zh: '未找到：{sns}' },
  }),
};
