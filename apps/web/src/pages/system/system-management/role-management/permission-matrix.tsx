import { ACTION_TEXT } from '@hes/contract/core/action-text.ts';
import { ACTIONS, type Action } from '@hes/contract/core/route.ts';
import type { ModuleRow } from '@hes/contract/manager/module.ts';
import { Checkbox } from 'antd';
import { useState } from 'react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { ModuleIcon } from '#domain/module-icon/module-icon.tsx';
import { matrixRows, tick, ticked, type Grants, type MatrixRow } from './grants.ts';
import { texts } from './texts.ts';
import styles from './role.module.css';

interface MatrixProps {
  modules: ModuleRow[];
  grants: Grants;
  onChange: (grants: Grants) => void;
  readOnly: boolean;
  /** The role that always keeps the pages of System Management. */
  isAdmin: boolean;
}

interface TickProps {
  label: string;
  pages: ModuleRow[];
  actions: readonly Action[];
  disabled: boolean;
}

/** Pages in rows, actions in columns; groups and headings toggle all their cells. */
export function PermissionMatrix({ modules, grants, onChange, readOnly, isAdmin }: MatrixProps) {
  const t = useMessages(texts);
  const say = useSay();
  const [search, setSearch] = useState<string>();
  const wanted = search?.toLowerCase();
  const nameOf = (module: ModuleRow) => say({ en: module.nameEn, zh: module.nameZh });
  const rows = matrixRows(
    modules,
    (module) => !wanted || `${module.nameEn} ${module.nameZh} ${module.path}`.toLowerCase().includes(wanted),
  );
  const pages = rows.filter((row) => row.module.type === 'page');
  const kept = new Set(isAdmin ? modules.filter((module) => module.isFixed).map((module) => module.id) : []);
  const isKept = (row: MatrixRow) => row.pages.every(({ id }) => kept.has(id));

  const box = ({ label, pages: of, actions, disabled }: TickProps) => {
    const state = ticked(grants, of, actions);
    if (state === undefined) return null;
    const free = of.filter(({ id }) => !kept.has(id));
    return (
      <Checkbox
        aria-label={label}
        disabled={readOnly || disabled}
        checked={state === 'all'}
        indeterminate={state === 'some'}
        onChange={(event) => onChange(tick(grants, free, actions, event.target.checked))}
      />
    );
  };
  const everywhere = pages.map((row) => row.module);
  const given = [...grants.values()].reduce((sum, held) => sum + held.size, 0);
  return (
    <div className={styles['matrixBox']}>
      <div className={styles['matrixBar']}>
        <TextFilter label={t('searchModules')} value={search} onChange={setSearch} width={260} />
        <span aria-live="polite">
          {t('counts', { pages: grants.size, total: modules.filter((module) => module.type === 'page').length, actions: given })}
        </span>
      </div>
      <div className={styles['matrixScroll']}>
        <table className={styles['matrix']} aria-label={t('pagesAndActions')}>
          <thead>
            <tr>
              <th scope="col">{t('module')}</th>
              <th scope="col">
                {box({ label: t('all'), pages: everywhere, actions: ACTIONS, disabled: false })}
                <span>{t('all')}</span>
              </th>
              {ACTIONS.map((action) => (
                <th key={action} scope="col">
                  {box({
                    label: t('actionEverywhere', { action: say(ACTION_TEXT[action]) }),
                    pages: everywhere,
                    actions: [action],
                    disabled: false,
                  })}
                  <span>{say(ACTION_TEXT[action])}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.module.id} data-type={row.module.type} data-row={row.module.path}>
                <th scope="row" style={{ paddingLeft: 12 + row.depth * 22 }}>
                  <span className={styles['module']}>
                    <ModuleIcon name={row.module.icon} />
                    {nameOf(row.module)}
                  </span>
                </th>
                <td>
                  {box({
                    label: t('allOf', { module: nameOf(row.module) }),
                    pages: row.pages,
                    actions: ACTIONS,
                    disabled: isKept(row),
                  })}
                </td>
                {ACTIONS.map((action) => (
                  <td key={action}>
                    {box({
                      label: t('actionOn', { action: say(ACTION_TEXT[action]), module: nameOf(row.module) }),
                      pages: row.pages,
                      actions: [action],
                      disabled: isKept(row),
                    })}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 ? <Empty small text={t('noModules')} /> : null}
      </div>
    </div>
  );
}
