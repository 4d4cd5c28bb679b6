import { common } from '#core/i18n/common.messages.ts';
import { defineMessages } from '#core/i18n/messages.ts';

export const texts = {
  ...common,
  ...defineMessages({
    code: { en: 'Code', zh: '编码' },
    name: { en: 'Name', zh: '名称' },
    note: { en: 'Note', zh: '备注' },
    builtIn: { en: 'Built-In', zh: '内置' },
    state: { en: 'State', zh: '状态' },
    enabled: { en: 'Enabled', zh: '启用' },
    disabled: { en: 'Disabled', zh: '停用' },
    updated: { en: 'Updated', zh: '更新时间' },
    properties: { en: 'Properties', zh: '属性' },
    add: { en: 'Add', zh: '新增' },
    edit: { en: 'Edit', zh: '编辑' },
    duplicate: { en: 'Duplicate', zh: '复制新增' },
    remove: { en: 'Delete', zh: '删除' },
    more: { en: 'More', zh: '更多' },
    actions: { en: 'Actions for {name}', zh: '{name}的操作' },
    saved: { en: 'Saved', zh: '已保存' },
    removed: { en: '{count} deleted', zh: '已删除 {count} 项' },
    partly: { en: '{done} deleted, {failed} not: {reason}', zh: '已删除 {done} 项，{failed} 项失败：{reason}' },
    // @spec seed §5
    removeTitle: { en: 'Are You Sure To Delete?', zh: '确定删除吗？' },
    removeEffect: {
      en: 'It is deleted for all users. Records in use are not deleted.',
      zh: '删除后所有用户均不可见；仍在使用的数据将被拒绝。',
    },
    yes: { en: 'Yes', zh: '是' },
    no: { en: 'No', zh: '否' },
  }),
};
