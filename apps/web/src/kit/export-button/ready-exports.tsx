import type { LiveMessage } from '@hes/contract/core/live.ts';
import { exportFile } from '@hes/contract/transfer/export.ts';
import { App, Button } from 'antd';
import { useEffect, useRef } from 'react';
import { download } from '#core/files/download.ts';
import { failureText } from '#core/api/errors.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';

export type Ready = Extract<LiveMessage, { type: 'export.ready' }>;

/** Announces each finished long export of the user once, on every page. Mounted once, in the shell. */
export function ReadyExports({ exports }: { exports: readonly Ready[] }) {
  const t = useMessages(messages);
  const { notification, message } = App.useApp();
  const announcedCount = useRef(0);
  useEffect(() => {
    const announce = ({ id, data }: Ready) => {
      const isReady = data.state === 'ready';
      const save = () =>
        download(exportFile.file, { params: { id } }).then(
          () => notification.destroy(id),
          (error: unknown) => void message.error(failureText(error), 0),
        );
      notification[isReady ? 'success' : 'error']({
        key: id,
        duration: 0,
        title: t(isReady ? 'ready' : 'failed'),
        description: isReady ? t('readyText', { name: data.fileName, rows: data.rows }) : t('failedText', { name: data.fileName }),
        ...(isReady
          ? {
              actions: (
                <Button type="primary" size="small" onClick={() => void save()}>
                  {t('download')}
                </Button>
              ),
            }
          : {}),
      });
    };
    exports.slice(announcedCount.current).forEach(announce);
    announcedCount.current = exports.length;
  }, [exports, t, notification, message]);
  return null;
}
