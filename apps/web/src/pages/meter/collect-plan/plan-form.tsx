import { pick, type Text } from '@hes/contract/core/text.ts';
import { newPlan, plan as plans, planChange, type PlanRow } from '@hes/contract/reading/plan.ts';
import { reading } from '@hes/contract/reading/reading.ts';
import {
  PLAN_EXECUTION_TEXT,
  PLAN_TARGET_TEXT,
  PLAN_TYPE_TEXT,
  executionsOf,
  TYPES_WITH_DAYS,
  TYPES_WITH_ITEMS,
  type PlanTarget,
} from '@hes/contract/states/plan.ts';
import { Button, Input } from 'antd';
import { CalendarClock } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { Field } from '#kit/form/field.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import { ScheduleBuilder } from '#domain/schedule-builder/schedule-builder.tsx';
import { texts } from './messages.ts';
import { draftOf, newDraft, type PlanDraft } from './plan-draft.ts';
import styles from './plan.module.css';
import { PlanCost } from './plan-cost.tsx';
import { usePlanPreview, useSentence } from './use-plan-preview.ts';

interface PlanFormProps extends FormProps<PlanRow> {
  /** Values of a new plan. */
  start?: PlanDraft;
}

/** Adds or changes a plan; shows its estimated cost while the user edits. */
export function PlanForm({ row, start: given, onDone, onClose }: PlanFormProps) {
  const t = useMessages(texts);
  const say = useSay();
  const [start] = useState(() => (row ? draftOf(row) : (given ?? newDraft())));
  const form = useForm(start, draftOf);
  const [isBuilding, setBuilding] = useState(false);
  const { values, set } = form;
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(plans.create, events);
  const update = useApiMutation(plans.update, events);
  const preview = usePlanPreview(row?.id, values);
  const sentence = useSentence(values.schedule);
  const save = () => {
    if (row) {
      const body = form.check(planChange, { version: row.version });
      if (body) update.mutate({ params: { id: row.id }, body });
    } else {
      const body = form.check(newPlan);
      if (body) create.mutate({ body });
    }
  };
  const labels = {
    name: t('name'),
    type: t('type'),
    targetKind: t('targetKind'),
    targetIds: t('targets'),
    items: t('items'),
    schedule: t('schedule'),
    lookBackDays: t('lookBack'),
    execution: t('execution'),
    windowFrom: `${t('window')}: ${t('windowFrom')}`,
    windowTo: `${t('window')}: ${t('windowTo')}`,
    retryCount: t('retryCount'),
    retryIntervalMinutes: t('retryInterval'),
    priority: t('priority'),
    enabled: t('enabled'),
  };
  const fields = formFields(form, labels);
  const { found, names, setSearch } = useTargets(values.targetKind, values.targetIds);
  const items = useItems();
  const limited = <K extends string>(table: Record<K, Text>, possible: readonly string[]) =>
    choicesOf(table, say).map((choice) =>
      possible.includes(choice.value) ? choice : { ...choice, label: `${choice.label} · ${t('onlyCached')}`, disabled: true },
    );
  return (
    <FormDrawer
      record={`plan/${row?.id ?? `new/${start.type}/${start.schedule}/${start.targetIds.join()}`}`}
      title={row ? `${t('edit')} · ${row.name}` : t('add')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
      size={860}
    >
      {fields.text('name', { required: true, autoFocus: true })}
      {fields.choice('type', choicesOf(PLAN_TYPE_TEXT, say), { required: true })}
      <Field name="schedule" label={labels.schedule} required wide help={sentence}>
        {(control) => (
          <span className={styles['schedule']}>
            <Input {...control} readOnly className="mono" value={values.schedule} onClick={() => setBuilding(true)} />
            <Button icon={<CalendarClock size={15} aria-hidden="true" />} onClick={() => setBuilding(true)}>
              {t('build')}
            </Button>
          </span>
        )}
      </Field>
      {fields.choice('targetKind', choicesOf(PLAN_TARGET_TEXT, say), {
        required: true,
        onChoose: (targetKind: PlanTarget) => set({ targetKind, targetIds: [] }),
      })}
      {values.targetKind === 'all' ? (
        <Field name="targetIds" label={labels.targetIds}>
          {({ id }) => <Input id={id} disabled value={say(PLAN_TARGET_TEXT.all)} />}
        </Field>
      ) : (
        fields.choice(
          'targetIds',
          [...names].map(([value, name]) => ({ value, label: name })),
          { required: true, multiple: true, loading: found.isFetching, onSearch: setSearch },
        )
      )}
      {TYPES_WITH_ITEMS.includes(values.type) ? fields.choice('items', items, { required: true, wide: true, multiple: true }) : null}
      {TYPES_WITH_DAYS.includes(values.type)
        ? fields.number('lookBackDays', { required: true, unit: t('days'), precision: 0, help: t('lookBackHelp') })
        : null}
      {fields.choice('execution', limited(PLAN_EXECUTION_TEXT, executionsOf(values.type)), {
        required: true,
        help: values.execution === 'dcu_task' ? t('dcuTaskHelp') : undefined,
      })}
      {fields.text('windowFrom', { ...time, help: t(values.windowFrom === null ? 'anyTime' : 'windowHelp') })}
      {fields.text('windowTo', { ...time, help: values.windowTo === null ? t('anyTime') : undefined })}
      {fields.number('retryCount', { precision: 0, help: values.retryCount === null ? t('automatic') : undefined })}
      {fields.number('retryIntervalMinutes', { unit: t('minutes'), precision: 0 })}
      {fields.number('priority', { required: true, precision: 0, help: t('priorityHelp') })}
      {fields.flag('enabled', t('enabledHelp'))}
      <div className={styles['cost']}>
        <PlanCost query={preview} />
      </div>
      {isBuilding ? (
        <ScheduleBuilder
          about={`${t('title')} · ${values.name || t('add')}`}
          expression={values.schedule}
          settings={values.scheduleSettings}
          onSave={(schedule, scheduleSettings) => set({ schedule, scheduleSettings })}
          onClose={() => setBuilding(false)}
        />
      ) : null}
    </FormDrawer>
  );
}

/** A time of day such as `00:30`; empty for none. */
const time = { mono: true, placeholder: '00:30', max: 5, as: (typed: string) => typed.trim() || null };

/** Objects of one kind whose name or number is searched, and the chosen ones. */
function useTargets(kind: PlanTarget, ids: readonly string[]) {
  const [search, setSearch] = useState('');
  const chosen = useApiQuery(plans.choices, { query: { kind, ids: ids.join(',') }, enabled: ids.length > 0, keep: true });
  const found = useApiQuery(plans.choices, { query: { kind, search: search.slice(0, 64) }, keep: true });
  const names = new Map([...(found.data?.items ?? []), ...(chosen.data?.items ?? [])].map((choice) => [choice.id, choice.name]));
  return { found, names, setSearch };
}

function useItems() {
  const locale = usePreferences((state) => state.locale);
  const known = useApiQuery(reading.obis);
  return (known.data?.items ?? [])
    .filter((item) => item.classId !== 7)
    .map((item) => ({ value: item.key, label: pick({ en: item.nameEn, zh: item.nameZh }, locale) }));
}
