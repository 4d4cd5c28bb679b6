import { exchange, MAX_PHOTO_OCTETS } from '@hes/contract/asset/exchange.ts';
import { meter as meters, replacement } from '@hes/contract/asset/meter.ts';
import { App, Button } from 'antd';
import { Camera } from 'lucide-react';
import { useRef, useState } from 'react';
import { call } from '#core/api/client.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { serverNow } from '#core/time/format.ts';
import { Field } from '#kit/form/field.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { texts } from './messages.ts';
import { asJpeg } from './photo.ts';
import { SnField } from './sn-field.tsx';
import styles from './status.module.css';

const SIZE = 480;

/** The meter in the warehouse with this number; undefined while it loads, null without one. */
function useFresh(sn: string) {
  const found = useApiQuery(meters.assets, {
    query: { sns: sn, inventoryState: 'in_warehouse', bound: 'false', size: 1 },
    enabled: sn.length >= 6,
  });
  return sn.length < 6 ? undefined : found.data && (found.data.items[0] ?? null);
}

/** Takes a photo by the camera of a phone, or chooses a file. */
function PhotoField({ photo, onPhoto }: { photo: File | undefined; onPhoto: (file: File | undefined) => void }) {
  const t = useMessages(texts);
  const input = useRef<HTMLInputElement>(null);
  return (
    <Field name="photo" label={t('photo')} help={t('photoHint')} wide>
      {({ status: _, ...control }) => (
        <span className={styles['photo']}>
          <input
            {...control}
            ref={input}
            hidden
            type="file"
            accept="image/jpeg,image/png,image/webp"
            capture="environment"
            onChange={({ target }) => onPhoto(target.files?.[0])}
          />
          <Button icon={<Camera size={16} aria-hidden="true" />} onClick={() => input.current?.click()}>
            {photo === undefined ? t('takePhoto') : photo.name}
          </Button>
        </span>
      )}
    </Field>
  );
}

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

  /** The replacement holds without its photo; a photo that cannot be stored is reported. */
  const keepPhoto = async (exchangeId: string | undefined) => {
    if (photo === undefined || exchangeId === undefined) return;
    const body = await asJpeg(photo).catch(() => undefined);
    const answer =
      body && body.length <= MAX_PHOTO_OCTETS ? await call(exchange.addPhoto, { params: { id: exchangeId }, body }) : undefined;
    if (answer?.ok !== true) void message.error(t('photoNotKept', { reason: answer?.error.message ?? t('noPhoto') }), 0);
  };
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
  const help = fresh === null ? t('notInWarehouse') : fresh === undefined ? t('newSnHint') : fresh.meterTypeName;
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
      <PhotoField photo={photo} onPhoto={setPhoto} />
      {field.text('note', { wide: true })}
    </FormDrawer>
  );
}
