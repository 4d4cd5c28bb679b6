import { defineMessages } from '#core/i18n/messages.ts';

export const messages = defineMessages({
  list: { en: 'Meters with DCU and keys', zh: '电表、集中器与密钥' },
  hint: {
    en: 'One row per meter: its DCU and its keys beside its master data. The meters are bound; the next step dispatches them to the DCU.',
    zh: '每行一块电表：除档案外含所属集中器与密钥。导入后即绑定，下一步下发到集中器。',
  },
  dispatch: { en: 'Dispatch to {sn}', zh: '下发到 {sn}' },
  openArchives: { en: 'Open the archives to dispatch', zh: '打开档案以下发' },
});
