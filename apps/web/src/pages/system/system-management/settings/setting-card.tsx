import { setting as routes, type SettingRow } from '@hes/contract/manager/setting.ts';
import { REQUIRED_FOR_TEXT, SETTINGS } from '@hes/contract/setting/settings.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Alert, App, Button, InputNumber, Select } from 'antd';
import { useId, useMemo } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { usePageDraft } from '#kit/form/drafts.ts';
import { fieldErrors, type FieldErrors, type Schema } from '#kit/form/field-errors.ts';
import { Field, FormContext } from '#kit/form/field.tsx';
import { Overtaken } from '#kit/form/overtaken.tsx';
import { formTexts } from '#kit/form/form.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { NUMBER_FIELDS, valueAt, withValue, type AnyValue, type NumberField } from './fields.ts';
import { messages } from './messages.ts';
import styles from './settings.module.css';

const texts = { ...common, ...formTexts, ...messages };
const NO_FIELDS: NumberField[] = [];
const NOTES = {
  timeZone: 'timeZoneNote',
  secondFactor: 'secondFactorNote',
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

const isUnit = (unit: NumberField['unit']): unit is keyof typeof messages => unit in messages;

/** One setting: current value, last change, and a form that saves against the version it was read in. */
export function SettingCard({ row }: { row: SettingRow }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const client = useQueryClient();
  const { message } = App.useApp();
  const id = useId();
  const kind = SETTINGS[row.key];
  const fields = row.key === 'timeZone' || row.key === 'secondFactor' ? NO_FIELDS : NUMBER_FIELDS[row.key];
  const [draft, setDraft] = usePageDraft<{ of: number; value: AnyValue }>({ record: `setting/${row.key}`, title: say(kind.text) });
  const value = draft?.value ?? row.value;
  const isChanged = JSON.stringify(value) !== JSON.stringify(row.value);
  /** Another user saved since the first change of this draft. */
  const isOvertaken = isChanged && draft !== undefined && draft.of !== row.version;
  const set = (next: AnyValue) =>
    setDraft(
      JSON.stringify(next) === JSON.stringify(row.value)
        ? undefined
        : { of: isChanged ? (draft?.of ?? row.version) : row.version, value: next },
    );
  const errors = useMemo(() => errorsOf(kind.schema as Schema<unknown>, value, fields), [kind, value, fields]); // each schema takes its own value
  /** The saved value, in the words of its fields; of several numbers those that differ. */
  const theirs =
    row.key === 'timeZone'
      ? row.value
      : row.key === 'secondFactor'
        ? say(REQUIRED_FOR_TEXT[String(valueAt(row.value, 'requiredFor')) as keyof typeof REQUIRED_FOR_TEXT]) // as: a value of this setting
        : fields
            .filter(({ path }) => valueAt(row.value, path) !== valueAt(value, path))
            .map(({ path, label }) => `${t(label)}: ${String(valueAt(row.value, path))}`)
            .join(', ');
  const mayChange = may(routes.update);
  const reload = () => client.invalidateQueries({ queryKey: [routes.list.path] });
  const save = useApiMutation(routes.update, {
    success: () => {
      void message.success(t('saved'));
      void reload().then(() => setDraft(undefined));
    },
    // The newer value is shown beside the input.
    failure: (error) => {
      if (error.failure.code === 'STALE') void reload();
    },
  });
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => ({ value: name, label: name })), []);
  return (
    <Panel
      title={say(kind.text)}
      note={t(NOTES[row.key])}
      extra={
        <span className={styles['since']}>
          {row.isDefault || !row.updatedAt ? t('standard') : t('changedAt', { at: dateTime(row.updatedAt) })}
        </span>
      }
    >
      <FormContext value={{ id, errors }}>
        <form
          className={styles['form']}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (Object.keys(errors).length === 0 && !isOvertaken)
              save.mutate({ params: { key: row.key }, body: { value, version: row.version } });
          }}
        >
          {row.key === 'timeZone' ? (
            <Field name="value" label={t('timeZone')}>
              {({ status, ...control }) => (
                <Select
                  {...control}
                  status={status}
                  showSearch
                  disabled={!mayChange}
                  value={String(value)}
                  options={zones}
                  onChange={(zone: string) => set(zone)}
                />
              )}
            </Field>
          ) : row.key === 'secondFactor' ? (
            <Field name="requiredFor" label={t('requiredFor')}>
              {({ status, ...control }) => (
                <Select
                  {...control}
                  status={status}
                  disabled={!mayChange}
                  value={String(valueAt(value, 'requiredFor'))}
                  options={Object.entries(REQUIRED_FOR_TEXT).map(([group, text]) => ({ value: group, label: say(text) }))}
                  onChange={(group: string) => set(withValue(value, 'requiredFor', group))}
                />
              )}
            </Field>
          ) : (
            fields.map((field) => (
              <Field key={field.path} name={field.path} label={t(field.label)}>
                {(control) => (
                  <InputNumber
                    {...control}
                    disabled={!mayChange}
                    step={field.step ?? 1}
                    value={Number(valueAt(value, field.path))}
                    suffix={isUnit(field.unit) ? t(field.unit) : field.unit}
                    onChange={(next) => set(withValue(value, field.path, next ?? Number.NaN))}
                  />
                )}
              </Field>
            ))
          )}
          {isOvertaken ? (
            <Overtaken theirs={theirs} onKeepMine={() => setDraft({ of: row.version, value })} onTakeTheirs={() => setDraft(undefined)} />
          ) : null}
          <footer className={styles['footer']}>
            {save.error && !isOvertaken ? (
              <Alert type="error" showIcon role="alert" title={save.error.message} />
            ) : (
              <span>{t(row.applies === 'at_once' ? 'atOnce' : 'nextStart')}</span>
            )}
            {mayChange ? (
              <>
                <Button type="text" disabled={JSON.stringify(value) === JSON.stringify(kind.value)} onClick={() => set(kind.value)}>
                  {t('restore')}
                </Button>
                <Button disabled={!isChanged} onClick={() => set(row.value)}>
                  {t('undo')}
                </Button>
                <Button
                  type="primary"
                  htmlType="submit"
                  aria-label={`${t('save')}: ${say(kind.text)}`}
                  disabled={!isChanged || isOvertaken || Object.keys(errors).length > 0}
                  loading={save.isPending}
                >
                  {t('save')}
                </Button>
              </>
            ) : (
              <span>{t('readOnly')}</span>
            )}
          </footer>
        </form>
      </FormContext>
    </Panel>
  );
}
