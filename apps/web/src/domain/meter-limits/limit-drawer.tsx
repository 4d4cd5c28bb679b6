import { anomaly, meterLimit, type LimitRow } from '@hes/contract/analysis/anomaly.ts';
import { App } from 'antd';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { LoadedDrawer } from '#kit/form/loaded-drawer.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
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
  const field = formFields(form, labels);
  const limits = { wide: true, min: 0, precision: DECIMALS };
  const plate = limit.plateKwh === null ? undefined : figure(limit.plateKwh, 1);
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
      {field.number('upperKwh', {
        ...limits,
        help: plate === undefined ? t('upperUnknown') : t('upperPlate', { kwh: plate }),
        placeholder: plate ?? '',
      })}
      {field.number('lowerKwh', { ...limits, help: t('lowerDefault', { days: limit.lowerLimitDays }) })}
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
