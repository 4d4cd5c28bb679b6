import { alarmRecipient } from '@hes/contract/alarm/recipient.ts';
import { LANGUAGES } from '@hes/contract/core/text.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { Num } from '#kit/basics/text.tsx';
import { textFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { editAction, removeAction } from '#kit/list/usual-actions.tsx';
import { texts } from './messages.ts';
import { RecipientForm } from './recipient-form.tsx';

export const recipientList = defineList({
  route: alarmRecipient.list,
  path: PAGE_PATH.alarms,
  at: { tab: 'recipients' },
  title: texts.recipients,
  purpose: texts.recipientsPurpose,
  rowName: (row) => row.name,
  reloads: '/manager/alarm',
  filters: [textFilter('search', texts.nameOrEmail)],
  columns: [
    { key: 'name', title: texts.name, width: 200, value: (row) => row.name },
    { key: 'email', title: texts.email, width: 240, value: (row) => row.email },
    { key: 'phone', title: texts.phone, width: 180, value: (row) => row.phone },
    { key: 'locale', title: texts.language, width: 140, value: (row) => LANGUAGES[row.locale].name },
    { key: 'rules', title: texts.rules, width: 96, align: 'right', value: (row) => row.rules, cell: (row) => <Num value={row.rules} /> },
  ],
  actions: [editAction(alarmRecipient.update, RecipientForm), removeAction(alarmRecipient.remove)],
  add: { label: texts.addRecipient, right: alarmRecipient.create, Form: RecipientForm, done: texts.recipientAdded },
  empty: texts.noRecipients,
  emptyHint: texts.noRecipientsHint,
});
