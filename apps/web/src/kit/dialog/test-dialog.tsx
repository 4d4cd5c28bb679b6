import { Alert, Button, Modal } from 'antd';
import type { ReactNode } from 'react';
import { failureText } from '#core/api/errors.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';

interface TestDialogProps {
  title: string;
  /** Where the test leads. */
  about: string;
  /** Verb and object. */
  action: string;
  /** False while a choice is missing. */
  isReady?: boolean;
  /** The call that tests. */
  test: { isPending: boolean; error: Error | null };
  /** In words; null: the test was not successful, or not made. */
  success: string | null;
  /** In words; null: the test did not fail, or was not made. */
  failure: string | null;
  onTest: () => void;
  onClose: () => void;
  /** Choices before the test. */
  children?: ReactNode;
}

/** Tests a way to another system, and says what came of it. The dialog stays, for another attempt. */
export function TestDialog({ title, about, action, isReady = true, test, success, failure, onTest, onClose, children }: TestDialogProps) {
  const t = useMessages(common);
  const refusal = test.error === null ? failure : failureText(test.error);
  return (
    <Modal
      open
      centered
      title={title}
      onCancel={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('close')}</Button>
          <Button type="primary" loading={test.isPending} disabled={!isReady} onClick={onTest}>
            {action}
          </Button>
        </>
      }
    >
      <p>{about}</p>
      {children}
      {refusal === null ? null : <Alert showIcon type="error" role="alert" title={refusal} />}
      {success === null ? null : <Alert showIcon type="success" role="status" title={success} />}
    </Modal>
  );
}
