import { installationOfMeter, meter as meters } from '@hes/contract/asset/meter.ts';
import { App } from 'antd';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { serverNow } from '#core/time/format.ts';
import { Field } from '#kit/form/field.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { texts } from './messages.ts';
import { NearDcu } from './near-dcu.tsx';
import { PhotoField, useFresh, useFreshHelp, useKeepPhoto } from './on-site.tsx';
import { SnField } from './sn-field.tsx';

const SIZE = 480;

interface InstallDrawerProps {
  onDone: (id: string) => void;
  onClose: () => void;
}

/** Installs a new meter on site: its number, its DCU, the first value, and a photo as evidence. */
export function InstallDrawer({ onDone, onClose }: InstallDrawerProps) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [photo, setPhoto] = useState<File>();
  const keepPhoto = useKeepPhoto(photo);
  const form = useForm({
    newSn: '',
    dcuId: undefined as string | undefined, // as: the field may be empty
    initialKwh: 0 as number | null, // as above
    customerNo: '',
    note: '',
  });
  const { values, set } = form;
  const fresh = useFresh(values.newSn.replaceAll(/\s/g, '').toUpperCase());
  const install = useApiMutation(meters.install, {
    success: async (saved) => {
      await keepPhoto(saved.installation?.id);
      void message.success(t('installedNow', { sn: saved.sn }));
      onDone(saved.id);
    },
    failure: form.refuse,
  });
  const save = () => {
    const checked = form.check(installationOfMeter, { meterId: fresh?.id ?? '', at: new Date(serverNow()).toISOString() });
    if (checked === undefined) return;
    const { meterId, ...body } = checked;
    install.mutate({ params: { id: meterId }, body });
  };
  const labels = { meterId: t('newSn'), dcuId: t('installDcu'), initialKwh: t('firstValue'), customerNo: t('customerNo'), note: t('note') };
  const field = formFields(form, labels);
  const help = useFreshHelp(fresh);
  return (
    <FormDrawer
      record="install/new"
      title={t('install')}
      form={form}
      labels={labels}
      saving={install.isPending}
      size={SIZE}
      onSave={save}
      onClose={onClose}
    >
      <Field name="meterId" label={labels.meterId} required wide help={help}>
        {() => (
          <SnField label={labels.meterId} value={values.newSn} onChange={(newSn) => set({ newSn })} onEnter={(newSn) => set({ newSn })} />
        )}
      </Field>
      <NearDcu value={values.dcuId} onChange={(dcuId) => set({ dcuId })} />
      {field.number('initialKwh', { required: true, unit: 'kWh', precision: 4, min: 0, wide: true, help: t('installValueHint') })}
      {field.text('customerNo', { wide: true })}
      <PhotoField photo={photo} hint={t('installPhotoHint')} onPhoto={setPhoto} />
      {field.text('note', { wide: true })}
    </FormDrawer>
  );
}
