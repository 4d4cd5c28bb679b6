import { program as programs, PROGRAM_DANGER_TEXT } from '@hes/contract/manager/program.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { localDay } from '#core/time/format.ts';
import { Num } from '#kit/basics/text.tsx';
import { textFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { programActions } from './program-actions.ts';
import { ProgramForm } from './program-form.tsx';
import { ProgramPane } from './program-pane.tsx';
import { signOfProgram } from './program-signs.ts';
import { programTexts as texts } from './program.messages.ts';

const POLL_MS = 60_000;

/** Service accounts: the programs that use the API. */
export const programList = defineList({
  route: programs.list,
  path: PAGE_PATH.users,
  at: { tab: 'programs' },
  title: texts.title,
  purpose: texts.purpose,
  label: texts.programs,
  rowName: (row) => row.username,
  reloads: '/manager',
  refetchMs: POLL_MS,
  filters: [textFilter('search', texts.search)],
  columns: [
    { key: 'username', title: texts.username, width: 160, mono: true, value: (row) => row.username },
    { key: 'name', title: texts.name, width: 180, value: (row) => row.name },
    {
      key: 'role',
      title: texts.role,
      width: 200,
      cell: ({ roles }, { say }) => {
        const names = roles.map((role) => say(roleName(role))).join(', ');
        return <span title={names}>{names || '—'}</span>;
      },
    },
    { key: 'state', title: texts.status, width: 160, cell: (row) => <StateOf sign={signOfProgram(row, Date.now())} /> },
    {
      key: 'mayOrder',
      title: texts.mayOrder,
      width: 220,
      cell: ({ mayOrder }, { say }) => {
        const names = mayOrder.map((danger) => say(PROGRAM_DANGER_TEXT[danger])).join(', ');
        return <span title={names}>{names || say(texts.nothing)}</span>;
      },
    },
    { key: 'liveTokens', title: texts.validTokens, width: 120, align: 'right', cell: (row) => <Num value={row.liveTokens} /> },
    { key: 'expiresAt', title: texts.expires, width: 150, time: (row) => row.expiresAt },
    { key: 'lastUsedAt', title: texts.lastUsed, width: 150, time: (row) => row.lastUsedAt },
    { key: 'createdAt', title: texts.created, width: 104, low: true, cell: (row) => localDay(row.createdAt) },
  ],
  actions: programActions,
  add: { label: texts.add, right: programs.create, Form: ProgramForm, done: texts.added },
  Pane: ProgramPane,
  empty: texts.noPrograms,
  emptyHint: texts.noProgramsHint,
});
