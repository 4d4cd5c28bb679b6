import { alarmChannel, type ChannelRow } from '@hes/contract/alarm/channel.ts';
import { alarmRecipient } from '@hes/contract/alarm/recipient.ts';
import { fill } from '@hes/contract/core/text.ts';
import { ALARM_FAILURE_TEXT } from '@hes/contract/states/alarm.ts';
import { Alert, Button, Modal, Select } from 'antd';
import { useState } from 'react';
import { failureText } from '#core/api/errors.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { DialogProps } from '#kit/list/action.ts';
import { texts } from './messages.ts';

const EVERYTHING = { size: 500 };

/** Sends a test message to a recipient, and says what the server did with it. */
export function ChannelTestDialog({ row, onClose }: DialogProps<ChannelRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const [recipientId, setRecipientId] = useState<string | null>(null);
  const recipients = useApiQuery(alarmRecipient.list, { query: EVERYTHING });
  const test = useApiMutation(alarmChannel.test);
  const { data } = test;
  const send = () => test.mutate({ params: { id: row.id }, body: { recipientId } });
  return (
    <Modal
      open
      centered
      title={t('testTitle', { name: row.name })}
      onCancel={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('close')}</Button>
          <Button type="primary" loading={test.isPending} disabled={row.kind === 'email' && recipientId === null} onClick={send}>
            {t('sendTest')}
          </Button>
        </>
      }
    >
      <p>{t('testAbout', { target: row.target })}</p>
      <Select
        style={{ width: '100%' }}
        aria-label={t('recipient')}
        placeholder={t('recipient')}
        allowClear
        loading={recipients.isPending}
        options={(recipients.data?.items ?? []).map(({ id, name, email, phone }) => ({
          value: id,
          label: `${name} (${email ?? phone ?? ''})`,
        }))}
        value={recipientId}
        onChange={(value) => setRecipientId(value ?? null)}
      />
      {test.error ? <Alert showIcon type="error" role="alert" title={failureText(test.error)} /> : null}
      {data?.isSent === true ? (
        <Alert showIcon type="success" role="status" title={t('testArrived', { answer: data.detail ?? '' })} />
      ) : null}
      {data && data.failure !== null ? (
        <Alert showIcon type="error" role="alert" title={say(fill(ALARM_FAILURE_TEXT[data.failure], { detail: data.detail ?? '' }))} />
      ) : null}
    </Modal>
  );
}
