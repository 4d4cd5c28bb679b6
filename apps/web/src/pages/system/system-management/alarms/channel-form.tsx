import { alarmChannel, channelChange, newChannel, type ChannelFields, type ChannelRow } from '@hes/contract/alarm/channel.ts';
import { PLACEHOLDERS, TEMPLATES } from '@hes/contract/alarm/template.ts';
import { LANGUAGES, LOCALES } from '@hes/contract/core/text.ts';
import { CHANNEL_KIND_TEXT, MAIL_SECURITY_TEXT } from '@hes/contract/states/alarm.ts';
import { Button, Space } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import { useForm, type Form } from '#kit/form/use-form.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { texts } from './messages.ts';

const startOf = (row: ChannelRow | undefined): ChannelFields => ({
  name: row?.name ?? '',
  kind: row?.kind ?? 'email',
  consoleUrl: row?.consoleUrl ?? `${location.origin}/hes`,
  host: row?.host ?? '',
  port: row?.port ?? 587,
  security: row?.security ?? 'starttls',
  username: row?.username ?? '',
  from: row?.from ?? '',
  ca: row?.ca ?? '',
  template: row?.template ?? '',
  locale: row?.locale ?? 'en-US',
  secret: '',
  url: '',
});

function useLabels() {
  const t = useMessages(texts);
  return {
    name: t('name'),
    kind: t('kind'),
    consoleUrl: t('consoleUrl'),
    host: t('host'),
    port: t('port'),
    security: t('security'),
    username: t('username'),
    from: t('from'),
    ca: t('ca'),
    template: t('template'),
    locale: t('language'),
    secret: t('secret'),
    url: t('url'),
  };
}

interface PartProps {
  form: Form<ChannelFields>;
  row: ChannelRow | undefined;
}

function MailFields({ form, row }: PartProps) {
  const t = useMessages(texts);
  const say = useSay();
  const field = formFields(form, useLabels());
  return (
    <>
      {field.text('host', { required: true, mono: true, placeholder: 'mail.example.com', help: t('hostHelp') })}
      {field.number('port', { required: true, min: 1, max: 65_535, precision: 0 })}
      {field.choice('security', choicesOf(MAIL_SECURITY_TEXT, say), { required: true })}
      {field.text('from', { required: true, placeholder: 'hes@example.com' })}
      {field.text('username', { help: t('usernameHelp') })}
      {field.text('secret', { mono: true, placeholder: row?.hasSecret === true ? t('secretKept') : '', help: t('passwordHelp') })}
      {field.text('ca', { wide: true, mono: true, rows: 3, help: t('caHelp') })}
    </>
  );
}

function WebhookFields({ form, row }: PartProps) {
  const t = useMessages(texts);
  const field = formFields(form, useLabels());
  const languages = LOCALES.map((value) => ({ value, label: LANGUAGES[value].name }));
  return (
    <>
      {field.text('url', {
        required: row === undefined,
        wide: true,
        mono: true,
        placeholder: row === undefined ? 'https://' : t('urlKept', { host: row.target }),
        help: t('urlHelp'),
      })}
      {field.text('secret', {
        wide: true,
        mono: true,
        placeholder: row?.hasSecret === true ? t('secretKept') : 'Bearer …',
        help: t('authorizationHelp'),
      })}
      <Space wrap>
        {(['teams', 'slack', 'sms'] as const).map((name) => (
          <Button key={name} size="small" onClick={() => form.set({ template: TEMPLATES[name] })}>
            {t(name)}
          </Button>
        ))}
      </Space>
      {field.text('template', {
        required: true,
        wide: true,
        mono: true,
        rows: 10,
        help: t('templateHelp', { names: PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ') }),
      })}
      {field.choice('locale', languages, { help: t('languageHelp') })}
    </>
  );
}

/** Adds or changes a channel. */
export function ChannelForm({ row, onDone, onClose }: FormProps<ChannelRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const form = useForm(startOf(row), startOf);
  const labels = useLabels();
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(alarmChannel.create, events);
  const update = useApiMutation(alarmChannel.update, events);
  const save = () => {
    if (row) {
      const body = form.check(channelChange, { version: row.version });
      if (body) update.mutate({ params: { id: row.id }, body });
    } else {
      const body = form.check(newChannel);
      if (body) create.mutate({ body });
    }
  };
  const field = formFields(form, labels);
  const Part = form.values.kind === 'email' ? MailFields : WebhookFields;
  return (
    <FormDrawer
      record={`alarm-channel/${row?.id ?? 'new'}`}
      title={row ? t('editChannelTitle', { name: row.name }) : t('addChannelTitle')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      {field.text('name', { required: true, autoFocus: true })}
      {field.segments('kind', choicesOf(CHANNEL_KIND_TEXT, say), { disabled: row !== undefined })}
      <Part form={form} row={row} />
      {field.text('consoleUrl', { wide: true, mono: true, help: t('consoleUrlHelp') })}
    </FormDrawer>
  );
}
