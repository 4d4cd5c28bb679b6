import { setting as routes, settingChange, type SettingRow } from '@hes/contract/manager/setting.ts';
import { LOCAL_ACCOUNTS_TEXT, REQUIRED_FOR_TEXT, SETTINGS } from '@hes/contract/setting/settings.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Button, InputNumber } from 'antd';
import { useMemo } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { fieldErrors, type FieldErrors, type Schema } from '#kit/form/field-errors.ts';
import { Field } from '#kit/form/field.tsx';
import { InlineForm } from '#kit/form/form-body.tsx';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import { useRecordForm } from '#kit/form/use-form.ts';
import { formTexts } from '#kit/form/form.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages, useSay, type PlainKey } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { fieldsOf, valueAt, valuesAt, valueOf, type AnyValue, type NumberField } from './fields.ts';
import { messages } from './messages.ts';
import styles from './settings.module.css';

const texts = { ...common, ...formTexts, ...messages };
const NOTES = {
  timeZone: 'timeZoneNote',
  secondFactor: 'secondFactorNote',
  localSignIn: 'localSignInNote',
  freshness: 'freshnessNote',
  signal: 'signalNote',
  thresholds: 'thresholdsNote',
  retention: 'retentionNote',
} as const;

/** An invalid limit is marked at its field: at `hours.2` when the issue names it, else at all limits of `hours`. */
function errorsOf(schema: Schema<unknown>, value: AnyValue, fields: NumberField[]): FieldErrors {
  const result = schema.safeParse(value);
  if (result.success) return {};
  const errors: FieldErrors = {};
  for (const issue of result.error.issues) {
    const path = issue.path.join('.');
    const [error] = Object.values(fieldErrors([{ ...issue, path: ['value'] }], { value: valueAt(value, path) ?? 0 }));
    for (const field of fields) if (error && (field.path === path || field.path.startsWith(`${path}.`))) errors[field.path] ??= error;
    if (error && typeof value === 'string') errors['value'] = error;
  }
  return errors;
}

const isUnit = (unit: NumberField['unit']): unit is PlainKey<typeof messages> => unit in messages;

const startOf = ({ key, value }: SettingRow) => valuesAt(key, value);

/** Id of the card of a setting, for the index of the page. */
export const cardId = (key: SettingRow['key']): string => `setting-${key}`;

/** One setting: current value, last change, and a form that saves against the version it was read in. */
export function SettingCard({ row }: { row: SettingRow }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const client = useQueryClient();
  const { message } = App.useApp();
  const kind = SETTINGS[row.key];
  const fields = fieldsOf(row.key);
  const { form, record, take } = useRecordForm(row, startOf);
  const value = valueOf(record, form.values);
  const errors = useMemo(() => errorsOf(kind.schema as Schema<unknown>, value, fields), [kind, value, fields]); // each schema takes its own value
  const labels: Record<string, string> = {
    value: t('timeZone'),
    requiredFor: t('requiredFor'),
    allowed: t('allowed'),
    emergencyUser: t('emergencyUser'),
    ...Object.fromEntries(fields.map(({ path, label }) => [path, t(label)])),
  };
  const field = formFields(form, labels);
  const mayChange = may(routes.update);
  const save = useApiMutation(routes.update, {
    success: (saved) => {
      void message.success(t('saved'));
      take(saved);
      void client.invalidateQueries({ queryKey: [routes.list.path] });
    },
    failure: form.refuse,
  });
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => ({ value: name, label: name })), []);
  return (
    <div id={cardId(row.key)} tabIndex={-1} className={styles['card']}>
      <Panel
        title={say(kind.text)}
        note={t(NOTES[row.key])}
        extra={
          <span className={styles['since']}>
            {row.isDefault || !row.updatedAt ? t('standard') : t('changedAt', { at: dateTime(row.updatedAt) })}
          </span>
        }
      >
        <InlineForm
          record={`setting/${row.key}`}
          title={say(kind.text)}
          form={form}
          labels={labels}
          errors={errors}
          saving={save.isPending}
          readOnly={!mayChange || Object.keys(errors).length > 0}
          className={styles['form']}
          onSave={() => {
            const body = form.check(settingChange, { value, version: record.version });
            if (body) save.mutate({ params: { key: row.key }, body });
          }}
        >
          {row.key === 'timeZone'
            ? field.choice('value', zones, { disabled: !mayChange })
            : row.key === 'secondFactor'
              ? field.choice('requiredFor', choicesOf(REQUIRED_FOR_TEXT, say), { disabled: !mayChange })
              : row.key === 'localSignIn'
                ? [
                    field.choice('allowed', choicesOf(LOCAL_ACCOUNTS_TEXT, say), { disabled: !mayChange }),
                    field.text('emergencyUser', { disabled: !mayChange, max: 32 }),
                  ]
                : fields.map(({ path, label, step, unit }) => (
                    <Field key={path} name={path} label={t(label)}>
                      {(control) => (
                        <InputNumber
                          {...control}
                          disabled={!mayChange}
                          step={step ?? 1}
                          value={Number(form.values[path])}
                          suffix={isUnit(unit) ? t(unit) : unit}
                          onChange={(next) => form.set({ [path]: next ?? Number.NaN })}
                        />
                      )}
                    </Field>
                  ))}
          <footer className={styles['footer']}>
            <span>{t(row.applies === 'at_once' ? 'atOnce' : 'nextStart')}</span>
            {mayChange ? (
              <>
                <Button
                  type="text"
                  disabled={JSON.stringify(value) === JSON.stringify(kind.value)}
                  onClick={() => form.set(valuesAt(row.key, kind.value))}
                >
                  {t('restore')}
                </Button>
                <Button disabled={!form.isChanged} onClick={() => take(row)}>
                  {t('undo')}
                </Button>
                <Button
                  type="primary"
                  htmlType="submit"
                  aria-label={`${t('save')}: ${say(kind.text)}`}
                  disabled={!form.isChanged || Object.keys(errors).length > 0}
                  loading={save.isPending}
                >
                  {t('save')}
                </Button>
              </>
            ) : (
              <span>{t('readOnly')}</span>
            )}
          </footer>
        </InlineForm>
      </Panel>
    </div>
  );
}
