import { defineMessages } from '#core/i18n/messages.ts';

export const listTexts = defineMessages({
  more: { en: 'More', zh: '更多' },
  actionsOf: { en: 'Actions for {name}', zh: '{name}的操作' },
  edit: { en: 'Edit', zh: '编辑' },
  saved: { en: 'Saved', zh: '已保存' },
  remove: { en: 'Delete', zh: '删除' },
  removed: { en: '{count} deleted', zh: '已删除 {count} 项' },
  partly: { en: '{done} done, {failed} not: {reason}', zh: '已完成 {done} 项，{failed} 项未完成：{reason}' },
  // @spec seed §5
  removeTitle: { en: 'Are You Sure To Delete?', zh: '确定删除吗？' },
  removeEffect: {
    en: 'It is deleted for all users. Records in use are not deleted.',
    zh: '删除后所有用户均不可见；仍在使用的数据将被拒绝。',
  },
});
