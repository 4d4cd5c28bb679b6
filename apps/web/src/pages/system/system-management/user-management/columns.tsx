import type { UserRow } from '@hes/contract/manager/user.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { dateTime, localDay } from '#shared/time/format.ts';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { CHANGED_OUTSIDE, FACTOR, ONLINE, USER } from '#widgets/state-of/tables.ts';
import { lockReasonOf, stateOfUser, type T } from './texts.ts';
import { UserActions, type UserDialog } from './user-actions.tsx';

type Say = (text: Text) => string;

export const rolesOf = (row: Pick<UserRow, 'roles'>, say: Say): string => row.roles.map((role) => say(roleName(role))).join(', ');

interface ColumnsOptions {
  t: T;
  say: Say;
  myId: string | undefined;
  onDialog: (dialog: UserDialog) => void;
}

export function columnsOf({ t, say, myId, onDialog }: ColumnsOptions): Column<UserRow>[] {
  return [
    { key: 'id', title: t('id'), width: 70, sort: 'id', mono: true, low: true, cell: (row) => row.id },
    { key: 'username', title: t('username'), width: 122, sort: 'username', cell: (row) => row.username },
    { key: 'name', title: t('name'), width: 128, sort: 'name', cell: (row) => row.name },
    { key: 'phone', title: t('phone'), width: 132, low: true, cell: (row) => row.phone ?? '—' },
    {
      key: 'email',
      title: t('email'),
      width: 182,
      low: true,
      cell: (row) => <span title={row.email ?? undefined}>{row.email ?? '—'}</span>,
    },
    { key: 'role', title: t('role'), width: 188, cell: (row) => <span title={rolesOf(row, say)}>{rolesOf(row, say) || '—'}</span> },
    {
      key: 'lock',
      title: t('lock'),
      width: 172,
      cell: (row) => <StateOf sign={row.isSealed ? USER[stateOfUser(row)] : CHANGED_OUTSIDE} />,
    },
    {
      key: 'secondFactor',
      title: t('secondFactor'),
      width: 124,
      cell: (row) => <StateOf sign={FACTOR[row.hasSecondFactor ? 'on' : 'off']} />,
    },
    {
      key: 'lockReason',
      title: t('lockReason'),
      width: 140,
      low: true,
      cell: (row) => <span title={lockReasonOf(t, row) ?? undefined}>{lockReasonOf(t, row) ?? '—'}</span>,
    },
    { key: 'online', title: t('online'), width: 88, cell: (row) => <StateOf sign={ONLINE[row.online ? 'online' : 'offline']} /> },
    {
      key: 'lastLoginAt',
      title: t('lastLogin'),
      width: 150,
      sort: 'lastLoginAt',
      low: true,
      cell: (row) => (row.lastLoginAt ? dateTime(row.lastLoginAt) : t('never')),
    },
    { key: 'createdAt', title: t('created'), width: 104, sort: 'createdAt', low: true, cell: (row) => localDay(row.createdAt) },
    {
      key: 'actions',
      title: <span className="visually-hidden">{t('more')}</span>,
      width: 46,
      cell: (row) => <UserActions user={row} isSelf={row.id === myId} onDialog={onDialog} />,
    },
  ];
}
