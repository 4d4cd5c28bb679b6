import { realTime } from '@hes/contract/action/real-time.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import type { GuidedOrder } from '@hes/contract/states/connecting.ts';
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
  /** The last order of this step; null: none yet. */
  order: DeviceStepProps['progress']['orders'][GuidedOrder];
  isStarting: boolean;
  error: Error | null;
  isBlocked: boolean;
  onStart: () => void;
  onNext: () => void;
  children?: ReactNode;
}

/** A step that is one order: its hint, its button, its result live, and what to do when it failed. */
export function OrderStep({ hint, failedHint, order, isStarting, error, isBlocked, onStart, onNext, children }: OrderStepProps) {
  const t = useMessages(texts);
  const isDone = order?.state === 'finished';
  return (
    <>
      <p className={styles['hint']}>{hint}</p>
      {order?.state === 'failed' || order?.state === 'expired' ? <p role="alert">{failedHint}</p> : null}
      {error ? <Failure error={error} /> : null}
      {order === null ? null : children}
      <div className={styles['actions']}>
        <Button type={isDone ? 'default' : 'primary'} loading={isStarting} disabled={isBlocked} onClick={onStart}>
          {t(order === null ? 'begin' : 'again')}
        </Button>
        <Button type={isDone ? 'primary' : 'default'} onClick={onNext}>
          {t(isDone ? 'next' : 'skip')}
        </Button>
      </div>
    </>
  );
}

/** Tests the association, and shows what was negotiated. */
export function TestStep({ kind, progress, setUrl, onChanged }: DeviceStepProps) {
  const t = useMessages(texts);
  const ofDcu = useApiMutation(dcu.test, { success: onChanged });
  const ofMeter = useApiMutation(meter.test, { success: onChanged });
  const order = kind === 'dcu' ? ofDcu : ofMeter;
  const last = progress.orders.test;
  return (
    <OrderStep
      hint={t('testHint')}
      failedHint={t('testFailedHint')}
      order={last}
      isStarting={order.isPending}
      error={order.error}
      isBlocked={progress.onlineStatus !== 'online'}
      onStart={() => {
        // The result stays until the user goes on.
        setUrl({ step: 'test' });
        order.mutate({ params: { id: progress.id } });
      }}
      onNext={() => setUrl({ step: 'check' })}
    >
      {last ? <DeviceResults taskId={last.taskId} /> : null}
    </OrderStep>
  );
}

/** Reads the energy registers of one meter, with the bytes that were exchanged. */
export function ValueStep({ progress, setUrl, onChanged }: DeviceStepProps) {
  const t = useMessages(texts);
  const nameOf = useItemName();
  const read = useApiMutation(realTime.order, { success: onChanged });
  const { meter: first } = progress;
  const last = progress.orders.value;
  if (first === null) return <Empty text={t('noMeterYet')} />;
  return (
    <OrderStep
      hint={t('valueHint', { sn: first.sn })}
      failedHint={t('valueFailedHint')}
      order={last}
      isStarting={read.isPending}
      error={read.error}
      isBlocked={progress.onlineStatus !== 'online'}
      onStart={() => {
        setUrl({ step: 'value' });
        read.mutate({ body: { meterIds: [first.id], groups: ['energy', 'clock'], store: true } });
      }}
      onNext={() => setUrl({ step: 'plan' })}
    >
      {last ? <DeviceResults taskId={last.taskId} nameOf={nameOf} /> : null}
    </OrderStep>
  );
}
