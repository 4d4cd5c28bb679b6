import { realTime } from '@hes/contract/action/real-time.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import type { ConnectStep, GuidedOrder } from '@hes/contract/states/connecting.ts';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DeviceResults } from '#domain/device-run/device-run.tsx';
import { useItemName } from '#domain/read-values/item-names.ts';
import { Empty, Failure } from '#kit/basics/states.tsx';
import { texts } from './messages.ts';
import type { DeviceStepProps } from './step-props.ts';
import styles from './connect.module.css';

interface OrderStepProps {
  hint: string;
  /** What to do when the order failed. */
  failedHint: string;
  /** The call that places the order. */
  placing: { isPending: boolean; error: Error | null };
  device: DeviceStepProps;
  step: GuidedOrder;
  next: ConnectStep;
  onStart: () => void;
  children?: ReactNode;
}

/** A step that is one order: its hint, its button, its result live, and what to do when it failed. */
export function OrderStep({ hint, failedHint, placing, device, step, next, onStart, children }: OrderStepProps) {
  const t = useMessages(texts);
  const { progress, setUrl } = device;
  const order = progress.orders[step];
  const start = () => {
    // The result stays until the user goes on.
    setUrl({ step });
    onStart();
  };
  const isDone = order?.state === 'finished';
  return (
    <>
      <p className={styles['hint']}>{hint}</p>
      {order?.state === 'failed' || order?.state === 'expired' ? <p role="alert">{failedHint}</p> : null}
      {placing.error ? <Failure error={placing.error} /> : null}
      {order === null ? null : children}
      <div className={styles['actions']}>
        <Button
          type={isDone ? 'default' : 'primary'}
          loading={placing.isPending}
          disabled={progress.onlineStatus !== 'online'}
          onClick={start}
        >
          {t(order === null ? 'begin' : 'again')}
        </Button>
        <Button type={isDone ? 'primary' : 'default'} onClick={() => setUrl({ step: next })}>
          {t(isDone ? 'next' : 'skip')}
        </Button>
      </div>
    </>
  );
}

/** Tests the association, and shows what was negotiated. */
export function TestStep(device: DeviceStepProps) {
  const t = useMessages(texts);
  const { kind, progress, onChanged } = device;
  const ofDcu = useApiMutation(dcu.test, { success: onChanged });
  const ofMeter = useApiMutation(meter.test, { success: onChanged });
  const test = kind === 'dcu' ? ofDcu : ofMeter;
  const last = progress.orders.test;
  return (
    <OrderStep
      hint={t('testHint')}
      failedHint={t('testFailedHint')}
      placing={test}
      device={device}
      step="test"
      next="check"
      onStart={() => test.mutate({ params: { id: progress.id } })}
    >
      {last ? <DeviceResults taskId={last.taskId} /> : null}
    </OrderStep>
  );
}

/** Reads the energy registers of one meter, with the bytes that were exchanged. */
export function ValueStep(device: DeviceStepProps) {
  const t = useMessages(texts);
  const nameOf = useItemName();
  const { progress, onChanged } = device;
  const read = useApiMutation(realTime.order, { success: onChanged });
  const { meter: first } = progress;
  const last = progress.orders.value;
  if (first === null) return <Empty text={t('noMeterYet')} />;
  return (
    <OrderStep
      hint={t('valueHint', { sn: first.sn })}
      failedHint={t('valueFailedHint')}
      placing={read}
      device={device}
      step="value"
      next="plan"
      onStart={() => read.mutate({ body: { meterIds: [first.id], groups: ['energy', 'clock'], store: true } })}
    >
      {last ? <DeviceResults taskId={last.taskId} nameOf={nameOf} /> : null}
    </OrderStep>
  );
}
