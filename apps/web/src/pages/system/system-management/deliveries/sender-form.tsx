import { level } from '@hes/contract/asset/level.ts';
import { FEED_KIND_TEXT, sender, senderChange, senderFields, type SenderRow } from '@hes/contract/delivery/sender.ts';
import type { FeedKind } from '@hes/contract/delivery/feed.ts';
import { kindForm, kindOf, partsOf, SENDER_KIND_TEXT, type SenderKindName } from '@hes/contract/delivery/kinds/every-kind.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { kindControls } from './kind-controls.tsx';
import { texts } from './messages.ts';

/** Values that all kinds have, and beside them the settings and secrets of one. */
type Values = { name: string; kind: SenderKindName; contents: FeedKind[]; levelIds: string[] } & Record<string, unknown>;

const FIRST_KIND: SenderKindName = 'webhook';
const ofAllKinds = senderFields.omit({ settings: true });

const startOf = (row: SenderRow | undefined): Values => {
  const kind = row?.kind ?? FIRST_KIND;
  return {
    name: row?.name ?? '',
    kind,
    contents: row?.contents ?? ['readings', 'events'],
    levelIds: row?.levelIds ?? [],
    ...kindOf(kind).start,
    ...row?.settings,
  };
};

/** Adds or changes a sender. */
export function SenderForm({ row, onDone, onClose }: FormProps<SenderRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const form = useForm(startOf(row), startOf);
  const { kind } = form.values;
  const levels = useApiQuery(level.list);
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(sender.create, events);
  const update = useApiMutation(sender.update, events);
  const save = () => {
    const given = form.check(ofAllKinds.extend(kindForm(kind, row === undefined).shape));
    if (given === undefined) return;
    const fields = { ...ofAllKinds.parse(given), ...partsOf(kind, given) };
    if (row === undefined) return create.mutate({ body: { ...fields, kind } });
    const versioned = form.check(senderChange.pick({ version: true }), { version: row.version });
    if (versioned) update.mutate({ params: { id: row.id }, body: { ...fields, ...versioned } });
  };
  const labelOf = kindOf(kind).fields;
  const labels: Record<string, string> = {
    name: t('name'),
    kind: t('kind'),
    contents: t('contents'),
    levelIds: t('levels'),
    ...Object.fromEntries(Object.entries(labelOf).map(([name, { label }]) => [name, say(label)])),
  };
  const field = formFields<Values>(form, labels);
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
      {field.choice('kind', choicesOf(SENDER_KIND_TEXT, say), {
        required: true,
        disabled: row !== undefined,
        help: say(kindOf(kind).about),
        onChoose: (chosen) => form.set({ kind: chosen, ...kindOf(chosen).start }),
      })}
      {kindControls({ kind, field, say, isNew: row === undefined, kept: t('secretKept') })}
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
