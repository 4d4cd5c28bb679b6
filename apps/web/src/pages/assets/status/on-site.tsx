import { exchange, MAX_PHOTO_OCTETS } from '@hes/contract/asset/exchange.ts';
import { meter as meters, type AssetRow } from '@hes/contract/asset/meter.ts';
import { App, Button } from 'antd';
import { Camera } from 'lucide-react';
import { useRef } from 'react';
import { call } from '#core/api/client.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Field } from '#kit/form/field.tsx';
import { texts } from './messages.ts';
import { asJpeg } from './photo.ts';
import styles from './status.module.css';

/** The meter in the warehouse with this number; undefined while it loads, null without one. */
export function useFresh(sn: string) {
  const found = useApiQuery(meters.assets, {
    query: { sns: sn, inventoryState: 'in_warehouse', bound: 'false', size: 1 },
    enabled: sn.length >= 6,
  });
  return sn.length < 6 ? undefined : found.data && (found.data.items[0] ?? null);
}

/** Takes a photo by the camera of a phone, or chooses a file. */
export function PhotoField({ photo, hint, onPhoto }: { photo: File | undefined; hint: string; onPhoto: (file: File | undefined) => void }) {
  const t = useMessages(texts);
  const input = useRef<HTMLInputElement>(null);
  return (
    <Field name="photo" label={t('photo')} help={hint} wide>
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

/** What is known about the meter with the typed number. */
export function useFreshHelp(fresh: AssetRow | null | undefined): string {
  const t = useMessages(texts);
  if (fresh === undefined) return t('newSnHint');
  return fresh === null ? t('notInWarehouse') : fresh.meterTypeName;
}

/** Keeps the photo with its record. The record holds without it; a photo that cannot be stored is reported. */
export function useKeepPhoto(photo: File | undefined): (recordId: string | undefined) => Promise<void> {
  const t = useMessages(texts);
  const { message } = App.useApp();
  return async (recordId) => {
    if (photo === undefined || recordId === undefined) return;
    const body = await asJpeg(photo).catch(() => undefined);
    const answer = body && body.length <= MAX_PHOTO_OCTETS ? await call(exchange.addPhoto, { params: { id: recordId }, body }) : undefined;
    if (answer?.ok !== true) void message.error(t('photoNotKept', { reason: answer?.error.message ?? t('noPhoto') }), 0);
  };
}
