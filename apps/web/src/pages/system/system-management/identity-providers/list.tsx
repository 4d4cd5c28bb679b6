import { fill } from '@hes/contract/core/text.ts';
import { identityProvider, type ProviderRow } from '@hes/contract/manager/identity-provider.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { PROVIDER_FAILURE_TEXT, PROVIDER_KIND_TEXT } from '@hes/contract/states/identity-provider.ts';
import { PlugZap, Trash2, UserSearch } from 'lucide-react';
import { Num } from '#kit/basics/text.tsx';
import { defineAction, type Action } from '#kit/list/action.ts';
import { textFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { editAction } from '#kit/list/usual-actions.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import { PreviewDialog } from './preview-dialog.tsx';
import { ProviderForm } from './provider-form.tsx';
import { ProviderTestDialog } from './provider-test-dialog.tsx';
import { PROVIDER } from './signs.ts';

const test: Action<ProviderRow> = {
  key: 'test',
  label: texts.test,
  icon: PlugZap,
  right: identityProvider.test,
  act: { kind: 'dialog', Dialog: ProviderTestDialog },
};

const preview: Action<ProviderRow> = {
  key: 'preview',
  label: texts.preview,
  icon: UserSearch,
  right: identityProvider.preview,
  act: { kind: 'dialog', Dialog: PreviewDialog },
};

const remove = defineAction<ProviderRow, typeof identityProvider.remove>({
  key: 'delete',
  label: texts.remove,
  icon: Trash2,
  isDanger: true,
  route: identityProvider.remove,
  order: ({ id }) => ({ params: { id } }),
  confirm: { title: texts.removeTitle, effect: texts.removeEffect, about: ({ name, issuer }) => `${name} · ${issuer}` },
  done: texts.removed,
  removesRow: true,
});

const failureOf = ({ failure, failureDetail }: ProviderRow, { say }: ListTools) =>
  failure === null ? '' : say(fill(PROVIDER_FAILURE_TEXT[failure], { detail: failureDetail ?? '' }));

export const providerList = defineList({
  route: identityProvider.list,
  path: PAGE_PATH.identityProviders,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row) => row.name,
  reloads: '/manager/identity-provider',
  filters: [textFilter('search', texts.name)],
  columns: [
    { key: 'name', title: texts.name, width: 180, value: (row) => row.name },
    {
      key: 'kind',
      title: texts.kind,
      width: 140,
      words: (row, { say }) => say(PROVIDER_KIND_TEXT[row.kind]),
      cell: (row, { say }) => say(PROVIDER_KIND_TEXT[row.kind]),
    },
    { key: 'state', title: texts.state, width: 120, value: (row) => row.state, cell: (row) => <StateOf sign={PROVIDER[row.state]} /> },
    { key: 'issuer', title: texts.issuer, width: 280, mono: true, value: (row) => row.issuer },
    { key: 'users', title: texts.users, width: 96, align: 'right', value: (row) => row.users, cell: (row) => <Num value={row.users} /> },
    { key: 'lastSuccessAt', title: texts.lastSuccess, width: 160, time: (row) => row.lastSuccessAt },
    {
      key: 'failure',
      title: texts.failure,
      width: 320,
      words: failureOf,
      cell: (row, tools) => <span title={failureOf(row, tools)}>{failureOf(row, tools) || '—'}</span>,
    },
    { key: 'lastFailureAt', title: texts.lastFailure, width: 160, low: true, time: (row) => row.lastFailureAt },
  ],
  actions: [test, preview, editAction(identityProvider.update, ProviderForm), remove],
  add: { label: texts.add, right: identityProvider.create, Form: ProviderForm, done: texts.added },
  empty: texts.none,
  emptyHint: texts.noneHint,
});
