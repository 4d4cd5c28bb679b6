import type { AlarmRuleFields, AlarmStep } from '@hes/contract/alarm/rule.ts';
import { Button, InputNumber, Select } from 'antd';
import { Plus, Trash2 } from 'lucide-react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Field } from '#kit/form/field.tsx';
import type { Form } from '#kit/form/use-form.ts';
import styles from './steps.module.css';
import { texts } from './messages.ts';

const MAX_STEPS = 5;
const MAX_MINUTES = 1440;
const NEXT_MINUTES = 15;
const UNIT = 'min';

interface Choice {
  value: string;
  label: string;
}

interface StepProps {
  step: AlarmStep;
  number: number;
  channels: Choice[];
  recipients: Choice[];
  onChange: (change: Partial<AlarmStep>) => void;
  /** Undefined: the only step. */
  onRemove: (() => void) | undefined;
}

function Step({ step, number, channels, recipients, onChange, onRemove }: StepProps) {
  const t = useMessages(texts);
  const of = (label: string) => `${label}, ${t('stepNumber', { number })}`;
  return (
    <div className={styles['step']} role="group" aria-label={t('stepNumber', { number })}>
      <InputNumber<number>
        aria-label={of(t('afterMinutes'))}
        min={0}
        max={MAX_MINUTES}
        precision={0}
        controls={false}
        suffix={UNIT}
        value={step.afterMinutes}
        onChange={(value) => onChange({ afterMinutes: value ?? 0 })}
      />
      <Select
        aria-label={of(t('channel'))}
        placeholder={t('channel')}
        options={channels}
        value={step.channelId === '' ? null : step.channelId}
        onChange={(channelId) => onChange({ channelId: channelId ?? '' })}
      />
      <Select
        mode="multiple"
        aria-label={of(t('recipients'))}
        placeholder={t('recipients')}
        options={recipients}
        showSearch={{ optionFilterProp: 'label' }}
        value={step.recipientIds}
        onChange={(recipientIds) => onChange({ recipientIds })}
      />
      <Button
        type="text"
        aria-label={of(t('removeStep'))}
        disabled={onRemove === undefined}
        icon={<Trash2 size={15} aria-hidden="true" />}
        {...(onRemove ? { onClick: onRemove } : {})}
      />
    </div>
  );
}

interface StepsProps {
  form: Form<AlarmRuleFields>;
  label: string;
  channels: Choice[];
  recipients: Choice[];
}

/** The steps of a rule: minutes, channel and recipients. */
export function StepsField({ form, label, channels, recipients }: StepsProps) {
  const t = useMessages(texts);
  const { steps, kind } = form.values;
  const names = new Map([...channels, ...recipients].map((choice) => [choice.value, choice.label]));
  form.words.set(
    'steps',
    (value) => (value as AlarmStep[]).map((step) => `${step.afterMinutes} min ${names.get(step.channelId) ?? ''}`).join(', '), // as: the values of this very field
  );
  const set = (next: AlarmStep[]) => form.set({ steps: next });
  const add = () => set([...steps, { afterMinutes: (steps.at(-1)?.afterMinutes ?? 0) + NEXT_MINUTES, channelId: '', recipientIds: [] }]);
  return (
    <Field name="steps" label={label} required wide help={t('stepsHelp')}>
      {({ id }) => (
        <div id={id} className={styles['steps']}>
          {(kind === 'digest' ? steps.slice(0, 1) : steps).map((step, index) => (
            <Step
              key={index}
              {...{ step, channels, recipients }}
              number={index + 1}
              onChange={(change) => set(steps.map((each, at) => (at === index ? { ...each, ...change } : each)))}
              onRemove={steps.length === 1 ? undefined : () => set(steps.filter((_, at) => at !== index))}
            />
          ))}
          {kind === 'alarm' && steps.length < MAX_STEPS ? (
            <Button icon={<Plus size={15} aria-hidden="true" />} onClick={add}>
              {t('addStep')}
            </Button>
          ) : null}
        </div>
      )}
    </Field>
  );
}
