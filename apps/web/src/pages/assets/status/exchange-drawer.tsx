import { meter as meters, replacement } from '@hes/contract/asset/meter.ts';
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
import { PhotoField, useFresh, useFreshHelp, useKeepPhoto } from './on-site.tsx';
import { SnField } from './sn-field.tsx';

const SIZE = 480;

interface ExchangeDrawerProps {
  /** The meter that is removed. */
  old: { id: string; sn: string };
  onDone: (newId: string) => void;
  onClose: () => void;
}

/** Replaces a meter on site: number of the new one, both register values, and a photo as evidence. */
export function ExchangeDrawer({ old, onDone, onClose }: ExchangeDrawerProps) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [photo, setPhoto] = useState<File>();
  const form = useForm({
    newSn: '',
    finalKwh: null as number | null, // as: the field may be empty
    initialKwh: 0 as number | null, // as above
    note: '',
  });
  const { values, set } = form;
  const fresh = useFresh(values.newSn.replaceAll(/\s/g, '').toUpperCase());

  const keepPhoto = useKeepPhoto(photo);
  const replace = useApiMutation(meters.replace, {
    success: async (saved) => {
      await keepPhoto(saved.replacements[0]?.id);
      void message.success(t('exchanged', { old: old.sn, sn: saved.sn }));
      onDone(saved.id);
    },
    failure: form.refuse,
  });
  const save = () => {
    const body = form.check(replacement, { newMeterId: fresh?.id ?? '', at: new Date(serverNow()).toISOString() });
    if (body) replace.mutate({ params: { id: old.id }, body });
  };
  const labels = { newMeterId: t('newSn'), finalKwh: t('lastValue'), initialKwh: t('firstValue'), note: t('note') };
  const field = formFields(form, labels);
  const help = useFreshHelp(fresh);
  return (
    <FormDrawer
      record={`exchange/${old.id}`}
      title={t('exchangeTitle', { sn: old.sn })}
      form={form}
      labels={labels}
      saving={replace.isPending}
      size={SIZE}
      onSave={save}
      onClose={onClose}
    >
      {field.number('finalKwh', {
        required: true,
        unit: 'kWh',
        precision: 4,
        min: 0,
        wide: true,
        help: t('lastValueHint', { sn: old.sn }),
      })}
      <Field name="newMeterId" label={labels.newMeterId} required wide help={help}>
        {() => (
          <SnField
            label={labels.newMeterId}
            value={values.newSn}
            onChange={(newSn) => set({ newSn })}
            onEnter={(newSn) => set({ newSn })}
          />
        )}
      </Field>
      {field.number('initialKwh', { required: true, unit: 'kWh', precision: 4, min: 0, wide: true })}
      <PhotoField photo={photo} hint={t('photoHint')} onPhoto={setPhoto} />
      {field.text('note', { wide: true })}
    </FormDrawer>
  );
}
