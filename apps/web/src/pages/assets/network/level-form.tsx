import { level as routes, levelChange, LEVEL_TYPE_TEXT, newLevel, type LevelRow } from '@hes/contract/asset/level.ts';
import { Button } from 'antd';
import { Save, X } from 'lucide-react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { InlineForm } from '#kit/form/form-body.tsx';
import { useRecordForm } from '#kit/form/use-form.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import type { Draft } from './level-tree.ts';
import { texts } from './messages.ts';
import styles from './network.module.css';

interface LevelFormProps {
  level: LevelRow | Draft;
  onSaved: (row: LevelRow) => void;
  /** Discards a new level. */
  onDiscard: () => void;
}

const isStored = (level: LevelRow | Draft): level is LevelRow => 'id' in level;

const startOf = (level: LevelRow | Draft) => ({
  name: isStored(level) ? level.name : '',
  code: level.code,
  type: level.type,
  sort: level.sort,
  longitude: isStored(level) ? level.longitude : null,
  latitude: isStored(level) ? level.latitude : null,
  note: (isStored(level) && level.note) || '',
});

/** The form of the selected level, or of a new one that is not saved yet. */
export function LevelForm({ level, onSaved, onDiscard }: LevelFormProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { form, record, take } = useRecordForm(level, startOf);
  const stored = isStored(record) ? record : undefined;
  const events = {
    success: (saved: LevelRow) => {
      if (stored) take(saved);
      onSaved(saved);
    },
    failure: form.refuse,
  };
  const create = useApiMutation(routes.create, events);
  const update = useApiMutation(routes.update, events);
  const isReadOnly = stored ? !may(routes.update) || !stored.isWithin : !may(routes.create);
  const save = () => {
    if (!isStored(record)) {
      const body = form.check(newLevel, { parentId: record.parentId });
      if (body) create.mutate({ body });
    } else {
      const body = form.check(levelChange, { version: record.version });
      if (body) update.mutate({ params: { id: record.id }, body });
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
    <InlineForm
      record={`level/${stored?.id ?? 'new'}`}
      title={stored?.name ?? t('newLevel')}
      name={t('levelInfo')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      readOnly={isReadOnly}
      stays={stored !== undefined}
      className={styles['form']}
      onSave={save}
    >
      {field.text('name', { required: true, disabled, autoFocus: !stored })}
      {field.text('code', { required: true, mono: true, disabled, help: t('codeHelp') })}
      {field.choice('type', choicesOf(LEVEL_TYPE_TEXT, say), { required: true, disabled })}
      {field.number('sort', { disabled, precision: 0 })}
      {field.number('longitude', { disabled, precision: 6, help: t('longitudeHelp') })}
      {field.number('latitude', { disabled, precision: 6, help: t('latitudeHelp') })}
      {field.text('note', { wide: true, disabled })}
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
        {!stored || form.isChanged ? (
          <Button icon={<X size={15} aria-hidden="true" />} onClick={() => (stored ? take(level) : onDiscard())}>
            {t('discard')}
          </Button>
        ) : null}
      </div>
    </InlineForm>
  );
}
