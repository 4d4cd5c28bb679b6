import { alarm } from '@hes/contract/alarm/alarm.ts';
import { Alert, Button, Modal } from 'antd';
import { failureText } from '#core/api/errors.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { texts } from './messages.ts';

/** Asks whether the alarm of a link is acknowledged: opening the link alone changes nothing. */
export function AcknowledgeDialog({ link, onClose }: { link: string; onClose: () => void }) {
  const t = useMessages(texts);
  const acknowledge = useApiMutation(alarm.acknowledgeByLink);
  const { data, error } = acknowledge;
  return (
    <Modal
      open
      centered
      title={t('acknowledgeTitle')}
      onCancel={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('close')}</Button>
          {data === undefined ? (
            <Button type="primary" loading={acknowledge.isPending} onClick={() => acknowledge.mutate({ body: { link } })}>
              {t('acknowledge')}
            </Button>
          ) : null}
        </>
      }
    >
      {data === undefined ? <p>{t('acknowledgeEffect')}</p> : null}
      {error ? <Alert showIcon type="error" role="alert" title={failureText(error)} /> : null}
      {data ? <Alert showIcon type="success" role="status" title={t('acknowledgedBy', { name: data.ruleName })} /> : null}
    </Modal>
  );
}
