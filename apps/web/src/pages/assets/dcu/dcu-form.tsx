import { WRAPPER_PORT } from '@hes/contract/asset/connection.ts';
import { dcu as dcus, dcuChange, newDcu, type DcuDetail } from '@hes/contract/asset/dcu.ts';
import { deviceKeys } from '@hes/contract/asset/device.ts';
import { communicateType, connectionType, dataChannel } from '@hes/contract/states/device.ts';
import { SPOKEN } from '@hes/contract/asset/spoken.ts';
import { AUTHENTICATION_TEXT, PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { Field } from '#kit/form/field.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { formFields, upper } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useModelName } from '#domain/models/model.tsx';
import { authenticationHelp, notOffered, offeredChoices } from '#domain/protocols/offered.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { KeyFields, keysOf, NO_KEYS, untouched } from '#domain/device-keys/key-fields.tsx';
import { TransformerSelect } from '#domain/transformer-select/transformer-select.tsx';
import { texts } from './texts.ts';
import styles from './dcu.module.css';

const SIZE = 780;

/** The identification of an unregistered caller. */
export interface Caller {
  sn: string;
  systemTitle: string | null;
}

interface DcuFormProps {
  /** Undefined for a new DCU. */
  dcu: DcuDetail | undefined;
  /** The caller to register. */
  caller?: Caller | undefined;
  onDone: (id: string) => void;
  onClose: () => void;
}

const startOf = (dcu: DcuDetail | undefined, caller: Caller | undefined) => ({
  sn: dcu?.sn ?? caller?.sn ?? '',
  name: dcu?.name ?? '',
  dcuTypeId: dcu?.dcuTypeId,
  transformerId: dcu?.transformerId ?? null,
  transformerName: dcu?.transformerName ?? null,
  protocol: dcu?.protocol ?? ('dlms_wrapper' as const),
  communicateType: dcu?.communicateType ?? ('g4' as const),
  connectionType: dcu?.connectionType ?? ('dial_in' as const),
  host: dcu?.host ?? '',
  port: dcu?.port ?? null,
  authenticationType: dcu?.authenticationType ?? ('hls_gmac' as const),
  clientSap: dcu?.clientSap ?? 1,
  serverSap: dcu?.serverSap ?? 1,
  physicalAddress: dcu?.physicalAddress ?? null,
  systemTitle: dcu?.systemTitle ?? caller?.systemTitle ?? '',
  dataChannel: dcu?.dataChannel ?? ('plc' as const),
  country: dcu?.country ?? '',
  longitude: dcu?.ownLongitude ?? null,
  latitude: dcu?.ownLatitude ?? null,
  simIccid: dcu?.simIccid ?? '',
  apn: dcu?.apn ?? '',
  msisdn: dcu?.msisdn ?? '',
  note: dcu?.note ?? '',
  ...NO_KEYS,
});

/** Registers or changes a DCU. */
export function DcuForm({ dcu, caller, onDone, onClose }: DcuFormProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const say = useSay();
  const form = useForm(startOf(dcu, caller), (current: DcuDetail) => startOf(current, undefined));
  const options = useApiQuery(dcus.options);
  const events = { success: (saved: DcuDetail) => onDone(saved.id), failure: form.refuse };
  const create = useApiMutation(dcus.create, events);
  const update = useApiMutation(dcus.update, events);
  const { values, set } = form;
  const port = values.connectionType === 'dial_out' ? (values.port ?? WRAPPER_PORT) : values.port;
  const save = () => {
    if (dcu) {
      const body = form.check(dcuChange, { port, version: dcu.version });
      if (body) update.mutate({ params: { id: dcu.id }, body });
    } else {
      const keys = keysOf(values);
      // Keys are validated first, so that their errors appear at the right fields.
      if (keys && !form.check(deviceKeys, untouched(keys))) return;
      const body = form.check(newDcu, { port, keys });
      if (body) create.mutate({ body });
    }
  };
  const chooseType = (dcuTypeId: string) => {
    const type = options.data?.types.find((candidate) => candidate.id === dcuTypeId);
    if (type === undefined) return set({ dcuTypeId });
    const { protocol, authenticationType, dataChannel: channel } = type;
    const country = values.country || (options.data?.country ?? '');
    return set({ dcuTypeId, protocol, authenticationType, dataChannel: channel, country });
  };
  const labels = {
    sn: t('sn'),
    name: t('name'),
    dcuTypeId: t('type'),
    transformerId: t('transformer'),
    protocol: t('protocol'),
    communicateType: t('communicateType'),
    connectionType: t('connectionType'),
    host: t('host'),
    port: t('port'),
    authenticationType: t('authenticationType'),
    clientSap: t('clientSap'),
    serverSap: t('serverSap'),
    physicalAddress: t('physicalAddress'),
    systemTitle: t('systemTitle'),
    keys: t('keys'),
    dataChannel: t('dataChannel'),
    country: t('country'),
    longitude: t('longitude'),
    latitude: t('latitude'),
    simIccid: t('simIccid'),
    apn: t('apn'),
    msisdn: t('msisdn'),
    note: t('note'),
  };
  const field = formFields(form, labels);
  const named = (words: readonly (keyof typeof texts)[]) => words.map((value) => ({ value, label: t(value) }));
  const { conflict } = form;
  if (conflict)
    form.words.set(
      'transformerId',
      [conflict.mine, conflict.theirs].map((side) => ({ value: side.transformerId, label: side.transformerName ?? '—' })),
    );
  return (
    <FormDrawer
      record={`dcu/${dcu?.id ?? `new/${caller?.sn ?? ''}`}`}
      size={SIZE}
      title={dcu ? t('editDcu', { sn: dcu.sn }) : t('register')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      <h3 className={styles['group']}>{t('identity')}</h3>
      {field.text('sn', {
        required: true,
        help: t(dcu ? 'snFixed' : 'snHelp'),
        disabled: dcu !== undefined,
        as: upper,
        autoFocus: dcu === undefined && caller === undefined,
      })}
      {field.text('name', { help: t('nameHelp'), autoFocus: dcu !== undefined })}
      {field.choice(
        'dcuTypeId',
        (options.data?.types ?? []).map((type) => ({ value: type.id, label: `${called(type.name)} (${type.code})` })),
        { required: true, loading: options.isPending, onChoose: chooseType },
      )}
      {field.choice('dataChannel', named(dataChannel.options), { required: true })}
      <h3 className={styles['group']}>{t('connection')}</h3>
      {field.choice('connectionType', named(connectionType.options), { required: true })}
      {field.choice('communicateType', named(communicateType.options), { required: true })}
      {values.connectionType === 'dial_out' ? field.text('host', { required: true }) : null}
      {values.connectionType === 'dial_out'
        ? field.number('port', { min: 1, max: 65_535, precision: 0, placeholder: String(WRAPPER_PORT) })
        : null}
      {field.choice('protocol', offeredChoices(SPOKEN.protocol, PROTOCOL_TEXT, say), {
        required: true,
        help: notOffered(SPOKEN.protocol, PROTOCOL_TEXT, say),
      })}
      {field.choice('authenticationType', offeredChoices(SPOKEN.authenticationType, AUTHENTICATION_TEXT, say), {
        required: true,
        help: authenticationHelp(values.authenticationType, say),
      })}
      {field.number('clientSap', { min: 1, max: 126, precision: 0, required: true })}
      {field.number('serverSap', { min: 1, max: 16_383, precision: 0, required: true })}
      {values.protocol === 'dlms_hdlc'
        ? field.number('physicalAddress', { min: 0, max: 16_383, precision: 0, help: t('physicalAddressHelp') })
        : null}
      {field.text('simIccid')}
      {field.text('apn')}
      {field.text('msisdn')}
      <h3 className={styles['group']}>{t('security')}</h3>
      {field.text('systemTitle', { as: upper })}
      {dcu ? null : <KeyFields values={values} set={set} />}
      <h3 className={styles['group']}>{t('place')}</h3>
      <Field name="transformerId" label={labels.transformerId}>
        {(control) => (
          <TransformerSelect
            control={control}
            value={values.transformerId}
            name={values.transformerName}
            onChange={(transformerId, transformerName) => set({ transformerId, transformerName })}
          />
        )}
      </Field>
      {field.text('country', { as: upper })}
      {field.number('longitude', { min: -180, max: 180, precision: 6, help: `${t('longitudeHelp')}. ${t('positionHelp')}` })}
      {field.number('latitude', { min: -90, max: 90, precision: 6, help: t('latitudeHelp') })}
      {field.text('note', { wide: true, rows: 3 })}
    </FormDrawer>
  );
}
