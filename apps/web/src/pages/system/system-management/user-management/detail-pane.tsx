import { user as users, type UserDetail, type UserRow } from '@hes/contract/manager/user.ts';
import { User } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMe } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Properties } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { browserOf } from '#domain/browser/browser-name.ts';
import { FACTOR, ONLINE, USER } from '#domain/states/tables.ts';
import { lockReasonOf, rolesOf, stateOfUser, texts, type T } from './texts.ts';
import styles from './user.module.css';

type Session = UserDetail['sessions'][number];

const sessionColumns = (t: T): Column<Session>[] => [
  { key: 'issuedAt', title: t('started'), width: 150, cell: (row) => dateTime(row.issuedAt) },
  { key: 'lastUsedAt', title: t('lastUsed'), width: 150, cell: (row) => dateTime(row.lastUsedAt) },
  { key: 'ip', title: t('address'), width: 116, mono: true, cell: (row) => row.ip ?? '—' },
  {
    key: 'agent',
    title: t('browser'),
    width: 130,
    cell: (row) => <span title={row.agent ?? undefined}>{browserOf(row.agent) ?? '—'}</span>,
  },
];

/** Details of a user: access, contact, open sessions. */
export function DetailPane({ id, rows, select, buttonsOf }: PaneProps<UserRow>) {
  const myId = useMe().data?.id;
  const t = useMessages(texts);
  const say = useSay();
  const query = useApiQuery(users.get, { params: { id } });
  return (
    <SidePane label={t('detail', { name: query.data?.username ?? '' })}>
      <PanelState query={query} lines={10}>
        {(user) => (
          <>
            <PaneHead
              icon={<User size={20} aria-hidden="true" />}
              title={user.username}
              place={user.name}
              state={
                <>
                  <StateOf tag sign={USER[stateOfUser(user)]} />
                  <StateOf tag sign={ONLINE[user.online ? 'online' : 'offline']} />
                  <span>{lockReasonOf(say, user) ?? (user.id === myId ? t('self') : null)}</span>
                </>
              }
              {...stepsOf(rows, id, select)}
            />
            <PaneActions>{buttonsOf(user)}</PaneActions>
            <PaneSection title={t('properties')}>
              <Properties
                items={[
                  { label: t('id'), value: user.id },
                  { label: t('role'), value: <span title={rolesOf(user, say)}>{rolesOf(user, say)}</span> },
                  { label: t('phone'), value: user.phone },
                  { label: t('email'), value: user.email },
                  { label: t('lastLogin'), value: user.lastLoginAt ? dateTime(user.lastLoginAt) : t('never') },
                  { label: t('created'), value: dateTime(user.createdAt) },
                  { label: t('mustChange'), value: t(user.mustChangePassword ? 'yes' : 'no') },
                  { label: t('secondFactor'), value: <StateOf sign={FACTOR[user.hasSecondFactor ? 'on' : 'off']} /> },
                  { label: t('lockReason'), value: lockReasonOf(say, user) },
                ]}
              />
            </PaneSection>
            <PaneSection title={t('sessions')} note={String(user.sessions.length)}>
              <div className={styles['sessions']}>
                <DataTable
                  label={t('sessions')}
                  columns={sessionColumns(t)}
                  rows={user.sessions}
                  rowKey={(row) => `${row.issuedAt} ${row.ip ?? ''}`}
                  empty={<Empty small text={t('noSessions')} />}
                />
              </div>
            </PaneSection>
          </>
        )}
      </PanelState>
    </SidePane>
  );
}
