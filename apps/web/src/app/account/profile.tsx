import { ownChange, user as users, type OwnUser } from '@hes/contract/manager/user.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Button, Checkbox, Input } from 'antd';
import { Smartphone } from 'lucide-react';
import { useState } from 'react';
import { queryKeyOf, useApiMutation } from '#core/api/hooks.ts';
import { useMe } from '#core/api/may.ts';
import { renameUser } from '#core/session/session.ts';
import { Field } from '#kit/form/field.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { dateTime } from '#core/time/format.ts';
import { SecondFactorDialog } from '#domain/second-factor/second-factor-dialog.tsx';
import { closeDialog, useDialog } from '#app/dialogs/dialog-store.ts';
import { messages } from '#app/messages.ts';
import { OwnSessions } from './own-sessions.tsx';
import styles from './profile.module.css';

const SIZE = 560;

function ProfileForm({ me, onFactor }: { me: OwnUser; onFactor: () => void }) {
  const t = useMessages(messages);
  const say = useSay();
  const { message } = App.useApp();
  const queries = useQueryClient();
  const { letterKeys, setLetterKeys } = usePreferences();
  const form = useForm({ name: me.name, phone: me.phone ?? '', email: me.email ?? '' });
  const update = useApiMutation(users.updateMe, {
    success: (saved) => {
      queries.setQueryData(queryKeyOf(users.me), saved);
      renameUser(saved.name);
      void message.success(t('saved'));
      closeDialog();
    },
    failure: form.refuse,
  });
  const save = () => {
    const body = form.check(ownChange);
    if (body) update.mutate({ body });
  };
  const labels = { name: t('name'), phone: t('phone'), email: t('email') };
  const { values, set } = form;
  return (
    <FormDrawer
      record="profile"
      title={t('profile')}
      size={SIZE}
      form={form}
      labels={labels}
      saving={update.isPending}
      onSave={save}
      onClose={closeDialog}
    >
      <Field name="username" label={t('userName')}>
        {({ status: _, ...control }) => <Input {...control} readOnly variant="filled" value={me.username} />}
      </Field>
      <Field name="name" label={labels.name} required>
        {(control) => (
          <Input
            {...control}
            maxLength={64}
            autoComplete="name"
            value={values.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      <Field name="phone" label={labels.phone}>
        {(control) => (
          <Input {...control} autoComplete="tel" value={values.phone} onChange={(event) => set({ phone: event.target.value })} />
        )}
      </Field>
      <Field name="email" label={labels.email}>
        {(control) => (
          <Input {...control} autoComplete="email" value={values.email} onChange={(event) => set({ email: event.target.value })} />
        )}
      </Field>
      <Field name="role" label={t('role')}>
        {({ status: _, ...control }) => (
          <Input
            {...control}
            readOnly
            variant="filled"
            value={me.roles.map((role) => `${say(roleName(role))} (${role.code})`).join(', ')}
          />
        )}
      </Field>
      <Field name="lastLogin" label={t('lastLogin')}>
        {({ status: _, ...control }) => (
          <Input {...control} readOnly variant="filled" value={me.lastLoginAt ? dateTime(me.lastLoginAt) : t('never')} />
        )}
      </Field>
      <Field name="secondFactor" label={t('secondFactor')} wide>
        {({ id }) => (
          <span className={styles['factor']}>
            {t(me.hasSecondFactor ? 'factorOn' : 'factorOff')}
            <Button
              id={id}
              size="small"
              icon={<Smartphone size={13} aria-hidden="true" />}
              aria-label={`${t(me.hasSecondFactor ? 'manage' : 'setUp')}: ${t('secondFactor')}`}
              onClick={onFactor}
            >
              {t(me.hasSecondFactor ? 'manage' : 'setUp')}
            </Button>
          </span>
        )}
      </Field>
      <Field name="letterKeys" label={t('keys')} wide>
        {({ id }) => (
          <Checkbox id={id} checked={letterKeys} onChange={(event) => setLetterKeys(event.target.checked)}>
            {t('letterKeys')}
          </Checkbox>
        )}
      </Field>
      <OwnSessions />
    </FormDrawer>
  );
}

/** The profile of the user: name and contact editable, role and last sign-in read-only. */
export function Profile() {
  const open = useDialog((state) => state.open === 'profile');
  const me = useMe();
  const [isFactorOpen, setFactorOpen] = useState(false);
  if (!open || !me.data) return null;
  return (
    <>
      <ProfileForm me={me.data} onFactor={() => setFactorOpen(true)} />
      {isFactorOpen ? <SecondFactorDialog onClose={() => setFactorOpen(false)} /> : null}
    </>
  );
}
