import type { UpgradeWindow } from '@hes/contract/upgrade/job.ts';
import { upgradeRecord, type UpgradeRetry } from '@hes/contract/upgrade/record.ts';
import { Alert, App, Modal, Radio } from 'antd';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { WindowChoice } from '#domain/upgrade-job/window-choice.tsx';
import { texts } from './messages.ts';
import styles from './detail.module.css';

interface RetryDialogProps {
  /** The devices, or the upgrade whose failed devices are retried. */
  of: Pick<UpgradeRetry, 'ids' | 'jobId'>;
  count: number;
  /** Called when the server has accepted the retry. */
  onDone: () => void;
  onClose: () => void;
}

/** Retries failed devices: from the current block or from the start, and in which hours. */
export function RetryDialog({ of, count, onDone, onClose }: RetryDialogProps) {
  const t = useMessages(texts);
  const [from, setFrom] = useState<UpgradeRetry['from']>('resume');
  const [window, setWindow] = useState<UpgradeWindow | null>();
  const { message } = App.useApp();
  const retry = useApiMutation(upgradeRecord.retry, {
    success: (ordered) => {
      void message.success(t('ordered', ordered));
      onDone();
    },
  });
  return (
    <Modal
      open
      centered
      title={t('retryTitle', { count })}
      okText={t('retryNow')}
      cancelText={t('cancel')}
      confirmLoading={retry.isPending}
      onOk={() => retry.mutate({ body: { ...of, from, window } })}
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
      {retry.error ? <Alert type="error" showIcon role="alert" title={retry.error.message} /> : null}
    </Modal>
  );
}
