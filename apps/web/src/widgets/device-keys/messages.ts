import { KEY_TEXT } from '@hes/contract/states/device-text.ts';
import { KEY_RULE } from '@hes/contract/states/spoken.ts';
import { defineMessages } from '#shared/i18n/messages.ts';

export const messages = defineMessages({
  keysOf: { en: 'Keys of {sn}', zh: '{sn} 的密钥' },
  hint: { en: 'Keys are written and never read back. An empty field stays as it is.', zh: '密钥只写不读，留空则保持不变。' },
  fileHint: {
    en: 'Serial number and keys of devices that are registered already. Keys are written and never shown again, in no result file either; an empty cell stays as it is.',
    zh: '请提供已登记设备的编号及密钥。密钥只写不读，结果文件中也不显示；空单元格保持不变。',
  },
  ...KEY_TEXT,
  keyHelp: KEY_RULE,
  passwordHelp: { en: '1 to 32 characters', zh: '1至32个字符' },
  stored: { en: 'stored', zh: '已存储' },
  notStored: { en: 'not stored', zh: '未存储' },
  clear: { en: 'Take the stored one away', zh: '清除已存储的密钥' },
  keys: { en: 'Keys', zh: '密钥' },
});
