import { deviceKeys, type StoredKeys } from '@hes/contract/asset/device.ts';
import type { dcu } from '@hes/contract/asset/dcu.ts';
import type { meter } from '@hes/contract/asset/meter.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { KEY_NAMES, KeyFields, keysOf, NO_KEYS, untouched } from './key-fields.tsx';
import { messages } from './messages.ts';

interface KeysDrawerProps {
  route: typeof dcu.setKeys | typeof meter.setKeys;
  device: { id: string; sn: string; keys: StoredKeys };
  onDone: () => void;
  onClose: () => void;
}

/** Replaces or deletes secrets of an existing device. */
export function KeysDrawer({ route, device, onDone, onClose }: KeysDrawerProps) {
  const t = useMessages(messages);
  const form = useForm(NO_KEYS);
  const order = useApiMutation<typeof dcu.setKeys | typeof meter.setKeys>(route, { success: onDone, failure: form.refuse });
  const save = () => {
    const wanted = keysOf(form.values);
    if (wanted === undefined) return onClose();
    const body = form.check(deviceKeys, untouched(wanted));
    if (body) order.mutate({ params: { id: device.id }, body });
  };
  const labels = Object.fromEntries(KEY_NAMES.map((name) => [name, t(name)]));
  return (
    <FormDrawer
      record={`device-keys/${device.sn}`}
      title={t('keysOf', { sn: device.sn })}
      form={form}
      labels={labels}
      saving={order.isPending}
      onSave={save}
      onClose={onClose}
      note={t('hint')}
    >
      <KeyFields values={form.values} set={form.set} stored={device.keys} />
    </FormDrawer>
  );
}
