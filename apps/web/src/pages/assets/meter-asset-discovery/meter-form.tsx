import { WRAPPER_PORT } from '@hes/contract/asset/connection.ts';
import { deviceKeys } from '@hes/contract/asset/device.ts';
import { meter as meters, meterChange, newMeter, type AssetDetail } from '@hes/contract/asset/meter.ts';
import { SPOKEN } from '@hes/contract/asset/spoken.ts';
import { communicationMode, meterPhase, recordedPhase } from '@hes/contract/states/device.ts';
import { CONNECTION_TYPE_TEXT, METER_PHASE_TEXT, RECORDED_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { choicesOf, formFields, upper } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { notOffered, offeredChoices } from '#domain/protocols/offered.ts';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { KeyFields, keysOf, NO_KEYS, untouched } from '#domain/device-keys/key-fields.tsx';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const SIZE = 780;

const startOf = (meter: AssetDetail | undefined) => ({
  sn: meter?.sn ?? '',
  meterTypeId: meter?.meterTypeId,
  isMaster: meter?.isMaster ?? false,
  communicationMode: meter?.communicationMode ?? ('plc' as const),
  connectionType: meter?.connection?.connectionType ?? ('dial_in' as const),
  host: meter?.connection?.host ?? '',
  port: meter?.connection?.port ?? null,
  protocol: meter?.connection?.protocol ?? ('dlms_wrapper' as const),
  physicalAddress: meter?.connection?.physicalAddress ?? null,
  recordedPhase: meter?.recordedPhase ?? ('unknown' as const),
  accuracy: meter?.own.accuracy ?? '',
  voltage: meter?.own.voltage ?? '',
  current: meter?.own.current ?? '',
  phase: meter?.own.phase ?? null,
  ctRatio: meter?.ctRatio ?? 1,
  ptRatio: meter?.ptRatio ?? 1,
  isGenerator: meter?.isGenerator ?? false,
  customerNo: meter?.customerNo ?? '',
  customerName: meter?.customerName ?? '',
  address: meter?.address ?? '',
  longitude: meter?.longitude ?? null,
  latitude: meter?.latitude ?? null,
  systemTitle: meter?.systemTitle ?? '',
  note: meter?.note ?? '',
  ...NO_KEYS,
});

interface MeterFormProps {
  /** Undefined for a new meter. */
  meter: AssetDetail | undefined;
  /** Known values of a new meter. */
  start?: Partial<ReturnType<typeof startOf>>;
  onDone: (id: string) => void;
  onClose: () => void;
}

/** Adds a meter to the inventory or changes one. */
export function MeterForm({ meter, start, onDone, onClose }: MeterFormProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const say = useSay();
  const form = useForm({ ...startOf(meter), ...start }, startOf);
  const options = useApiQuery(meters.options);
  const events = { success: (saved: AssetDetail) => onDone(saved.id), failure: form.refuse };
  const create = useApiMutation(meters.create, events);
  const update = useApiMutation(meters.update, events);
  const { values, set } = form;
  const type = options.data?.types.find((candidate) => candidate.id === values.meterTypeId);
  const save = () => {
    if (meter) {
      const body = form.check(meterChange, { version: meter.version });
      if (body) update.mutate({ params: { id: meter.id }, body });
      return;
    }
    const keys = keysOf(values);
    // Keys are validated first, so that their errors appear at the right fields.
    if (keys && !form.check(deviceKeys, untouched(keys))) return;
    const body = form.check(newMeter, { keys });
    if (body) create.mutate({ body });
  };
  const labels = {
    sn: t('sn'),
    meterTypeId: t('type'),
    communicationMode: t('mode'),
    connectionType: t('connectionType'),
    host: t('host'),
    port: t('port'),
    protocol: t('protocol'),
    physicalAddress: t('physicalAddress'),
    recordedPhase: t('recordedPhase'),
    accuracy: t('accuracy'),
    voltage: t('voltage'),
    current: t('current'),
    phase: t('wiring'),
    ctRatio: t('ctRatio'),
    ptRatio: t('ptRatio'),
    isMaster: t('isMaster'),
    isGenerator: t('generator'),
    customerNo: t('customerNo'),
    customerName: t('customerName'),
    address: t('address'),
    longitude: t('longitude'),
    latitude: t('latitude'),
    systemTitle: t('systemTitle'),
    note: t('note'),
  };
  const field = formFields(form, labels);
  const isDirect = values.communicationMode === 'direct';
  const isDialled = isDirect && values.connectionType === 'dial_out';
  const ofType = (value: string | null | undefined) => (value ? t('asType', { value }) : '');
  return (
    <FormDrawer
      record={`meter/${meter?.id ?? `new/${start?.sn ?? ''}`}`}
      size={SIZE}
      title={meter ? t('editMeter', { sn: meter.sn }) : t('add')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      <h3 className={styles['group']}>{t('identity')}</h3>
      {field.text('sn', {
        required: true,
        help: t(meter ? 'snFixed' : 'snHelp'),
        disabled: meter !== undefined,
        autoFocus: meter === undefined,
        as: upper,
      })}
      {field.choice(
        'meterTypeId',
        (options.data?.types ?? []).map((known) => ({
          value: known.id,
          label: `${called(known.name)} (${known.code}) · ${called(known.supplierName)}`,
        })),
        { required: true },
      )}
      {field.choice(
        'communicationMode',
        communicationMode.options.map((value) => ({ value, label: t(value) })),
        { required: true, help: isDirect ? t('directHelp') : undefined },
      )}
      {isDirect ? field.choice('connectionType', choicesOf(CONNECTION_TYPE_TEXT, say), { required: true }) : null}
      {isDialled ? field.text('host', { required: true }) : null}
      {isDialled ? field.number('port', { min: 1, max: 65_535, precision: 0, placeholder: String(WRAPPER_PORT) }) : null}
      {isDirect
        ? field.choice('protocol', offeredChoices(SPOKEN.protocol, PROTOCOL_TEXT, say), {
            required: true,
            help: isDialled ? notOffered(SPOKEN.protocol, PROTOCOL_TEXT, say) : t('protocolHelp'),
          })
        : null}
      {isDirect && values.protocol === 'dlms_hdlc'
        ? field.number('physicalAddress', { min: 0, max: 16_383, precision: 0, help: t('physicalAddressHelp') })
        : null}
      {field.choice(
        'recordedPhase',
        recordedPhase.options.map((value) => ({ value, label: say(RECORDED_PHASE_TEXT[value]) })),
      )}
      <h3 className={styles['group']}>{t('nameplate')}</h3>
      {field.text('accuracy', { placeholder: ofType(type?.accuracy), help: t('overrideHelp') })}
      {field.text('voltage', { placeholder: ofType(type?.voltage), help: t('overrideHelp') })}
      {field.text('current', { placeholder: ofType(type?.current), help: t('overrideHelp') })}
      {field.choice(
        'phase',
        meterPhase.options.map((value) => ({ value, label: say(METER_PHASE_TEXT[value]) })),
        { clearable: true, placeholder: type ? ofType(say(METER_PHASE_TEXT[type.phase])) : '' },
      )}
      <h3 className={styles['group']}>{t('place')}</h3>
      {field.text('customerNo')}
      {field.text('customerName')}
      {field.text('address')}
      {field.flag('isMaster', t('masters'))}
      {field.number('ctRatio', { min: 0.0001, max: 999_999 })}
      {field.number('ptRatio', { min: 0.0001, max: 999_999 })}
      {field.number('longitude', { min: -180, max: 180, help: t('longitudeHelp') })}
      {field.number('latitude', { min: -90, max: 90, help: t('latitudeHelp') })}
      <h3 className={styles['group']}>{t('security')}</h3>
      {field.text('systemTitle', { as: upper })}
      {meter ? null : <KeyFields values={values} set={set} />}
      {field.text('note', { wide: true, rows: 3 })}
    </FormDrawer>
  );
}
