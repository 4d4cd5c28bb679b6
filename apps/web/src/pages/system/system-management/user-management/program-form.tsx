import { newProgram, program as programs, PROGRAM_DANGER_TEXT, programChange, type ProgramRow } from '@hes/contract/manager/program.ts';
import { user as users } from '@hes/contract/manager/user.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { programTexts } from './program.messages.ts';

const startOf = (row: ProgramRow | undefined) => ({
  username: row?.username ?? '',
  name: row?.name ?? '',
  roleIds: row?.roles.map((role) => role.id) ?? [],
  mayOrder: row?.mayOrder ?? [],
});

/** Adds or changes a service account. Tokens are created afterwards. */
export function ProgramForm({ row, onDone, onClose }: FormProps<ProgramRow>) {
  const t = useMessages(programTexts);
  const say = useSay();
  const form = useForm(startOf(row), startOf);
  const roles = useApiQuery(users.roles);
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(programs.create, events);
  const update = useApiMutation(programs.update, events);
  const save = () => {
    if (row) {
      const body = form.check(programChange, { version: row.version });
      if (body) update.mutate({ params: { id: row.id }, body });
    } else {
      const body = form.check(newProgram);
      if (body) create.mutate({ body });
    }
  };
  const labels = { username: t('username'), name: t('name'), roleIds: t('role'), mayOrder: t('mayOrder') };
  const field = formFields(form, labels);
  const choices = (roles.data?.items ?? []).map((role) => ({
    value: role.id,
    label: `${say(roleName(role))} (${role.code})${role.canGrant ? '' : `, ${t('cannotGrant')}`}`,
    disabled: !role.canGrant,
  }));
  return (
    <FormDrawer
      record={`program/${row?.id ?? 'new'}`}
      title={row ? t('edit', { name: row.username }) : t('add')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      {field.text('username', {
        required: true,
        disabled: row !== undefined,
        autoFocus: row === undefined,
        help: t(row ? 'usernameFixed' : 'usernameHelp'),
      })}
      {field.text('name', { required: true, autoFocus: row !== undefined, help: t('nameHelp') })}
      {field.choice('roleIds', choices, { required: true, wide: true, multiple: true, loading: roles.isPending, help: t('roleHelp') })}
      {field.many('mayOrder', choicesOf(PROGRAM_DANGER_TEXT, say), { wide: true, help: t('mayOrderHelp') })}
    </FormDrawer>
  );
}
