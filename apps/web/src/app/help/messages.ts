import { defineMessages } from '#core/i18n/messages.ts';
import { words } from '#core/i18n/words.messages.ts';

export const messages = defineMessages({
  help: words.help,
  page: { en: 'This page', zh: '本页' },
  glossary: { en: 'Glossary', zh: '术语' },
  keys: words.keyboard,
  findWord: { en: 'Find a word', zh: '查找术语' },
  noWord: { en: 'No word matches', zh: '没有匹配的术语' },
  noHelp: { en: 'This page has no help.', zh: '本页暂无帮助。' },
});
