import { words } from '#core/i18n/words.messages.ts';
import { KEY_TEXT } from '@hes/contract/text/device-text.ts';
import { KEY_RULE } from '@hes/contract/asset/spoken.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const messages = defineMessages({
  keysOf: { en: 'Keys of {sn}', zh: '{sn} 的密钥' },
  hint: { en: 'Keys can be written but not read. An empty field stays unchanged.', zh: '密钥只写不读，留空则保持不变。' },
  fileHint: {
    en: 'Serial number and keys of devices that are already registered. Keys are written and never shown again, not even in the result file; an empty cell stays unchanged.',
    zh: '请提供已登记设备的编号及密钥。密钥只写不读，结果文件中也不显示；空单元格保持不变。',
  },
  ...KEY_TEXT,
  keyHelp: KEY_RULE,
  passwordHelp: { en: '1 to 32 characters', zh: '1至32个字符' },
  stored: { en: 'stored', zh: '已存储' },
  notStored: { en: 'not stored', zh: '未存储' },
  clear: { en: 'Delete the stored secret', zh: '清除已存储的密钥' },
  keys: words.keys,
});
