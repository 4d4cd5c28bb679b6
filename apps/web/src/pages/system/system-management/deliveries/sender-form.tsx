import { level } from '@hes/contract/asset/level.ts';
import { FEED_KIND_TEXT, newSender, sender, senderChange, type SenderRow } from '@hes/contract/delivery/sender.ts';
import type { FeedKind } from '@hes/contract/delivery/feed.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { texts } from './messages.ts';

const startOf = (row: SenderRow | undefined) => ({
  name: row?.name ?? '',
  url: row?.url ?? '',
  secret: '',
  contents: row?.contents ?? (['readings', 'events'] as FeedKind[]),
  levelIds: row?.levelIds ?? [],
});

/** Adds or changes a sender. */
export function SenderForm({ row, onDone, onClose }: FormProps<SenderRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const form = useForm(startOf(row), startOf);
  const levels = useApiQuery(level.list);
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(sender.create, events);
  const update = useApiMutation(sender.update, events);
  const save = () => {
    if (row) {
      const body = form.check(senderChange, { version: row.version });
      if (body) update.mutate({ params: { id: row.id }, body });
    } else {
      const body = form.check(newSender);
      if (body) create.mutate({ body });
    }
  };
  const labels = { name: t('name'), url: t('url'), secret: t('secret'), contents: t('contents'), levelIds: t('levels') };
  const field = formFields(form, labels);
  const choices = (levels.data?.items ?? []).map(({ id, name, code }) => ({ value: id, label: `${name} (${code})` }));
  return (
    <FormDrawer
      record={`sender/${row?.id ?? 'new'}`}
      title={row ? t('editTitle', { name: row.name }) : t('addTitle')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      {field.text('name', { required: true, autoFocus: true })}
      {field.text('url', { required: true, wide: true, mono: true, help: t('urlHelp'), placeholder: 'https://' })}
      {field.text('secret', {
        required: row === undefined,
        wide: true,
        mono: true,
        help: t('secretHelp'),
        placeholder: row === undefined ? '' : t('secretKept'),
      })}
      {field.many('contents', choicesOf(FEED_KIND_TEXT, say), { required: true, wide: true })}
      {field.choice('levelIds', choices, {
        wide: true,
        multiple: true,
        loading: levels.isPending,
        placeholder: t('wholeNetwork'),
        help: t('levelsHelp'),
      })}
    </FormDrawer>
  );
}
