import { PASSWORD_MIN } from '@hes/contract/core/rules.ts';
import { role as roleRoutes } from '@hes/contract/manager/role.ts';
import { newUser, user as users, userChange, type UserRow } from '@hes/contract/manager/user.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { Button, Input, Select } from 'antd';
import { WandSparkles } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay, useMe } from '#core/api/may.ts';
import { AreaNodes } from '#domain/network-area/area-nodes.tsx';
import type { ChosenNode } from '#domain/network-area/chosen-nodes.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { Field } from '#kit/form/field.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { generatePassword } from './generate-password.ts';
import { OneTimePassword } from './password-dialogs.tsx';
import { texts } from './texts.ts';
import styles from './user.module.css';

const startOf = (user: UserRow | undefined) => ({
  username: user?.username ?? '',
  name: user?.name ?? '',
  phone: user?.phone ?? '',
  email: user?.email ?? '',
  roleIds: user?.roles.map((role) => role.id) ?? [],
  password: '',
  mustChangePassword: user?.mustChangePassword ?? true,
  isLimited: false,
  areaNodes: [] as ChosenNode[],
});

/** Adds or changes a user; the password of a new one is shown once. */
export function UserForm({ row: user, onDone, onClose }: FormProps<UserRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const form = useForm(startOf(user), startOf);
  const may = useMay();
  const mayLimit = may(roleRoutes.create) && may(roleRoutes.setPermission);
  const min = useMe().data?.passwordMin ?? PASSWORD_MIN;
  const roles = useApiQuery(users.roles);
  form.words.set('roleIds', roles.data?.items.map((role) => ({ value: role.id, label: say(roleName(role)) })) ?? []);
  const create = useApiMutation(users.create, { failure: form.refuse });
  const update = useApiMutation(users.update, { success: onDone, failure: form.refuse });
  const save = () => {
    if (user) {
      const body = form.check(userChange, { version: user.version });
      if (body) update.mutate({ params: { id: user.id }, body });
    } else {
      const { isLimited, areaNodes } = form.values;
      const body = form.check(newUser, { areaNodes: isLimited ? areaNodes.map(({ key }) => key) : undefined });
      if (body) create.mutate({ body });
    }
  };
  const [isOpen, setOpen] = useState(false);
  const leaveOnTab = (event: KeyboardEvent) => {
    if (event.key !== 'Tab') return;
    event.stopPropagation();
    setOpen(false);
  };
  const { values, set } = form;
  if (create.isSuccess) return <OneTimePassword username={values.username} password={values.password} onClose={onDone} />;
  const labels = {
    username: t('username'),
    name: t('name'),
    phone: t('phone'),
    email: t('email'),
    roleIds: t('role'),
    password: t('password'),
    mustChangePassword: t('mustChange'),
    isLimited: t('networkArea'),
    areaNodes: t('networkArea'),
  };
  const field = formFields(form, labels);
  return (
    <FormDrawer
      record={`user/${user?.id ?? 'new'}`}
      title={user ? t('editUser', { name: user.username }) : t('add')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      {field.text('username', {
        required: true,
        disabled: user !== undefined,
        autoFocus: user === undefined,
        help: t(user ? 'usernameFixed' : 'usernameHelp'),
      })}
      {field.text('name', { required: true, autoFocus: user !== undefined })}
      {field.text('phone')}
      {field.text('email')}
      <Field name="roleIds" label={labels.roleIds} required wide help={user ? t('rolesEndSessions') : undefined}>
        {({ status, ...control }) => (
          // Tab would toggle the highlighted role, which Enter may have just selected.
          <span role="presentation" onKeyDownCapture={leaveOnTab}>
            <Select
              style={{ width: '100%' }}
              open={isOpen}
              onOpenChange={setOpen}
              {...control}
              {...(status === '' ? {} : { status })}
              mode="multiple"
              loading={roles.isPending}
              optionFilterProp="label"
              value={values.roleIds}
              options={(roles.data?.items ?? []).map((role) => ({
                value: role.id,
                label: `${say(roleName(role))} (${role.code})${role.canGrant ? '' : `, ${t('cannotGrant')}`}`,
                disabled: !role.canGrant,
              }))}
              onChange={(roleIds) => set({ roleIds })}
              // Most users have one role; an open list would cover the next field.
              onSelect={() => setOpen(false)}
            />
          </span>
        )}
      </Field>
      {user === undefined && mayLimit ? (
        <>
          {field.flag('isLimited', t('limitHelp'))}
          {values.isLimited ? (
            <Field name="areaNodes" label={t('limitTo')} required wide help={t('limitEffect')}>
              {({ id }) => (
                <div id={id} className={styles['area']}>
                  <AreaNodes nodes={values.areaNodes} onChange={(areaNodes) => set({ areaNodes })} />
                </div>
              )}
            </Field>
          ) : null}
        </>
      ) : null}
      {user ? null : (
        <Field
          name="password"
          label={labels.password}
          required
          help={min > PASSWORD_MIN ? t('passwordMinHelp', { min }) : t('passwordHelp')}
        >
          {(control) => (
            <span className={styles['password']}>
              <Input
                {...control}
                className="mono"
                autoComplete="new-password"
                value={values.password}
                onChange={(event) => set({ password: event.target.value })}
              />
              <Button icon={<WandSparkles size={15} aria-hidden="true" />} onClick={() => set({ password: generatePassword(min) })}>
                {t('generate')}
              </Button>
            </span>
          )}
        </Field>
      )}
      {field.flag('mustChangePassword', t('mustChangeHelp'))}
    </FormDrawer>
  );
}
