import { anomaly, meterLimit, type LimitRow } from '@hes/contract/analysis/anomaly.ts';
import { App, InputNumber } from 'antd';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { Field } from '#kit/form/field.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { LoadedDrawer } from '#kit/form/loaded-drawer.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { texts } from './messages.ts';

const SIZE_PX = 520;
const DECIMALS = 4;
const filledFrom = ({ upperKwh, lowerKwh }: Pick<LimitRow, 'upperKwh' | 'lowerKwh'>) => ({ upperKwh, lowerKwh });

interface Props {
  onClose: () => void;
  onDone: () => void;
}

function LimitForm({ limit, onClose, onDone }: Props & { limit: LimitRow }) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const form = useForm(filledFrom(limit), filledFrom);
  const save = useApiMutation(anomaly.setLimit, {
    success: () => {
      void message.success(t('saved'));
      onDone();
    },
    failure: form.refuse,
  });
  const labels = { upperKwh: t('upper'), lowerKwh: t('lower') };
  const helps = {
    upperKwh: limit.plateKwh === null ? t('upperUnknown') : t('upperPlate', { kwh: figure(limit.plateKwh, 1) }),
    lowerKwh: t('lowerDefault', { days: limit.lowerLimitDays }),
  };
  return (
    <FormDrawer
      record={`meter-limit/${limit.meterId}`}
      title={t('title', { sn: limit.sn })}
      form={form}
      labels={labels}
      saving={save.isPending}
      size={SIZE_PX}
      note={t('note')}
      onClose={onClose}
      onSave={() => {
        const body = form.check(meterLimit, { version: limit.version });
        if (body) save.mutate({ params: { id: limit.meterId }, body });
      }}
    >
      {(['upperKwh', 'lowerKwh'] as const).map((name) => (
        <Field key={name} name={name} label={labels[name]} help={helps[name]} wide>
          {(control) => (
            <InputNumber
              {...control}
              min={0}
              precision={DECIMALS}
              style={{ width: '100%' }}
              placeholder={name === 'upperKwh' && limit.plateKwh !== null ? figure(limit.plateKwh, 1) : ''}
              value={form.values[name]}
              onChange={(value) => form.set({ [name]: value })}
            />
          )}
        </Field>
      ))}
    </FormDrawer>
  );
}

/** Edits the limits within which a day of a meter counts as normal. */
export function LimitDrawer({ meterId, ...props }: Props & { meterId: string }) {
  const t = useMessages(texts);
  return (
    <LoadedDrawer
      query={useApiQuery(anomaly.limit, { params: { id: meterId } })}
      title={t('limits')}
      size={SIZE_PX}
      onClose={props.onClose}
    >
      {(limit) => <LimitForm {...props} limit={limit} />}
    </LoadedDrawer>
  );
}
