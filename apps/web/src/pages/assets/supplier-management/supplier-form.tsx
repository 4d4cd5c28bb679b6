import { newSupplier, supplier as routes, supplierChange, type SupplierRow } from '@hes/contract/asset/supplier.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { formFields } from '#kit/form/form-fields.tsx';
import { useCountries } from './countries.ts';
import { texts } from './messages.ts';

const startOf = (row: SupplierRow | undefined) => ({
  code: row?.code ?? '',
  name: row?.name ?? '',
  flagId: row?.flagId ?? '',
  country: row?.country ?? '',
  contact: row?.contact ?? '',
  phone: row?.phone ?? '',
  email: row?.email ?? '',
  address: row?.address ?? '',
  note: row?.note ?? '',
  enabled: row?.enabled ?? true,
});

/** Adds or changes a supplier. */
export function SupplierForm({ row, onDone, onClose }: { row: SupplierRow | undefined; onDone: () => void; onClose: () => void }) {
  const t = useMessages(texts);
  const form = useForm(startOf(row), startOf);
  const countries = useCountries();
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(routes.create, events);
  const update = useApiMutation(routes.update, events);
  const save = () => {
    if (row) {
      const body = form.check(supplierChange, { version: row.version });
      if (body) update.mutate({ params: { id: row.id }, body });
    } else {
      const body = form.check(newSupplier);
      if (body) create.mutate({ body });
    }
  };
  const labels = {
    code: t('code'),
    name: t('name'),
    flagId: t('flagId'),
    country: t('country'),
    contact: t('contact'),
    phone: t('phone'),
    email: t('email'),
    address: t('address'),
    note: t('note'),
    enabled: t('enabled'),
  };
  const field = formFields(form, labels);
  return (
    <FormDrawer
      record={`supplier/${row?.id ?? 'new'}`}
      title={row ? t('editSupplier', { name: row.name }) : t('addSupplier')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      {field.text('code', { required: true, mono: true, autoFocus: row === undefined, disabled: row?.isBuiltin ?? false })}
      {field.text('name', { required: true, autoFocus: row !== undefined })}
      {field.text('flagId', { mono: true, help: t('flagHelp') })}
      {field.choice('country', [{ value: '', label: '—' }, ...countries])}
      {field.text('contact')}
      {field.text('phone')}
      {field.text('email')}
      {field.text('address')}
      {field.text('note', { wide: true, rows: 2 })}
      {field.flag('enabled', t('enabledHelp'))}
    </FormDrawer>
  );
}
