import { Button } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Glyph } from '#kit/state/glyphs.tsx';
import { Attempts } from './attempts.tsx';
import { texts } from './messages.ts';
import { SecretsForm } from './secrets-form.tsx';
import type { DeviceStepProps } from './step-props.ts';
import styles from './connect.module.css';

/** Waits for the connection of the registered device, and says why its attempts fail. */
export function OnlineStep({ progress, setUrl, onChanged }: DeviceStepProps) {
  const t = useMessages(texts);
  const { sn, host, connectionType, onlineStatus, remote, attempts, hasKeys } = progress;
  const isOnline = onlineStatus === 'online';
  return (
    <>
      {hasKeys || isOnline ? null : <SecretsForm progress={progress} onSaved={onChanged} />}
      <div className={styles['waiting']} role="status">
        {isOnline ? <Glyph shape="tick" tone="ok" size={22} /> : <span className={styles['pulse']} aria-hidden="true" />}
        <div>
          <strong>
            {isOnline
              ? t('isOnline', { remote: remote ?? '—' })
              : connectionType === 'dial_in'
                ? t('waitingOnline', { sn })
                : t('waitingDial', { sn, host: host ?? '—' })}
          </strong>
          {isOnline ? null : <p className={styles['hint']}>{t('waitingOnlineHint')}</p>}
        </div>
      </div>
      {!isOnline && attempts.some(({ closeReason }) => closeReason === 'unproved') ? <p role="alert">{t('notAuthenticated')}</p> : null}
      {attempts.length > 0 ? (
        <section>
          <h3>{t('lastAttempts')}</h3>
          <Attempts rows={attempts} />
        </section>
      ) : null}
      <div className={styles['actions']}>
        <Button type="primary" disabled={!isOnline} onClick={() => setUrl({ step: 'test' })}>
          {t('next')}
        </Button>
      </div>
    </>
  );
}
