import { ACTION_TEXT } from '@hes/contract/core/action-text.ts';
import { module as routes, type ModuleRow } from '@hes/contract/manager/module.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { inBrowser, textFilter, yesNoFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { ModuleIcon } from '#domain/module-icon/module-icon.tsx';
import { edit, moduleActions, steps } from './actions.tsx';
import { ModuleForm } from './module-form.tsx';
import { texts } from './texts.ts';
import styles from './module.module.css';

const actionsOf = ({ actions }: ModuleRow, { say }: ListTools) => actions.map((action) => say(ACTION_TEXT[action])).join(', ');
const visibility = ({ visible }: ModuleRow, { say }: ListTools) => say(visible ? texts.shown : texts.hidden);
const protection = ({ isFixed }: ModuleRow, { say }: ListTools) => (isFixed ? say(texts.fixed) : null);

/** The menu as a tree: groups with their pages. */
export const moduleList = defineList({
  route: routes.list,
  path: PAGE_PATH.modules,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row) => row.nameEn,
  isWhole: true,
  tree: {
    parentOf: (row) => row.parentId,
    isWanted: ({ nameEn, nameZh, path, visible }, url) =>
      `${nameEn} ${nameZh} ${path}`.toLowerCase().includes(url['search']?.toLowerCase() ?? '') &&
      (url['visible'] ?? String(visible)) === String(visible),
  },
  filters: [
    inBrowser(textFilter('search', texts.searchHint, { width: 260 })),
    inBrowser(yesNoFilter('visible', texts.visible, { yes: texts.shown, no: texts.hidden, width: 150 })),
  ],
  columns: [
    {
      key: 'nameEn',
      title: texts.nameEn,
      width: 290,
      value: (row) => row.nameEn,
      cell: ({ icon, type, nameEn }) => (
        <span className={styles['name']}>
          <ModuleIcon name={icon} />
          <span className={type === 'group' ? styles['group'] : undefined}>{nameEn}</span>
        </span>
      ),
    },
    { key: 'nameZh', title: texts.nameZh, width: 150, value: (row) => row.nameZh },
    { key: 'path', title: texts.path, width: 344, mono: true, value: (row) => row.path },
    {
      key: 'icon',
      title: texts.icon,
      width: 120,
      low: true,
      value: (row) => row.icon,
      cell: ({ icon }) => (
        <span className={styles['icon']}>
          <ModuleIcon name={icon} />
          <span className={styles['dim']}>{icon}</span>
        </span>
      ),
    },
    {
      key: 'type',
      title: texts.type,
      width: 84,
      words: ({ type }, { say }) => say(texts[type]),
      cell: ({ type }, { say }) => say(texts[type]),
    },
    {
      key: 'actionCodes',
      title: texts.actionCodes,
      width: 330,
      low: true,
      words: actionsOf,
      cell: (row, tools) => <span title={actionsOf(row, tools)}>{actionsOf(row, tools) || '—'}</span>,
    },
    {
      key: 'visible',
      title: texts.visible,
      width: 84,
      words: visibility,
      cell: (row, tools) => <span className={row.visible ? undefined : styles['dim']}>{visibility(row, tools)}</span>,
    },
    {
      key: 'isFixed',
      title: texts.protection,
      width: 166,
      low: true,
      words: protection,
      cell: (row, tools) => <span className={styles['dim']}>{protection(row, tools)}</span>,
    },
    { key: 'sort', title: texts.sort, hint: texts.keysHint, width: 96, value: (row) => row.sort, buttons: steps },
  ],
  actions: moduleActions,
  onRow: edit,
  add: { label: texts.add, right: routes.create, Form: ModuleForm },
  empty: texts.noModules,
});
