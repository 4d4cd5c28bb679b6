import { supplier } from '@hes/contract/asset/supplier.ts';
import { id } from '@hes/contract/core/page.ts';
import { firmwareKey as routes, firmwareKeyBody, type FirmwareKeyRow } from '@hes/contract/upgrade/firmware.ts';
import { useEveryRow } from '#core/api/every-row.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { formFields } from '#kit/form/form-fields.tsx';
import { texts } from './messages.ts';

/** An empty key would delete the present one, which is a separate action. */
const KEY = firmwareKeyBody.extend({ supplierId: id, publicKey: firmwareKeyBody.shape.publicKey.min(1) });

/** Sets the public key of a manufacturer. */
export function KeyForm({ row, onDone, onClose }: FormProps<FirmwareKeyRow>) {
  const t = useMessages(texts);
  const called = useModelName();
  const form = useForm({ supplierId: row?.supplierId ?? '', publicKey: '' });
  const suppliers = useEveryRow(supplier.list, {}, { enabled: row === undefined });
  const keys = useApiQuery(routes.list, { enabled: row === undefined });
  const taken = new Set(keys.data?.items.map(({ supplierId }) => supplierId));
  const save = useApiMutation(routes.save, { success: onDone, failure: form.refuse });
  const labels = { supplierId: t('manufacturer'), publicKey: t('publicKey') };
  const field = formFields(form, labels);
  return (
    <FormDrawer
      record={`firmware-key/${row?.supplierId ?? 'new'}`}
      title={row ? t('replaceKeyOf', { name: called(row.supplierName) }) : t('addKey')}
      form={form}
      labels={labels}
      saving={save.isPending}
      onSave={() => {
        const body = form.check(KEY);
        if (body) save.mutate({ params: { id: body.supplierId }, body: { publicKey: body.publicKey } });
      }}
      onClose={onClose}
    >
      {row
        ? null
        : field.choice(
            'supplierId',
            (suppliers.data ?? []).filter((one) => !taken.has(one.id)).map((one) => ({ value: one.id, label: called(one.name) })),
            { required: true, wide: true },
          )}
      {field.text('publicKey', { required: true, wide: true, mono: true, rows: 8, help: t('publicKeyHelp') })}
    </FormDrawer>
  );
}
