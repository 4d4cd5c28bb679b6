import type { UpgradeWindow } from '@hes/contract/upgrade/job.ts';
import type { UpgradeRetry } from '@hes/contract/upgrade/record.ts';
import { Alert, Modal, Radio } from 'antd';
import { useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { WindowChoice } from '#domain/upgrade-job/window-choice.tsx';
import { texts } from './messages.ts';
import styles from './detail.module.css';

interface RetryDialogProps {
  count: number;
  busy: boolean;
  /** The refusal of the server. */
  failure: string | undefined;
  onRetry: (how: Pick<UpgradeRetry, 'from' | 'window'>) => void;
  onClose: () => void;
}

/** Retries failed devices: from the current block or from the start, and in which hours. */
export function RetryDialog({ count, busy, failure, onRetry, onClose }: RetryDialogProps) {
  const t = useMessages(texts);
  const [from, setFrom] = useState<UpgradeRetry['from']>('resume');
  const [window, setWindow] = useState<UpgradeWindow | null>();
  return (
    <Modal
      open
      centered
      title={t('retryTitle', { count })}
      okText={t('retryNow')}
      cancelText={t('cancel')}
      confirmLoading={busy}
      onOk={() => onRetry({ from, window })}
      onCancel={onClose}
    >
      <div className={styles['options']}>
        <div role="group" aria-label={t('retryFrom')}>
          <b>{t('retryFrom')}</b>
          <Radio.Group
            value={from}
            options={[
              { value: 'resume', label: t('retryResume') },
              { value: 'start', label: t('retryStart') },
            ]}
            onChange={(event) => setFrom(event.target.value === 'start' ? 'start' : 'resume')}
          />
        </div>
        <div role="group" aria-label={t('retryWindow')}>
          <b>{t('retryWindow')}</b>
          <Radio.Group
            value={window === undefined ? 'keep' : 'new'}
            options={[
              { value: 'keep', label: t('keepWindow') },
              { value: 'new', label: t('newWindow') },
            ]}
            onChange={(event) => setWindow(event.target.value === 'keep' ? undefined : null)}
          />
          {window === undefined ? null : <WindowChoice value={window} onChange={setWindow} />}
        </div>
      </div>
      {failure ? <Alert type="error" showIcon role="alert" title={failure} /> : null}
    </Modal>
  );
}
