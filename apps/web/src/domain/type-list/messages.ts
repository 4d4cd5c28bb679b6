import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';
import { texts as shared } from '#kit/basics/record.messages.ts';

/** Texts of the lists of DCU types and meter types. */
export const typeTexts = {
  ...shared,
  ...defineMessages({
    supplier: words.supplier,
    authenticationType: { en: 'Authentication type', zh: '认证方式' },
    bytes: { en: 'bytes', zh: '字节' },
    search: { en: 'Code or name', zh: '编码或名称' },
    importFile: { en: 'Import JSON', zh: '导入 JSON' },
    exportFile: { en: 'Export JSON', zh: '导出 JSON' },
    notAFile: { en: 'This is not a type file', zh: '不是类型文件' },
    changeAll: { en: 'Change all', zh: '全部修改' },
    start: { en: 'Start', zh: '开始' },
  }),
};
