import { DAILY_REGISTERS, type RegisterKey } from '@hes/contract/reading/quantities.ts';
import { manualReading, reading, type ManualReading } from '@hes/contract/reading/reading.ts';
import { App } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { formFields } from '#kit/form/form-fields.tsx';
import { texts } from './columns.tsx';

interface ManualFormProps {
  meterId: string;
  /** Proposed. */
  day: string;
  onDone: () => void;
  onClose: () => void;
}

type Draft = Omit<ManualReading, 'ePlus'> & { ePlus: number | null };

const REGISTERS = DAILY_REGISTERS.map(({ key }) => key);
const PRECISION = 4;
const NO_VALUES = Object.fromEntries(REGISTERS.map((register) => [register, null])) as Record<RegisterKey, null>; // as: of these very keys

/** Values that a user read from the display of a meter. */
export function ManualForm({ meterId, day, onDone, onClose }: ManualFormProps) {
  const t = useMessages(texts);
  const say = useSay();
  const { message } = App.useApp();
  const form = useForm<Draft>({ meterId, date: day, ...NO_VALUES, rollover: false, reason: '' });
  const enter = useApiMutation(reading.enter, {
    success: () => {
      void message.success(t('entered'));
      onDone();
    },
    failure: form.refuse,
  });
  const labels = {
    date: t('enterDay'),
    ...Object.fromEntries(DAILY_REGISTERS.map(({ key, label }) => [key, say(label)])),
    rollover: t('rollover'),
    reason: t('enterReason'),
  };
  const fields = formFields(form, labels);
  const save = () => {
    const body = form.check(manualReading);
    if (body) enter.mutate({ body });
  };
  return (
    <FormDrawer
      record={`manual-reading/${meterId}`}
      title={t('enterTitle')}
      form={form}
      labels={labels}
      saving={enter.isPending}
      onSave={save}
      onClose={onClose}
      size={720}
    >
      {fields.date('date', { required: true, wide: true, help: t('enterDayHelp') })}
      {REGISTERS.map((register) => (
        <span key={register} style={{ display: 'contents' }}>
          {fields.number(register, { required: register === 'ePlus', unit: 'kWh', precision: PRECISION })}
        </span>
      ))}
      {fields.text('reason', { required: true, wide: true, placeholder: t('enterReasonHint') })}
      {fields.flag('rollover', t('rolloverText'))}
    </FormDrawer>
  );
}
