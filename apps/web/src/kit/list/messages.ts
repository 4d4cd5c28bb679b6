import { words } from '#core/i18n/words.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const listTexts = defineMessages({
  more: words.more,
  actionsOf: words.actionsFor,
  edit: words.edit,
  saved: words.saved,
  remove: words.remove,
  expand: { en: 'Expand {name}', zh: '展开{name}' },
  collapse: { en: 'Collapse {name}', zh: '收起{name}' },
  expandAll: { en: 'Expand all', zh: '全部展开' },
  collapseAll: { en: 'Collapse all', zh: '全部收起' },
  removed: { en: '{count} deleted', zh: '已删除 {count} 项' },
  partly: { en: '{done} done, {failed} not: {reason}', zh: '已完成 {done} 项，{failed} 项未完成：{reason}' },
  // @spec seed §5
  removeTitle: words.sureToDelete,
  removeEffect: {
    en: 'Deleted for all users. Records in use are not deleted.',
    zh: '删除后所有用户均不可见；仍在使用的数据将被拒绝。',
  },
});
