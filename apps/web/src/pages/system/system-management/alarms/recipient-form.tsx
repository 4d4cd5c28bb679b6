import { alarmRecipient, newRecipient, recipientChange, type RecipientRow } from '@hes/contract/alarm/recipient.ts';
import { LANGUAGES, LOCALES, type Locale } from '@hes/contract/core/text.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { texts } from './messages.ts';

const startOf = (row: RecipientRow | undefined) => ({
  name: row?.name ?? '',
  email: row?.email ?? '',
  phone: row?.phone ?? '',
  locale: row?.locale ?? ('en-US' as Locale),
});

/** Adds or changes a recipient. */
export function RecipientForm({ row, onDone, onClose }: FormProps<RecipientRow>) {
  const t = useMessages(texts);
  const form = useForm(startOf(row), startOf);
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(alarmRecipient.create, events);
  const update = useApiMutation(alarmRecipient.update, events);
  const save = () => {
    if (row) {
      const body = form.check(recipientChange, { version: row.version });
      if (body) update.mutate({ params: { id: row.id }, body });
    } else {
      const body = form.check(newRecipient);
      if (body) create.mutate({ body });
    }
  };
  const labels = { name: t('name'), email: t('email'), phone: t('phone'), locale: t('language') };
  const field = formFields(form, labels);
  const languages = LOCALES.map((value) => ({ value, label: LANGUAGES[value].name }));
  return (
    <FormDrawer
      record={`alarm-recipient/${row?.id ?? 'new'}`}
      title={row ? t('editRecipientTitle', { name: row.name }) : t('addRecipientTitle')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      {field.text('name', { required: true, autoFocus: true, help: t('recipientHelp') })}
      {field.choice('locale', languages, { required: true })}
      {field.text('email', { placeholder: 'duty@example.com' })}
      {field.text('phone', { help: t('phoneHelp') })}
    </FormDrawer>
  );
}
