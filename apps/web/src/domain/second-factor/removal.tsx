import { secondFactor, type OwnFactor } from '@hes/contract/auth/second-factor.ts';
import { Alert, Button } from 'antd';
import { useState, type ReactNode } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Num, Properties } from '#kit/basics/text.tsx';
import { LabelledInput } from './labelled-input.tsx';
import { messages } from './messages.ts';
import styles from './second-factor.module.css';

interface RemovalProps {
  factor: OwnFactor;
  leave: ReactNode;
  onDone: () => void;
}

/** Shows an active second factor and removes it after password and code. */
export function Removal({ factor, leave, onDone }: RemovalProps) {
  const t = useMessages(messages);
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  const remove = useApiMutation(secondFactor.remove, { success: onDone, failure: () => setOtp('') });
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        remove.mutate({ body: { password, otp } });
      }}
    >
      <Properties
        items={[
          { label: t('since'), value: factor.since === null ? null : dateTime(factor.since) },
          { label: t('recoveryLeft'), value: <Num value={factor.recoveryLeft} /> },
        ]}
      />
      <p className={styles['note']}>{t('removeNote')}</p>
      <LabelledInput kind="password" label={t('password')} value={password} onChange={setPassword} />
      <LabelledInput kind="code" label={t('codeOrRecovery')} value={otp} onChange={setOtp} />
      {remove.error ? <Alert type="error" showIcon role="alert" title={remove.error.message} /> : null}
      <div className={styles['buttons']}>
        <span />
        {leave}
        <Button danger type="primary" htmlType="submit" disabled={password === '' || otp === ''} loading={remove.isPending}>
          {t('remove')}
        </Button>
      </div>
    </form>
  );
}
