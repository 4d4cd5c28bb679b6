import { sender, type SenderRow } from '@hes/contract/delivery/sender.ts';
import { Alert, Button, Modal } from 'antd';
import { failureText } from '#core/api/errors.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { DialogProps } from '#kit/list/action.ts';
import { failureOf } from './failure.ts';
import { texts } from './messages.ts';

/** Sends a test message, and says what the receiver did with it. */
export function TestDialog({ row, onClose }: DialogProps<SenderRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const test = useApiMutation(sender.test);
  const { data } = test;
  return (
    <Modal
      open
      centered
      title={t('testTitle', { name: row.name })}
      onCancel={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('close')}</Button>
          <Button type="primary" loading={test.isPending} onClick={() => test.mutate({ params: { id: row.id } })}>
            {t('sendTest')}
          </Button>
        </>
      }
    >
      <p>{t('testAbout', { target: row.target })}</p>
      {test.error ? <Alert showIcon type="error" role="alert" title={failureText(test.error)} /> : null}
      {data?.isDelivered === true ? <Alert showIcon type="success" role="status" title={t('testArrived')} /> : null}
      {data && data.failure !== null ? (
        <Alert showIcon type="error" role="alert" title={say(failureOf(data.failure, data.detail))} />
      ) : null}
    </Modal>
  );
}
