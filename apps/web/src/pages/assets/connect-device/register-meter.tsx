import { WRAPPER_PORT } from '@hes/contract/asset/connection.ts';
import { deviceKeys } from '@hes/contract/asset/device.ts';
import { meter as meters, newMeter } from '@hes/contract/asset/meter.ts';
import { meterType as meterTypes, newMeterType } from '@hes/contract/asset/meter-type.ts';
import { hasMutualProof, offered, SPOKEN } from '@hes/contract/asset/spoken.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { METER_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { AUTHENTICATION_TEXT } from '@hes/contract/text/type-text.ts';
import { Button } from 'antd';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { KeyFields, keysOf, NO_KEYS, untouched } from '#domain/device-keys/key-fields.tsx';
import { useModelName } from '#domain/models/model.tsx';
import { authenticationHelp, offeredChoices } from '#domain/protocols/offered.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { InlineForm } from '#kit/form/form-body.tsx';
import { choicesOf, formFields, upper } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { texts } from './messages.ts';
import type { StepProps } from './step-props.ts';
import styles from './connect.module.css';

type Types = ResponseOf<typeof meterTypes.list>['items'];
type Choices = ResponseOf<typeof meterTypes.choices>;

const TYPES_SHOWN = 500;
/** Choice of a type that is made together with the meter. */
const NEW = 'new';

const startOf = (url: StepProps['url'], types: Types, { profiles, suppliers }: Choices) => ({
  sn: url.sn ?? '',
  meterTypeId: types.find(({ communicationModes }) => communicationModes.includes('direct'))?.id ?? NEW,
  host: '',
  port: null as number | null, // as: filled by the form
  systemTitle: url.title ?? '',
  name: '',
  supplierId: suppliers[0]?.id,
  profileId: profiles[0]?.id,
  phase: '1p2w' as const,
  authenticationType: 'hls_gmac' as const,
  securitySuite: 0 as const,
  clientSap: 1,
  serverSap: 1,
  allowedAddresses: [] as string[], // as: filled by the form
  ...NO_KEYS,
});

type Form = ReturnType<typeof useForm<ReturnType<typeof startOf>>>;

/** A code for a type by its name: letters, digits, points and hyphens. */
const codeOf = (name: string): string =>
  name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9._-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 32);

function useLabels() {
  const t = useMessages(texts);
  return {
    sn: t('sn'),
    meterTypeId: t('type'),
    name: t('typeName'),
    supplierId: t('supplier'),
    profileId: t('template'),
    phase: t('phase'),
    authenticationType: t('authenticationType'),
    securitySuite: t('securitySuite'),
    clientSap: t('clientSap'),
    serverSap: t('serverSap'),
    allowedAddresses: t('fromAddresses'),
    host: t('host'),
    port: t('port'),
    systemTitle: t('systemTitle'),
    keys: t('keys'),
  };
}

/** What a new type says: how its meters authenticate, and the template to begin with. */
function TypeFields({ form, choices }: { form: Form; choices: Choices }) {
  const t = useMessages(texts);
  const say = useSay();
  const called = useModelName();
  const field = formFields(form, useLabels());
  const { values } = form;
  return (
    <>
      {field.text('name', { required: true, max: 64, placeholder: values.sn.slice(0, 3) })}
      {field.choice(
        'supplierId',
        choices.suppliers.map(({ id, name }) => ({ value: id, label: called(name) })),
        { required: true },
      )}
      {field.choice('authenticationType', offeredChoices(SPOKEN.authenticationType, AUTHENTICATION_TEXT, say), {
        required: true,
        help: authenticationHelp(values.authenticationType, say),
      })}
      {field.choice(
        'securitySuite',
        offered<string>(SPOKEN.securitySuite).map((suite) => ({ value: Number(suite), label: suite })),
        { required: true },
      )}
      {field.number('clientSap', { min: 1, max: 126, precision: 0, required: true })}
      {field.number('serverSap', { min: 1, max: 16_383, precision: 0, required: true })}
      {hasMutualProof(values.authenticationType) ? null : field.tags('allowedAddresses', { wide: true, help: t('fromAddressesHelp') })}
      {field.choice('phase', choicesOf(METER_PHASE_TEXT, say), { required: true })}
      {field.choice(
        'profileId',
        choices.profiles.map(({ id, name }) => ({ value: id, label: called(name) })),
        { required: true, help: t('templateHelp') },
      )}
    </>
  );
}

