import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const texts = {
  ...common,
  ...defineMessages({
    code: { en: 'Code', zh: '编码' },
    name: words.name,
    note: words.note,
    builtIn: { en: 'Built-In', zh: '内置' },
    state: words.state,
    enabled: words.enabled,
    disabled: words.disabled,
    updated: words.updated,
    properties: words.properties,
    add: { en: 'Add', zh: '新增' },
    edit: words.edit,
    duplicate: { en: 'Duplicate', zh: '复制新增' },
    remove: words.remove,
    more: words.more,
    actions: words.actionsFor,
    saved: words.saved,
    removed: { en: '{count} deleted', zh: '已删除 {count} 项' },
    partly: { en: '{done} deleted, {failed} not: {reason}', zh: '已删除 {done} 项，{failed} 项失败：{reason}' },
    // @spec seed §5
    removeTitle: words.sureToDelete,
    removeEffect: {
      en: 'Deleted for all users. Records in use are not deleted.',
      zh: '删除后所有用户均不可见；仍在使用的数据将被拒绝。',
    },
    yes: words.yes,
    no: words.no,
  }),
};
