import { alarmChannel, type ChannelRow } from '@hes/contract/alarm/channel.ts';
import { alarmRecipient } from '@hes/contract/alarm/recipient.ts';
import { fill } from '@hes/contract/core/text.ts';
import { ALARM_FAILURE_TEXT } from '@hes/contract/states/alarm.ts';
import { Select } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { TestDialog } from '#kit/dialog/test-dialog.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { texts } from './messages.ts';

const EVERYTHING = { size: 500 };

/** Sends a test message to a recipient. */
export function ChannelTestDialog({ row, onClose }: DialogProps<ChannelRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const [recipientId, setRecipientId] = useState<string | null>(null);
  const recipients = useApiQuery(alarmRecipient.list, { query: EVERYTHING });
  const test = useApiMutation(alarmChannel.test);
  const { isSent, failure = null, detail } = test.data ?? {};
  const answer = detail ?? '';
  return (
    <TestDialog
      title={t('testTitle', { name: row.name })}
      about={t('testAbout', { target: row.target })}
      action={t('sendTest')}
      isReady={row.kind !== 'email' || recipientId !== null}
      test={test}
      success={isSent === true ? t('testArrived', { answer }) : null}
      failure={failure === null ? null : say(fill(ALARM_FAILURE_TEXT[failure], { detail: answer }))}
      onTest={() => test.mutate({ params: { id: row.id }, body: { recipientId } })}
      onClose={onClose}
    >
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
    </TestDialog>
  );
}
