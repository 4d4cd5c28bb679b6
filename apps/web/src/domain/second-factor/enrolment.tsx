import { secondFactor } from '@hes/contract/auth/second-factor.ts';
import { Alert, Button, QRCode } from 'antd';
import { useState, type ReactNode } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { CopyButton } from '#kit/basics/text.tsx';
import { LabelledInput } from './labelled-input.tsx';
import { messages } from './messages.ts';
import styles from './second-factor.module.css';

const SQUARE = 184;
// Authenticator apps scan dark modules on light ground only, in either theme.
const DARK = '#000000';
const LIGHT = '#ffffff';

/** Groups of four characters, easier to type. */
const inFours = (key: string): string => key.replaceAll(/.{4}(?=.)/g, '$& ');

interface EnrolmentProps {
  /** Rendered next to the continue button. */
  leave: ReactNode;
  onDone: (recoveryCodes: string[]) => void;
}

/** Asks for the password, then shows the QR code and verifies a code of the app. */
export function Enrolment({ leave, onDone }: EnrolmentProps) {
  const t = useMessages(messages);
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  const begin = useApiMutation(secondFactor.begin);
  const confirm = useApiMutation(secondFactor.confirm, {
    success: ({ recoveryCodes }) => onDone(recoveryCodes),
    failure: () => setOtp(''),
  });
  const begun = begin.data;
  const { error } = begun ? confirm : begin;
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        if (!begun && password !== '') begin.mutate({ body: { password } });
        if (begun && otp !== '') confirm.mutate({ body: { otp } });
      }}
    >
      {begun ? (
        <>
          <p className={styles['note']}>{t('scan')}</p>
          <div className={styles['scan']}>
            <QRCode
              type="svg"
              value={begun.uri}
              size={SQUARE}
              color={DARK}
              bgColor={LIGHT}
              className={styles['square'] ?? ''}
              role="img"
              aria-label={t('square')}
            />
            <div className={styles['key']}>
              <span className={styles['label']}>{t('key')}</span>
              <span className={styles['secret']}>
                <b className="mono">{inFours(begun.secret)}</b>
                <CopyButton text={begun.secret} />
              </span>
              <span className={styles['note']}>{t('kind')}</span>
            </div>
          </div>
          <p className={styles['note']}>{t('proveIt')}</p>
          <LabelledInput key="code" kind="code" label={t('code')} autoFocus value={otp} onChange={setOtp} />
        </>
      ) : (
        <>
          <p className={styles['note']}>{t('why')}</p>
          <LabelledInput key="password" kind="password" label={t('password')} autoFocus value={password} onChange={setPassword} />
        </>
      )}
      {error ? <Alert type="error" showIcon role="alert" title={error.message} /> : null}
      <div className={styles['buttons']}>
        <span />
        {leave}
        <Button type="primary" htmlType="submit" disabled={(begun ? otp : password) === ''} loading={begin.isPending || confirm.isPending}>
          {t(begun ? 'turnOn' : 'next')}
        </Button>
      </div>
    </form>
  );
}
