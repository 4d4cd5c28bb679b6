import { newRole, role as roles, roleChange, type RoleRow } from '@hes/contract/manager/role.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { PermissionDrawer } from './permission-drawer.tsx';
import { texts } from './texts.ts';

const startOf = (role: RoleRow | undefined) => ({ code: role?.code ?? '', name: role?.name ?? '', description: role?.description ?? '' });

/** Adds a role, or changes its name and description. A new role has no permissions: they are opened next. */
export function RoleForm({ row: role, onDone, onClose }: FormProps<RoleRow>) {
  const t = useMessages(texts);
  const form = useForm(startOf(role), startOf);
  const create = useApiMutation(roles.create, { failure: form.refuse });
  const update = useApiMutation(roles.update, { success: onDone, failure: form.refuse });
  const save = () => {
    const extra = { description: form.values.description.trim() || null };
    if (role) {
      const body = form.check(roleChange, { ...extra, version: role.version });
      if (body) update.mutate({ params: { id: role.id }, body });
    } else {
      const body = form.check(newRole, extra);
      if (body) create.mutate({ body });
    }
  };
  if (create.data)
    return <PermissionDrawer row={create.data} rows={[create.data]} onDone={onDone} reload={() => undefined} onClose={onDone} />;
  const labels = { code: t('code'), name: t('name'), description: t('description') };
  const field = formFields(form, labels);
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
      {field.text('code', {
        required: true,
        mono: true,
        disabled: role !== undefined,
        autoFocus: role === undefined,
        help: t(role ? 'codeFixed' : 'codeHelp'),
        as: (typed) => typed.toUpperCase().replaceAll(' ', '_'),
      })}
      {field.text('name', { required: true, autoFocus: role !== undefined })}
      {field.text('description', { wide: true, rows: 3 })}
    </FormDrawer>
  );
}
