import { event, eventCode, type EventCode } from '@hes/contract/event/event.ts';
import { EVENT_DIRECTION_TEXT } from '@hes/contract/states/event.ts';
import { App } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
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
  const nameOf = useCodeName();
  const { message } = App.useApp();
  const form = useForm(fieldsOf(code), fieldsOf);
  const save = useApiMutation(event.saveCode, {
    success: () => {
      void message.success(t('codeSaved'));
      onDone();
    },
    failure: form.refuse,
  });
  const isNew = code.version === 0;
  const labels = {
    code: t('code'),
    enabled: t('enabled'),
    nameEn: t('nameEn'),
    nameZh: t('nameZh'),
    abnormalLevel: t('level'),
    direction: t('direction'),
    pairCode: t('endedBy'),
  };
  const field = formFields(form, labels);
  const ends = siblings.filter((row) => row.direction === 'recover');
  return (
    <FormDrawer
      record={`event-code/${code.log}/${code.code}`}
      title={isNew ? t('addCode') : t('editCode', { code: String(code.code) })}
      form={form}
      size={SIZE}
      labels={labels}
      saving={save.isPending}
      onSave={() => {
        const body = form.check(eventCode, { version: code.version });
        if (body) save.mutate({ body });
      }}
      onClose={onClose}
    >
      {field.number('code', { required: true, min: 0, max: CODE_MAX, empty: 0, disabled: !isNew })}
      {field.toggle('enabled')}
      {field.text('nameEn', { required: true, max: NAME_MAX })}
      {field.text('nameZh', { required: true, max: NAME_MAX })}
      {field.segments('abnormalLevel', [
        { value: 'serious', label: say(LEVEL.serious.text) },
        { value: 'warning', label: say(LEVEL.warning.text) },
        { value: null, label: t('levelNone') },
      ])}
      {field.segments('direction', choicesOf(EVENT_DIRECTION_TEXT, say), {
        onChoose: (direction) => form.set(direction === 'recover' ? { direction, pairCode: null } : { direction: 'occur' }),
      })}
      {form.values.direction === 'occur'
        ? field.choice(
            'pairCode',
            ends.map((row) => ({ value: row.code, label: `${row.code} · ${nameOf(row)}` })),
            { wide: true, clearable: true, placeholder: t('nothing') },
          )
        : null}
    </FormDrawer>
  );
}
