import type { QueryOf } from '@hes/contract/core/route.ts';
import { user as users } from '@hes/contract/manager/user.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { userExport, userImport } from '@hes/contract/transfer/lists.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { localDay } from '#core/time/format.ts';
import { objectFilter, textFilter, yesNoFilter } from '#kit/list/filters.tsx';
import { defineList, type FacetCounts } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { CHANGED_OUTSIDE, FACTOR, ONLINE, USER, USER_ORDER, type UserState } from '#domain/states/tables.ts';
import { userActions } from './actions.ts';
import { DetailPane } from './detail-pane.tsx';
import { lockReasonOf, rolesOf, STATE_FILTER, stateOfUser, texts } from './texts.ts';
import { UserForm } from './user-form.tsx';

const POLL_MS = 60_000;

function useCounts(query: Partial<QueryOf<typeof users.list>>): FacetCounts<UserState> {
  const count = (state?: UserState) => ({
    query: { ...query, ...(state ? STATE_FILTER[state] : {}), size: 1 },
    keep: true,
    refetchMs: POLL_MS,
  });
  const all = useApiQuery(users.list, count());
  const active = useApiQuery(users.list, count('active'));
  const locked = useApiQuery(users.list, count('locked'));
  const mustChange = useApiQuery(users.list, count('must_change'));
  return {
    queries: [all, active, locked, mustChange],
    total: all.data?.total,
    counts: { active: active.data?.total, locked: locked.data?.total, must_change: mustChange.data?.total },
  };
}

function useRoles() {
  const say = useSay();
  const roles = useApiQuery(users.roles);
  return (roles.data?.items ?? []).map((role) => ({ value: role.id, label: say(roleName(role)) }));
}

export const userList = defineList({
  route: users.list,
  path: PAGE_PATH.users,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row) => row.username,
  sort: 'username,asc',
  refetchMs: POLL_MS,
  facets: {
    key: 'state',
    label: texts.state,
    all: texts.allUsers,
    words: USER_ORDER,
    signs: USER,
    toQuery: (word: UserState) => STATE_FILTER[word],
    useCounts,
  },
  filters: [
    textFilter('username', texts.username),
    textFilter('name', texts.name),
    objectFilter('roleId', texts.role, { useOptions: useRoles }),
    yesNoFilter('hasSecondFactor', texts.secondFactor, { yes: texts.withFactor, no: texts.withoutFactor }),
  ],
  columns: [
    { key: 'id', title: texts.id, width: 70, sort: 'id', mono: true, low: true, value: (row) => row.id },
    { key: 'username', title: texts.username, width: 122, sort: 'username', value: (row) => row.username },
    { key: 'name', title: texts.name, width: 128, sort: 'name', value: (row) => row.name },
    { key: 'phone', title: texts.phone, width: 132, low: true, value: (row) => row.phone },
    {
      key: 'email',
      title: texts.email,
      width: 182,
      low: true,
      cell: (row) => <span title={row.email ?? undefined}>{row.email ?? '—'}</span>,
    },
    {
      key: 'role',
      title: texts.role,
      width: 188,
      cell: (row, { say }) => <span title={rolesOf(row, say)}>{rolesOf(row, say) || '—'}</span>,
    },
    {
      key: 'lock',
      title: texts.lock,
      width: 172,
      cell: (row) => <StateOf sign={row.isSealed ? USER[stateOfUser(row)] : CHANGED_OUTSIDE} />,
    },
    {
      key: 'secondFactor',
      title: texts.secondFactor,
      width: 124,
      cell: (row) => <StateOf sign={FACTOR[row.hasSecondFactor ? 'on' : 'off']} />,
    },
    {
      key: 'lockReason',
      title: texts.lockReason,
      width: 140,
      low: true,
      cell: (row, { say }) => <span title={lockReasonOf(say, row) ?? undefined}>{lockReasonOf(say, row) ?? '—'}</span>,
    },
    { key: 'online', title: texts.online, width: 88, cell: (row) => <StateOf sign={ONLINE[row.online ? 'online' : 'offline']} /> },
    { key: 'lastLoginAt', title: texts.lastLogin, width: 150, sort: 'lastLoginAt', low: true, time: (row) => row.lastLoginAt },
    { key: 'createdAt', title: texts.created, width: 104, sort: 'createdAt', low: true, cell: (row) => localDay(row.createdAt) },
  ],
  actions: userActions,
  add: { label: texts.add, right: users.create, Form: UserForm, done: texts.added },
  export: userExport,
  import: { routes: userImport, what: texts.users },
  Pane: DetailPane,
  opensFirst: true,
  empty: texts.noUsers,
});
