import { dcuType } from '@hes/contract/asset/dcu-type.ts';
import { meterType } from '@hes/contract/asset/meter-type.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ConformanceResult } from '#domain/type-checks/conformance-result.tsx';
import { LearntResult } from '#domain/type-checks/learnt-result.tsx';
import { texts } from './messages.ts';
import { OrderStep } from './order-steps.tsx';
import type { DeviceStepProps } from './step-props.ts';

/** Checks a DCU against the profile of its type. */
function DcuCheck(device: DeviceStepProps) {
  const t = useMessages(texts);
  const { progress, onChanged } = device;
  const check = useApiMutation(dcuType.conformance, { success: onChanged });
  const last = progress.orders.check;
  return (
    <OrderStep
      hint={t('checkHintDcu')}
      failedHint={t('checkFailedHint')}
      placing={check}
      device={device}
      step="check"
      next="meters"
      onStart={() => check.mutate({ params: { id: progress.typeId }, body: { dcuId: progress.id } })}
    >
      {last ? <ConformanceResult taskId={last.taskId} /> : null}
    </OrderStep>
  );
}

/** Compares the objects of a direct meter with the template of its type, and makes a template of them. */
function MeterCheck(device: DeviceStepProps) {
  const t = useMessages(texts);
  const { progress, setUrl, onChanged } = device;
  const type = useApiQuery(meterType.get, { params: { id: progress.typeId } });
  const learn = useApiMutation(meterType.learn, { success: onChanged });
  const last = progress.orders.check;
  const taken = () => {
    void type.refetch();
    setUrl({ step: 'value' });
  };
  return (
    <OrderStep
      hint={t('checkHintMeter')}
      failedHint={t('checkFailedHint')}
      placing={learn}
      device={device}
      step="check"
      next="value"
      onStart={() => learn.mutate({ params: { id: progress.typeId }, body: { meterId: progress.id } })}
    >
      {last && type.data ? <LearntResult key={last.taskId} type={type.data} taskId={last.taskId} onTaken={taken} /> : null}
    </OrderStep>
  );
}

export const CheckStep = (props: DeviceStepProps) => (props.kind === 'dcu' ? <DcuCheck {...props} /> : <MeterCheck {...props} />);
