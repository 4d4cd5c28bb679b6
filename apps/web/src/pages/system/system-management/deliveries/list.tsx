import { FEED_KIND_TEXT, sender, type SenderRow } from '@hes/contract/delivery/sender.ts';
import { SENDER_KIND_TEXT } from '@hes/contract/delivery/kinds/every-kind.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { Num } from '#kit/basics/text.tsx';
import { textFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { ageOf } from '#core/time/format.ts';
import { senderActions } from './actions.ts';
import { failureOf } from './failure.ts';
import { texts } from './messages.ts';
import { SenderForm } from './sender-form.tsx';
import { SenderPane } from './sender-pane.tsx';
import { SENDER } from './signs.ts';

const POLL_MS = 3000;

const contentsOf = ({ contents }: SenderRow, { say }: ListTools) => contents.map((kind) => say(FEED_KIND_TEXT[kind])).join(', ');
const failureText = ({ failure, failureDetail }: SenderRow, { say }: ListTools) =>
  failure === null ? '' : say(failureOf(failure, failureDetail));

/** The list of senders, with their lag and their last failure. */
export const senderList = defineList({
  route: sender.list,
  path: PAGE_PATH.deliveries,
  title: texts.title,
  purpose: texts.purpose,
  label: texts.senders,
  rowName: (row) => row.name,
  reloads: '/manager/sender',
  refetchMs: POLL_MS,
  filters: [textFilter('search', texts.search)],
  columns: [
    { key: 'name', title: texts.name, width: 160, value: (row) => row.name },
    { key: 'state', title: texts.state, width: 150, value: (row) => row.state, cell: (row) => <StateOf sign={SENDER[row.state]} /> },
    { key: 'kind', title: texts.kind, width: 110, words: (row, { say }) => say(SENDER_KIND_TEXT[row.kind]) },
    {
      key: 'waiting',
      title: texts.waiting,
      hint: texts.waitingHint,
      width: 96,
      align: 'right',
      value: (row) => row.waiting,
      cell: (row) => <Num value={row.waiting} />,
    },
    {
      key: 'lag',
      title: texts.lag,
      hint: texts.lagHint,
      width: 96,
      align: 'right',
      value: (row) => row.lagSeconds,
      cell: (row, { locale }) => (row.waiting === 0 ? '—' : ageOf(0, row.lagSeconds * 1000, locale)),
    },
    { key: 'lastSuccessAt', title: texts.lastSuccess, width: 160, time: (row) => row.lastSuccessAt },
    {
      key: 'failure',
      title: texts.failure,
      width: 280,
      words: failureText,
      cell: (row, tools) => <span title={failureText(row, tools)}>{failureText(row, tools) || '—'}</span>,
    },
    {
      key: 'deadLetters',
      title: texts.deadLetters,
      hint: texts.deadLettersHint,
      width: 100,
      align: 'right',
      value: (row) => row.deadLetters,
      cell: (row) => <Num value={row.deadLetters} />,
    },
    {
      key: 'contents',
      title: texts.contents,
      width: 220,
      low: true,
      words: contentsOf,
      cell: (row, tools) => <span title={contentsOf(row, tools)}>{contentsOf(row, tools)}</span>,
    },
    { key: 'target', title: texts.target, width: 240, low: true, mono: true, value: (row) => row.target },
    {
      key: 'sent',
      title: texts.sent,
      width: 100,
      align: 'right',
      low: true,
      value: (row) => row.sent,
      cell: (row) => <Num value={row.sent} />,
    },
  ],
  actions: senderActions,
  add: { label: texts.add, right: sender.create, Form: SenderForm, done: texts.added },
  Pane: SenderPane,
  empty: texts.none,
  emptyHint: texts.noneHint,
});
