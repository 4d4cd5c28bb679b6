import type { Progress } from '@hes/contract/asset/connecting.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { deviceKeys } from '@hes/contract/asset/device.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import { AUTHENTICATION_TEXT } from '@hes/contract/text/type-text.ts';
import { dcuKeyImport, meterKeyImport } from '@hes/contract/transfer/devices.ts';
import { Button } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { KeyFields, keysOf, NO_KEYS, untouched } from '#domain/device-keys/key-fields.tsx';
import { InlineForm } from '#kit/form/form-body.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { ImportButton } from '#kit/import-drawer/import-drawer.tsx';
import { texts } from './messages.ts';
import styles from './connect.module.css';

const KEYS_OF = { dcu: dcuKeyImport, meter: meterKeyImport };

/** Stores the secrets that the authentication of a registered device needs. */
export function SecretsForm({ progress, onSaved }: { progress: Progress; onSaved: () => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const form = useForm(NO_KEYS);
  const saved = () => {
    form.refill(NO_KEYS);
    onSaved();
  };
  const ofDcu = useApiMutation(dcu.setKeys, { success: saved, failure: form.refuse });
  const ofMeter = useApiMutation(meter.setKeys, { success: saved, failure: form.refuse });
  const isSaving = ofDcu.isPending || ofMeter.isPending;
  const save = () => {
    const keys = keysOf(form.values);
    const body = keys && form.check(deviceKeys, untouched(keys));
    if (body) (progress.kind === 'dcu' ? ofDcu : ofMeter).mutate({ params: { id: progress.id }, body });
  };
  return (
    <InlineForm
      record={`connect-keys/${progress.kind}/${progress.id}`}
      title={t('saveKeys')}
      name={t('keys')}
      className={styles['form']}
      form={form}
      labels={{ ek: 'EK', ak: 'AK', password: t('keys') }}
      saving={isSaving}
      onSave={save}
    >
      <p className={styles['wide']}>{t('missingKeys', { authentication: say(AUTHENTICATION_TEXT[progress.authenticationType]) })}</p>
      <KeyFields values={form.values} set={form.set} />
      <div className={styles['wide']}>
        <div className={styles['row']}>
          <Button type="primary" htmlType="submit" loading={isSaving}>
            {t('saveKeys')}
          </Button>
          <ImportButton lists={[{ routes: KEYS_OF[progress.kind], what: t('keys') }]} onImported={onSaved} />
        </div>
      </div>
    </InlineForm>
  );
}
