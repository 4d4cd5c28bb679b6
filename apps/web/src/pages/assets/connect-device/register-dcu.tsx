import { WRAPPER_PORT } from '@hes/contract/asset/connection.ts';
import { dcu as dcus, newDcu } from '@hes/contract/asset/dcu.ts';
import { deviceKeys } from '@hes/contract/asset/device.ts';
import { Button } from 'antd';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { KeyFields, keysOf, NO_KEYS, untouched } from '#domain/device-keys/key-fields.tsx';
import { useModelName } from '#domain/models/model.tsx';
import { TransformerSelect } from '#domain/transformer-select/transformer-select.tsx';
import { Field } from '#kit/form/field.tsx';
import { InlineForm } from '#kit/form/form-body.tsx';
import { formFields, upper } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { PanelState } from '#kit/basics/states.tsx';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { texts } from './messages.ts';
import type { StepProps } from './step-props.ts';
import styles from './connect.module.css';

type Types = ResponseOf<typeof dcus.options>['types'];

function DcuFields({ types, url, setUrl }: StepProps & { types: Types }) {
  const t = useMessages(texts);
  const called = useModelName();
  const connectionType = url.direction ?? 'dial_in';
  const form = useForm({
    sn: url.sn ?? '',
    dcuTypeId: undefined,
    host: '',
    port: null,
    systemTitle: url.title ?? '',
    transformerId: null,
    transformerName: null,
    ...NO_KEYS,
  } as {
    sn: string;
    dcuTypeId: string | undefined;
    host: string;
    port: number | null;
    systemTitle: string;
    transformerId: string | null;
    transformerName: string | null;
  } & typeof NO_KEYS);
  const create = useApiMutation(dcus.create, {
    success: ({ id }) => setUrl({ id, step: undefined, sn: undefined, title: undefined, direction: undefined }),
    failure: form.refuse,
  });
  const { values, set } = form;
  const type = types.find((each) => each.id === values.dcuTypeId);
  const save = () => {
    const keys = keysOf(values);
    // Keys are validated first, so that their errors appear at the right fields.
    if (keys && !form.check(deviceKeys, untouched(keys))) return;
    const { protocol = 'dlms_wrapper', authenticationType = 'hls_gmac', dataChannel = 'plc' } = type ?? {};
    const port = connectionType === 'dial_out' ? (values.port ?? WRAPPER_PORT) : null;
    const body = form.check(newDcu, {
      name: '',
      connectionType,
      communicateType: 'g4',
      protocol,
      authenticationType,
      dataChannel,
      port,
      keys,
    });
    if (body) create.mutate({ body });
  };
  const labels = {
    sn: t('sn'),
    dcuTypeId: t('type'),
    host: t('host'),
    port: t('port'),
    systemTitle: t('systemTitle'),
    transformerId: t('transformer'),
    keys: t('keys'),
  };
  const field = formFields(form, labels);
  return (
    <InlineForm
      record={`connect-dcu/${url.sn ?? ''}`}
      title={t('register')}
      name={t('register')}
      className={styles['form']}
      form={form}
      labels={labels}
      saving={create.isPending}
      onSave={save}
    >
      {field.text('sn', { required: true, help: t('snHelpDcu'), as: upper, mono: true, autoFocus: url.sn === undefined })}
      {field.choice(
        'dcuTypeId',
        types.map((each) => ({ value: each.id, label: `${called(each.name)} (${each.code})` })),
        { required: true, help: t('typeHelp') },
      )}
      {connectionType === 'dial_out' ? field.text('host', { required: true }) : null}
      {connectionType === 'dial_out'
        ? field.number('port', { min: 1, max: 65_535, precision: 0, placeholder: String(WRAPPER_PORT) })
        : null}
      {field.text('systemTitle', { as: upper, mono: true })}
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
      <p className={styles['wide']}>{t('keysHint')}</p>
      <KeyFields values={values} set={set} />
      <div className={styles['wide']}>
        <Button type="primary" htmlType="submit" loading={create.isPending}>
          {t('saveAndNext')}
        </Button>
      </div>
    </InlineForm>
  );
}

/** Registers a DCU with what its type says; everything else can be changed on its page. */
export function RegisterDcu(props: StepProps) {
  const options = useApiQuery(dcus.options);
  return (
    <PanelState query={options} lines={6}>
      {({ types }) => <DcuFields {...props} types={types} />}
    </PanelState>
  );
}
