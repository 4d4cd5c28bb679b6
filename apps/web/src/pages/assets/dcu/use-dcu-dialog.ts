import { dcu as dcus } from '@hes/contract/asset/dcu.ts';
import { App } from 'antd';
import { useCallback, useState } from 'react';
import { useApiMutation } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import type { DcuDialog, DcuRequest } from './dcu-actions.tsx';
import { texts } from './texts.ts';

/**
 * The open dialog of the page. An order without a form is sent by the click itself, and the dialog opens with its task: rendering the
 * dialog again cannot send it twice.
 */
export function useDcuDialog() {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [dialog, setDialog] = useState<DcuDialog>();
  const failure = (error: Error) => void message.error(error.message, 0);
  const { mutate: test, isPending: isTesting } = useApiMutation(dcus.test, { failure });
  const { mutate: readInfo, isPending: isReading } = useApiMutation(dcus.readInfo, { failure });
  const isSending = isTesting || isReading;
  const open = useCallback(
    (request: DcuRequest) => {
      const showRun = (title: string) => ({ onSuccess: ({ taskId }: { taskId: string }) => setDialog({ kind: 'run', taskId, title }) });
      if (request.kind !== 'test' && request.kind !== 'info') setDialog(request);
      else if (isSending) return;
      else if (request.kind === 'test') test({ params: { id: request.dcu.id } }, showRun(t('testTitle', { sn: request.dcu.sn })));
      else readInfo({ body: { ids: request.dcus.map(({ id }) => id) } }, showRun(t('infoTitle')));
    },
    [t, test, readInfo, isSending],
  );
  return { dialog, open, close: () => setDialog(undefined) };
}
