import { alarmChannel } from '@hes/contract/alarm/channel.ts';
import { alarmRecipient } from '@hes/contract/alarm/recipient.ts';
import { alarmRule, alarmRuleChange, newAlarmRule, type AlarmRuleFields, type AlarmRuleRow } from '@hes/contract/alarm/rule.ts';
import { level } from '@hes/contract/asset/level.ts';
import { event } from '@hes/contract/event/event.ts';
import { ABNORMAL_LEVEL_TEXT } from '@hes/contract/states/anomaly.ts';
import { ALARM_RULE_KIND_TEXT, ALARM_SOURCE_TEXT } from '@hes/contract/states/alarm.ts';
import { Alert } from 'antd';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { texts } from './messages.ts';
import { StepsField } from './steps-field.tsx';

const EVERYTHING = { size: 500 };
const LEVELS = { serious: ABNORMAL_LEVEL_TEXT.serious, warning: ABNORMAL_LEVEL_TEXT.warning };

const EMPTY: AlarmRuleFields = {
  name: '',
  kind: 'alarm',
  sources: ['device', 'head_end'],
  levels: ['serious'],
  codes: [],
  levelIds: [],
  activeFrom: '',
  activeTo: '',
  quietFrom: '',
  quietTo: '',
  quietBreaks: ['serious'],
  gatherSeconds: 30,
  calmMinutes: 60,
  repeatMinutes: 0,
  digestAt: '06:00',
  steps: [{ afterMinutes: 0, channelId: '', recipientIds: [] }],
};

const startOf = (row: AlarmRuleRow | undefined): AlarmRuleFields => {
  if (row === undefined) return EMPTY;
  const { id: _id, state: _state, open: _open, lastAlarmAt: _last, createdAt: _created, version: _version, ...fields } = row;
  return fields;
};

/** The names of fields, for labels and conflicts. */
function useLabels() {
  const t = useMessages(texts);
  return {
    name: t('name'),
    kind: t('kind'),
    sources: t('sources'),
    levels: t('levels'),
    codes: t('codes'),
    levelIds: t('area'),
    activeFrom: t('activeFrom'),
    activeTo: t('activeTo'),
    quietFrom: t('quietFrom'),
    quietTo: t('quietTo'),
    quietBreaks: t('quietBreaks'),
    gatherSeconds: t('gatherSeconds'),
    calmMinutes: t('calmMinutes'),
    repeatMinutes: t('repeatMinutes'),
    digestAt: t('digestAt'),
    steps: t('steps'),
  };
}

/** Saves a rule, new or changed. */
function useSave(form: ReturnType<typeof useForm<AlarmRuleFields>>, row: AlarmRuleRow | undefined, onDone: () => void) {
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(alarmRule.create, events);
  const update = useApiMutation(alarmRule.update, events);
  const save = () => {
    if (row) {
      const body = form.check(alarmRuleChange, { version: row.version });
      if (body) update.mutate({ params: { id: row.id }, body });
    } else {
      const body = form.check(newAlarmRule);
      if (body) create.mutate({ body });
    }
  };
  return { save, saving: create.isPending || update.isPending };
}

/** What a rule of the kind alarm looks for, and when it speaks. */
function AlarmFields({ form }: { form: ReturnType<typeof useForm<AlarmRuleFields>> }) {
  const t = useMessages(texts);
  const say = useSay();
  const field = formFields(form, useLabels());
  const codes = useApiQuery(event.codes);
  const codeChoices = (codes.data?.items ?? [])
    .filter(({ abnormalLevel }) => abnormalLevel !== null)
    .map(({ log, code, nameEn, nameZh }) => ({ value: `${log}:${code}`, label: `${say({ en: nameEn, zh: nameZh })} (${log}:${code})` }));
  return (
    <>
      {field.many('sources', choicesOf(ALARM_SOURCE_TEXT, say), { required: true, wide: true })}
      {field.many('levels', choicesOf(LEVELS, say), { required: true })}
      {field.choice('codes', codeChoices, { multiple: true, loading: codes.isPending, placeholder: t('allCodes'), help: t('codesHelp') })}
      {field.text('activeFrom', { placeholder: '00:00', help: t('activeHelp') })}
      {field.text('activeTo', { placeholder: '24:00' })}
      {field.text('quietFrom', { placeholder: '22:00', help: t('quietHelp') })}
      {field.text('quietTo', { placeholder: '06:00' })}
      {field.many('quietBreaks', choicesOf(LEVELS, say), { wide: true })}
      {field.number('gatherSeconds', { unit: 's', min: 0, max: 600, precision: 0, help: t('gatherHelp') })}
      {field.number('calmMinutes', { unit: 'min', min: 10, max: 10_080, precision: 0, help: t('calmHelp') })}
      {field.number('repeatMinutes', { unit: 'min', min: 0, max: 1440, precision: 0, help: t('repeatHelp') })}
    </>
  );
}

/** Adds or changes a rule. */
export function RuleForm({ row, onDone, onClose }: FormProps<AlarmRuleRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const form = useForm(startOf(row), startOf);
  const labels = useLabels();
  const levels = useApiQuery(level.list);
  const channels = useApiQuery(alarmChannel.list, { query: EVERYTHING });
  const recipients = useApiQuery(alarmRecipient.list, { query: EVERYTHING });
  const { save, saving } = useSave(form, row, onDone);
  const field = formFields(form, labels);
  const area = (levels.data?.items ?? []).map(({ id, name, code }) => ({ value: id, label: `${name} (${code})` }));
  const choicesFor = (rows: readonly { id: string; name: string }[] | undefined) =>
    (rows ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <FormDrawer
      record={`alarm-rule/${row?.id ?? 'new'}`}
      title={row ? t('editRuleTitle', { name: row.name }) : t('addRuleTitle')}
      form={form}
      labels={labels}
      saving={saving}
      onSave={save}
      onClose={onClose}
    >
      {row !== undefined && row.open > 0 ? (
        <Alert type="info" showIcon title={t('openAlarmsKeep', { count: row.open })} style={{ gridColumn: '1 / -1' }} />
      ) : null}
      {field.text('name', { required: true, autoFocus: true })}
      {field.segments('kind', choicesOf(ALARM_RULE_KIND_TEXT, say), { disabled: row !== undefined })}
      {form.values.kind === 'alarm' ? (
        <AlarmFields form={form} />
      ) : (
        field.text('digestAt', { required: true, placeholder: '06:00', help: t('digestHelp') })
      )}
      {field.choice('levelIds', area, {
        wide: true,
        multiple: true,
        loading: levels.isPending,
        placeholder: t('wholeNetwork'),
        help: t('areaHelp'),
      })}
      <StepsField
        form={form}
        label={labels.steps}
        channels={choicesFor(channels.data?.items)}
        recipients={choicesFor(recipients.data?.items)}
      />
    </FormDrawer>
  );
}
