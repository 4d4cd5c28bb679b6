import type { Action } from './route.ts';
import type { Text } from './text.ts';

/** Labels of the actions of a right. */
export const ACTION_TEXT: Record<Action, Text> = {
  view: { en: 'View', zh: '查看' },
  add: { en: 'Add', zh: '新增' },
  edit: { en: 'Edit', zh: '编辑' },
  delete: { en: 'Delete', zh: '删除' },
  import: { en: 'Import', zh: '导入' },
  export: { en: 'Export', zh: '导出' },
  execute: { en: 'Execute', zh: '执行' },
  approve: { en: 'Approve', zh: '审批' },
  configure: { en: 'Configure', zh: '配置' },
};
