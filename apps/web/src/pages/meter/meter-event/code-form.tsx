import { event, eventCode, type EventCode } from '@hes/contract/event/event.ts';
import { EVENT_DIRECTION_TEXT } from '@hes/contract/states/event.ts';
import { App, Input, InputNumber, Segmented, Select, Switch } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { Field } from '#kit/form/field.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { LEVEL } from '#domain/states/event-tables.ts';
import { texts, useCodeName } from './texts.ts';

const SIZE = 560;
const NAME_MAX = 64;
const CODE_MAX = 65_535;

export const NEW_CODE: EventCode = {
  log: 'standard',
  code: 0,
  nameEn: '',
  nameZh: '',
  abnormalLevel: null,
  direction: 'occur',
  pairCode: null,
  enabled: true,
  version: 0,
};

interface CodeFormProps {
  code: EventCode;
  siblings: EventCode[];
  onClose: () => void;
  onDone: () => void;
}

const fieldsOf = ({ version: _, ...fields }: EventCode) => fields;

/** One code of the catalogue. */
export function CodeForm({ code, siblings, onClose, onDone }: CodeFormProps) {
  const t = useMessages(texts);
  const say = useSay();
  const nameOf = useCodeName(t);
  const { message } = App.useApp();
  const form = useForm(fieldsOf(code), fieldsOf);
  const save = useApiMutation(event.saveCode, {
    success: () => {
      void message.success(t('codeSaved'));
      onDone();
    },
    failure: form.refuse,
  });
  const { values, set } = form;
  const isNew = code.version === 0;
  return (
    <FormDrawer
      record={`event-code/${code.log}/${code.code}`}
      title={isNew ? t('addCode') : t('editCode', { code: String(code.code) })}
      form={form}
      size={SIZE}
      labels={{
        code: t('code'),
        nameEn: t('nameEn'),
        nameZh: t('nameZh'),
        abnormalLevel: t('level'),
        direction: t('direction'),
        pairCode: t('endedBy'),
      }}
      saving={save.isPending}
      onSave={() => {
        const body = form.check(eventCode, { version: code.version });
        if (body) save.mutate({ body });
      }}
      onClose={onClose}
    >
      <Field name="code" label={t('code')} required>
        {(control) => (
          <InputNumber
            {...control}
            min={0}
            max={CODE_MAX}
            disabled={!isNew}
            value={values.code}
            onChange={(value) => set({ code: value ?? 0 })}
          />
        )}
      </Field>
      <Field name="enabled" label={t('enabled')}>
        {({ id }) => <Switch id={id} checked={values.enabled} onChange={(enabled) => set({ enabled })} />}
      </Field>
      <Field name="nameEn" label={t('nameEn')} required>
        {(control) => (
          <Input {...control} maxLength={NAME_MAX} value={values.nameEn} onChange={(change) => set({ nameEn: change.target.value })} />
        )}
      </Field>
      <Field name="nameZh" label={t('nameZh')} required>
        {(control) => (
          <Input {...control} maxLength={NAME_MAX} value={values.nameZh} onChange={(change) => set({ nameZh: change.target.value })} />
        )}
      </Field>
      <Field name="abnormalLevel" label={t('level')}>
        {({ id }) => (
          <Segmented
            id={id}
            value={values.abnormalLevel ?? 'none'}
            options={[
              { value: 'serious', label: say(LEVEL.serious.text) },
              { value: 'warning', label: say(LEVEL.warning.text) },
              { value: 'none', label: t('levelNone') },
            ]}
            onChange={(value) => set({ abnormalLevel: value === 'serious' || value === 'warning' ? value : null })}
          />
        )}
      </Field>
      <Field name="direction" label={t('direction')}>
        {({ id }) => (
          <Segmented
            id={id}
            value={values.direction}
            options={(['occur', 'recover'] as const).map((value) => ({ value, label: say(EVENT_DIRECTION_TEXT[value]) }))}
            onChange={(direction) => set(direction === 'recover' ? { direction, pairCode: null } : { direction })}
          />
        )}
      </Field>
      {values.direction === 'occur' ? (
        <Field name="pairCode" label={t('endedBy')} wide>
          {({ id }) => (
            <Select
              id={id}
              allowClear
              placeholder={t('nothing')}
              value={values.pairCode}
              options={siblings
                .filter((row) => row.direction === 'recover')
                .map((row) => ({ value: row.code, label: `${row.code} · ${nameOf(row)}` }))}
              onChange={(value: number | undefined) => set({ pairCode: value ?? null })}
            />
          )}
        </Field>
      ) : null}
    </FormDrawer>
  );
}
