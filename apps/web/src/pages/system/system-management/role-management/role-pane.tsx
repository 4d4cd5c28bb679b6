import { ACTION_TEXT } from '@hes/contract/core/action-text.ts';
import { ACTIONS } from '@hes/contract/core/route.ts';
import { AREA_TEXT } from '@hes/contract/manager/area.ts';
import { role as roles, type Permission, type RoleRow } from '@hes/contract/manager/role.ts';
import { to } from '@hes/contract/page/links.ts';
import { roleAbout, roleName } from '@hes/contract/text/roles.ts';
import { KeySquare } from 'lucide-react';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { ModuleIcon } from '#domain/module-icon/module-icon.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { RecordPane } from '#kit/pane/record-pane.tsx';
import { PaneSection } from '#kit/pane/side-pane.tsx';
import { grantsOf, matrixRows, type Grants } from './grants.ts';
import { texts } from './texts.ts';
import styles from './role.module.css';

/** The pages of a role with the actions that it permits on each. */
function GrantedPages({ grants }: { grants: Grants }) {
  const t = useMessages(texts);
  const say = useSay();
  const modules = useApiQuery(roles.modules);
  return (
    <PanelState query={modules} lines={8}>
      {({ items }) => {
        const rows = matrixRows(items, ({ id }) => grants.has(id));
        if (rows.length === 0) return <Empty small text={t('noPages')} />;
        return (
          <ul className={styles['granted']}>
            {rows.map(({ module, depth }) => (
              <li key={module.id} data-type={module.type} style={{ paddingLeft: depth * 18 }}>
                <span className={styles['module']}>
                  <ModuleIcon name={module.icon} />
                  {say({ en: module.nameEn, zh: module.nameZh })}
                </span>
                <span className={styles['held']}>
                  {ACTIONS.filter((action) => module.actions.includes(action) && grants.get(module.id)?.has(action))
                    .map((action) => say(ACTION_TEXT[action]))
                    .join(' · ')}
                </span>
              </li>
            ))}
          </ul>
        );
      }}
    </PanelState>
  );
}

/** The names of the nodes that a role is limited to; otherwise the kind of its area. */
function AreaOf({ area }: Pick<Permission, 'area'>) {
  const say = useSay();
  if (area.kind !== 'nodes') return <p>{say(AREA_TEXT[area.kind])}</p>;
  return (
    <ul className={styles['granted']}>
      {area.nodes.map(({ key, title, above }) => (
        <li key={key}>
          <span>{title ?? key}</span>
          <span className={styles['held']}>{above.map((level) => level.title).join(' › ')}</span>
        </li>
      ))}
    </ul>
  );
}

/** The details of a role: what its users may open, do and see. */
export function RolePane({ id, rows, select, buttonsOf }: PaneProps<RoleRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const query = useApiQuery(roles.get, { params: { id } });
  const permission = useApiQuery(roles.permission, { params: { id } });
  return (
    <RecordPane<RoleRow>
      id={id}
      rows={rows}
      query={query}
      label={query.data?.code ?? t('title')}
      icon={<KeySquare size={20} aria-hidden="true" />}
      head={(row) => ({ title: say(roleName(row)), place: row.code })}
      actions={(row) => (
        <>
          {buttonsOf(row)}
          <Link to={to.users({ roleId: row.id })}>{t('openUsers')}</Link>
        </>
      )}
      properties={(row) => [
        { label: t('kind'), value: t(row.isBuiltin ? 'builtIn' : 'custom') },
        { label: t('users'), value: <Num value={row.users} /> },
        { label: t('updated'), value: dateTime(row.updatedAt) },
        { label: t('pages'), value: <Num value={row.modules} /> },
        { label: t('description'), value: say(roleAbout(row)) || null, wide: true },
      ]}
      onSelect={select}
    >
      {() => (
        <PanelState query={permission} lines={8}>
          {(stored) => (
            <>
              <PaneSection title={t('networkArea')}>
                <AreaOf area={stored.area} />
              </PaneSection>
              <PaneSection title={t('pagesAndActions')}>
                <GrantedPages grants={grantsOf(stored)} />
              </PaneSection>
            </>
          )}
        </PanelState>
      )}
    </RecordPane>
  );
}
