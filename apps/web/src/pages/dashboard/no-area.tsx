import { role as roles } from '@hes/contract/manager/role.ts';
import type { OwnUser } from '@hes/contract/manager/user.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { to } from '@hes/contract/page/links.ts';
import { Link } from 'react-router';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { texts } from './texts.ts';
import styles from './dashboard.module.css';

/** Tells a user without a network area why the dashboard is empty, and what to do. */
export function NoArea({ me }: { me: OwnUser }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const names = me.roles.map((role) => say(roleName(role)));
  return (
    <Panel label={t('noAreaTitle')} className={styles['noArea'] ?? ''}>
      <Empty
        text={names.length === 0 ? t('noRole') : t('noArea', { count: names.length, roles: names.join(', ') })}
        hint={t(names.length === 0 ? 'noRoleHint' : 'noAreaHint')}
        action={may(roles.setPermission) ? <Link to={to.roles()}>{t('openRoles')}</Link> : undefined}
      />
    </Panel>
  );
}
