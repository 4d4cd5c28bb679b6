import { newRole, role as roles, roleChange, type RoleRow } from '@hes/contract/manager/role.ts';
import { Input } from 'antd';
import { useApiMutation } from '#shared/api/hooks.ts';
import { Field } from '#shared/form/field.tsx';
import { FormDrawer } from '#shared/form/form-drawer.tsx';
import { useForm } from '#shared/form/use-form.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { texts } from './texts.ts';

interface RoleFormProps {
  /** Undefined for a new role. */
  role: RoleRow | undefined;
  onDone: (role: RoleRow) => void;
  onClose: () => void;
}

const startOf = (role: RoleRow | undefined) => ({ code: role?.code ?? '', name: role?.name ?? '', description: role?.description ?? '' });

/** Adds a role, or changes its name and description. */
export function RoleForm({ role, onDone, onClose }: RoleFormProps) {
  const t = useMessages(texts);
  const form = useForm(startOf(role), startOf);
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(roles.create, events);
  const update = useApiMutation(roles.update, events);
  const { values, set } = form;
  const save = () => {
    const extra = { description: values.description.trim() || null };
    if (role) {
      const body = form.check(roleChange, { ...extra, version: role.version });
      if (body) update.mutate({ params: { id: role.id }, body });
    } else {
      const body = form.check(newRole, extra);
      if (body) create.mutate({ body });
    }
  };
  const labels = { code: t('code'), name: t('name'), description: t('description') };
  return (
    <FormDrawer
      record={`role/${role?.id ?? 'new'}`}
      title={role ? t('editRole', { name: role.code }) : t('add')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
      {...(role ? {} : { note: t('addHint') })}
    >
      <Field name="code" label={labels.code} required help={t(role ? 'codeFixed' : 'codeHelp')}>
        {(control) => (
          <Input
            {...control}
            className="mono"
            autoComplete="off"
            autoFocus={role === undefined}
            disabled={role !== undefined}
            value={values.code}
            onChange={(event) => set({ code: event.target.value.toUpperCase().replaceAll(' ', '_') })}
          />
        )}
      </Field>
      <Field name="name" label={labels.name} required>
        {(control) => (
          <Input
            {...control}
            autoComplete="off"
            autoFocus={role !== undefined}
            value={values.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      <Field name="description" label={labels.description} wide>
        {(control) => (
          <Input.TextArea {...control} rows={3} value={values.description} onChange={(event) => set({ description: event.target.value })} />
        )}
      </Field>
    </FormDrawer>
  );
}
