import { sender, type SenderRow } from '@hes/contract/delivery/sender.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { TestDialog } from '#kit/dialog/test-dialog.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { failureOf } from './failure.ts';
import { texts } from './messages.ts';

/** Sends a test message, and says what the receiver did with it. */
export function SenderTestDialog({ row, onClose }: DialogProps<SenderRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const test = useApiMutation(sender.test);
  const { isDelivered, failure = null, detail = null } = test.data ?? {};
  return (
    <TestDialog
      title={t('testTitle', { name: row.name })}
      about={t('testAbout', { target: row.target })}
      action={t('sendTest')}
      test={test}
      success={isDelivered === true ? t('testArrived') : null}
      failure={failure === null ? null : say(failureOf(failure, detail))}
      onTest={() => test.mutate({ params: { id: row.id } })}
      onClose={onClose}
    />
  );
}