function MeterFields({ types, choices, url, setUrl }: StepProps & { types: Types; choices: Choices }) {
  const t = useMessages(texts);
  const may = useMay();
  const called = useModelName();
  const connectionType = url.direction ?? 'dial_in';
  const form = useForm(startOf(url, types, choices));
  const { values, set } = form;
  const create = useApiMutation(meters.create, {
    success: ({ id }) => setUrl({ id, step: undefined, sn: undefined, title: undefined, direction: undefined }),
    failure: form.refuse,
  });
  const createWith = (meterTypeId: string) => {
    const keys = keysOf(values);
    const port = connectionType === 'dial_out' ? (values.port ?? WRAPPER_PORT) : null;
    const body = form.check(newMeter, { meterTypeId, communicationMode: 'direct', connectionType, port, keys, phase: null });
    if (body) create.mutate({ body });
  };
  const createType = useApiMutation(meterTypes.create, {
    // A second attempt with a corrected meter uses the type that exists now.
    success: (type) => {
      set({ meterTypeId: type.id });
      createWith(type.id);
    },
    failure: form.refuse,
  });
  const save = () => {
    const keys = keysOf(values);
    // Keys are validated first, so that their errors appear at the right fields.
    if (keys && !form.check(deviceKeys, untouched(keys))) return;
    if (values.meterTypeId !== NEW) return createWith(values.meterTypeId);
    const body = form.check(newMeterType, { code: codeOf(values.name), communicationModes: ['direct'] });
    if (body) createType.mutate({ body });
  };
  const labels = useLabels();
  const field = formFields(form, labels);
  const known = types.map(({ id, name, code }) => ({ value: id, label: `${called(name)} (${code})` }));
  const isSaving = create.isPending || createType.isPending;
  return (
    <InlineForm
      record={`connect-meter/${url.sn ?? ''}`}
      title={t('register')}
      name={t('register')}
      className={styles['form']}
      form={form}
      labels={labels}
      saving={isSaving}
      onSave={save}
    >
      {field.text('sn', { required: true, help: t('snHelpMeter'), as: upper, mono: true, autoFocus: url.sn === undefined })}
      {field.choice('meterTypeId', may(meterTypes.create) ? [...known, { value: NEW, label: t('newType') }] : known, {
        required: true,
        help: t('typeHelp'),
      })}
      {values.meterTypeId === NEW ? <TypeFields form={form} choices={choices} /> : null}
      {connectionType === 'dial_out' ? field.text('host', { required: true }) : null}
      {connectionType === 'dial_out'
        ? field.number('port', { min: 1, max: 65_535, precision: 0, placeholder: String(WRAPPER_PORT) })
        : null}
      {field.text('systemTitle', { as: upper, mono: true })}
      <p className={styles['wide']}>{t('keysHint')}</p>
      <KeyFields values={values} set={set} />
      <div className={styles['wide']}>
        <Button type="primary" htmlType="submit" loading={isSaving}>
          {t('saveAndNext')}
        </Button>
      </div>
    </InlineForm>
  );
}

/** Registers a direct meter, with a type of its own if none fits. */
export function RegisterMeter(props: StepProps) {
  const types = useApiQuery(meterTypes.list, { query: { enabled: 'true', size: TYPES_SHOWN } });
  const choices = useApiQuery(meterTypes.choices);
  return (
    <PanelState query={types} lines={6}>
      {({ items }) => <PanelState query={choices}>{(known) => <MeterFields {...props} types={items} choices={known} />}</PanelState>}
    </PanelState>
  );
}
