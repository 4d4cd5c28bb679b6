import { AREA_TEXT } from '@hes/contract/manager/area.ts';
import { role as roles } from '@hes/contract/manager/role.ts';
import { roleAbout, roleName } from '@hes/contract/text/roles.ts';
import { roleExport } from '@hes/contract/transfer/lists.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { Num } from '#kit/basics/text.tsx';
import { textFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { CHANGED_OUTSIDE } from '#domain/states/tables.ts';
import { roleActions } from './actions.ts';
import { RoleForm } from './role-form.tsx';
import { RolePane } from './role-pane.tsx';
import { texts } from './texts.ts';
import styles from './role.module.css';

export const roleList = defineList({
  route: roles.list,
  path: PAGE_PATH.roles,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row) => row.code,
  sort: 'code,asc',
  filters: [textFilter('code', texts.code), textFilter('name', texts.name)],
  columns: [
    { key: 'code', title: texts.code, width: 210, sort: 'code', mono: true, value: (row) => row.code },
    { key: 'name', title: texts.name, width: 260, sort: 'name', cell: (row, { say }) => say(roleName(row)) },
    {
      key: 'description',
      title: texts.description,
      width: 420,
      low: true,
      cell: (row, { say }) => <span title={say(roleAbout(row))}>{say(roleAbout(row)) || '—'}</span>,
    },
    {
      key: 'kind',
      title: texts.kind,
      width: 172,
      cell: (row, { say }) =>
        row.isSealed ? (
          <span className={row.isBuiltin ? styles['dim'] : undefined}>{say(row.isBuiltin ? texts.builtIn : texts.custom)}</span>
        ) : (
          <StateOf sign={CHANGED_OUTSIDE} />
        ),
    },
    {
      key: 'area',
      title: texts.networkArea,
      width: 150,
      cell: ({ area }, { say }) => (
        <span data-area={area.kind}>{area.kind === 'nodes' ? say(texts.areaNodes, { count: area.nodes }) : say(AREA_TEXT[area.kind])}</span>
      ),
    },
    { key: 'users', title: texts.users, width: 100, align: 'right', value: (row) => row.users, cell: (row) => <Num value={row.users} /> },
    {
      key: 'modules',
      title: texts.pages,
      width: 100,
      align: 'right',
      value: (row) => row.modules,
      cell: (row) => <Num value={row.modules} />,
    },
    { key: 'updatedAt', title: texts.updated, width: 190, low: true, sort: 'updatedAt', time: (row) => row.updatedAt },
  ],
  actions: roleActions,
  add: { label: texts.add, right: roles.create, Form: RoleForm, done: texts.saved },
  export: roleExport,
  Pane: RolePane,
  opensFirst: true,
  empty: texts.noRoles,
});
