import { say } from '@hes/contract/core/text.ts';
import { AREA_TEXT } from '@hes/contract/manager/area.ts';
import { role } from '@hes/contract/manager/role.ts';
import { roleAbout, roleName } from '@hes/contract/text/roles.ts';
import { roleExport } from '@hes/contract/transfer/lists.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { listRoles } from './queries.ts';

const KINDS = { true: { en: 'Built-In', zh: '内置' }, false: { en: 'Custom', zh: '自定义' } };

export const roleSheet = defineExport({
  routes: roleExport,
  list: role.list,
  title: { en: 'Roles', zh: '角色' },
  columns: {
    code: { label: { en: 'Code', zh: '编码' }, cell: (row) => row.code },
    name: { label: { en: 'Name', zh: '名称' }, cell: (row, locale) => say(roleName(row), locale) },
    description: { label: { en: 'Description', zh: '描述' }, cell: (row, locale) => say(roleAbout(row), locale) },
    kind: { label: { en: 'Type', zh: '类型' }, cell: (row, locale) => say(KINDS[`${row.isBuiltin}`], locale) },
    area: {
      label: { en: 'Network area', zh: '网络范围' },
      cell: ({ area }, locale) =>
        area.kind === 'nodes' ? `${say(AREA_TEXT.nodes, locale)}: ${area.nodes}` : say(AREA_TEXT[area.kind], locale),
    },
    users: { label: { en: 'Users', zh: '用户数' }, cell: (row) => row.users },
    modules: { label: { en: 'Pages', zh: '页面数' }, cell: (row) => row.modules },
    updatedAt: { label: { en: 'Updated', zh: '更新时间' }, kind: 'time', cell: (row) => row.updatedAt },
  },
  page: ({ ctx, query }) => listRoles(ctx.db, query),
});
