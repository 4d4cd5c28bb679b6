import { level as routes, levelChange, LEVEL_TYPE_TEXT, newLevel, type LevelRow } from '@hes/contract/asset/level.ts';
import { Alert, Button } from 'antd';
import { Save, X } from 'lucide-react';
import { useEffect, useId } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { ConflictTable } from '#kit/form/conflict.tsx';
import { FormContext } from '#kit/form/field.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import type { Draft } from './level-tree.ts';
import { texts } from './messages.ts';
import styles from './network.module.css';

interface LevelFormProps {
  level: LevelRow | undefined;
  draft: Draft | undefined;
  onChanged: (isChanged: boolean) => void;
  onSaved: (row: LevelRow) => void;
  onDiscard: () => void;
}

const startOf = (level: LevelRow | undefined, draft: Draft | undefined) => ({
  name: level?.name ?? '',
  code: level?.code ?? draft?.code ?? '',
  type: level?.type ?? draft?.type ?? 'other',
  sort: level?.sort ?? draft?.sort ?? 0,
  longitude: level?.longitude ?? null,
  latitude: level?.latitude ?? null,
  note: level?.note ?? '',
});

/** The form of the selected level, or of a new one that is not saved yet. */
export function LevelForm({ level, draft, onChanged, onSaved, onDiscard }: LevelFormProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const id = useId();
  const form = useForm(startOf(level, draft), (current: LevelRow) => startOf(current, undefined));
  const events = { success: onSaved, failure: form.refuse };
  const create = useApiMutation(routes.create, events);
  const update = useApiMutation(routes.update, events);
  const { isChanged } = form;
  useEffect(() => onChanged(isChanged), [isChanged, onChanged]);
  const isReadOnly = draft ? !may(routes.create) : !may(routes.update) || level?.isWithin === false;
  const save = () => {
    if (draft) {
      const body = form.check(newLevel, { parentId: draft.parentId });
      if (body) create.mutate({ body });
    } else if (level) {
      const body = form.check(levelChange, { version: level.version });
      if (body) update.mutate({ params: { id: level.id }, body });
    }
  };
  const labels = {
    name: t('name'),
    code: t('code'),
    type: t('type'),
    sort: t('sort'),
    longitude: t('longitude'),
    latitude: t('latitude'),
    note: t('note'),
  };
  const field = formFields(form, labels);
  const disabled = isReadOnly;
  return (
    <FormContext value={{ id, errors: form.errors }}>
      <form
        id={id}
        noValidate
        aria-label={t('levelInfo')}
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <ConflictTable form={form} labels={labels} />
        {field.text('name', { required: true, disabled, autoFocus: draft !== undefined })}
        {field.text('code', { required: true, mono: true, disabled, help: t('codeHelp') })}
        {field.choice('type', choicesOf(LEVEL_TYPE_TEXT, say), { required: true, disabled })}
        {field.number('sort', { disabled, precision: 0 })}
        {field.number('longitude', { disabled, precision: 6, help: t('longitudeHelp') })}
        {field.number('latitude', { disabled, precision: 6, help: t('latitudeHelp') })}
        {field.text('note', { wide: true, disabled })}
        {form.general === undefined ? null : (
          <Alert type="error" showIcon role="alert" title={form.general} className={styles['wide'] ?? ''} />
        )}
        <div className={styles['formActions']}>
          {isReadOnly ? null : (
            <Button
              type="primary"
              htmlType="submit"
              icon={<Save size={15} aria-hidden="true" />}
              loading={create.isPending || update.isPending}
            >
              {t('save')}
            </Button>
          )}
          {draft || isChanged ? (
            <Button icon={<X size={15} aria-hidden="true" />} onClick={onDiscard}>
              {t('discard')}
            </Button>
          ) : null}
        </div>
      </form>
    </FormContext>
  );
}
