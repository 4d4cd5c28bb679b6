import { clock, type ClockOperation, type ClockOrder } from '@hes/contract/action/clock.ts';
import type { DeviceRef } from '@hes/contract/action/device-order.ts';
import { Alert, Button, Checkbox, Input, Modal, Segmented, Select } from 'antd';
import { Clock } from 'lucide-react';
import { useId, useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import styles from './clock-dialog.module.css';
import shared from './order-dialog.module.css';
import { clockOrderTexts } from './clock-order.messages.ts';

const WIDTH = 560;
const REASON_MAX = 256;
const WAITS = [0, 1, 8, 24, 72];
const METHODS = ['auto', 'shift', 'set'] as const;

interface ClockDialogProps {
  operation: Exclude<ClockOperation, 'read'>;
  devices: DeviceRef[];
  /** Number of devices known to deviate by more than the limit. */
  jumping: number;
  limitS: number;
  onClose: () => void;
  onStarted: (taskId: string) => void;
}

/** Method, reason, and consent to a time jump in the load profiles. */
export function ClockDialog({ operation, devices, jumping, limitS, onClose, onStarted }: ClockDialogProps) {
  const t = useMessages(clockOrderTexts);
  const id = useId();
  const [method, setMethod] = useState<ClockOrder['method']>('auto');
  const [waitHours, setWaitHours] = useState(0);
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const [isConfirmed, setConfirmed] = useState(false);
  const order = useApiMutation(clock.order, { success: ({ taskId }) => onStarted(taskId) });
  const send = () => {
    if (reason.trim() === '') setMissing(true);
    else order.mutate({ body: { devices, operation, method, waitHours, reason, isConfirmed } });
  };
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={operation === 'sync' ? t('syncTitle', { count: devices.length }) : t('broadcastTitle')}
      onCancel={onClose}
      footer={
        <div className={shared['footer']}>
          <span>{t('recorded')}</span>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="primary" icon={<Clock size={14} aria-hidden="true" />} loading={order.isPending} onClick={send}>
            {t(operation)}
          </Button>
        </div>
      }
    >
      <div className={styles['form']}>
        {operation === 'broadcast' ? <p className={styles['hint']}>{t('broadcastHint')}</p> : null}
        <div>
          <span className={styles['label']}>{t('method')}</span>
          <Segmented
            aria-label={t('method')}
            value={method}
            options={METHODS.map((value) => ({ value, label: t(value) }))}
            onChange={(value) => setMethod(value)}
          />
          <p className={styles['hint']}>{t('methodHint')}</p>
        </div>
        <div>
          <label className={styles['label']} htmlFor={`${id}-wait`}>
            {t('offline')}
          </label>
          <Select
            id={`${id}-wait`}
            className={styles['wait'] ?? ''}
            value={waitHours}
            options={WAITS.map((hours) => ({ value: hours, label: hours === 0 ? t('failNow') : t('waitHours', { hours }) }))}
            onChange={(value) => setWaitHours(value)}
          />
        </div>
        <div>
          <label className={styles['label']} htmlFor={`${id}-reason`}>
            {t('reason')}
          </label>
          <Input
            id={`${id}-reason`}
            autoFocus
            maxLength={REASON_MAX}
            value={reason}
            status={isMissing ? 'error' : ''}
            aria-invalid={isMissing}
            aria-describedby={`${id}-missing`}
            onChange={(event) => {
              setReason(event.target.value);
              setMissing(false);
            }}
            onPressEnter={send}
          />
          <p id={`${id}-missing`} className={shared['missing']}>
            {isMissing ? t('reasonMissing') : null}
          </p>
        </div>
        {jumping > 0 ? (
          <Alert
            type="warning"
            showIcon
            title={t('jump', { count: jumping, limit: limitS })}
            description={
              <Checkbox checked={isConfirmed} onChange={(event) => setConfirmed(event.target.checked)}>
                {t('confirmJump')}
              </Checkbox>
            }
          />
        ) : null}
        {order.error ? <Alert type="error" showIcon title={order.error.message} role="alert" /> : null}
      </div>
    </Modal>
  );
}
