import { Alert, Button, Input } from 'antd';
import { KeyRound, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Field } from './field.tsx';
import { messages } from './messages.ts';
import styles from './login.module.css';

interface SecondStepProps {
  username: string;
  isBusy: boolean;
  /** The refusal of the last code. */
  refusal: string | undefined;
  onSubmit: (otp: string) => Promise<void>;
  /** Asks a security key; undefined: the user has none for this address. */
  onKey: (() => void) | undefined;
  onBack: () => void;
}

const KINDS = {
  code: { label: 'code', note: 'codeNote', other: 'useRecovery', inputMode: 'numeric' },
  recovery: { label: 'recoveryCode', note: 'recoveryNote', other: 'useCode', inputMode: 'text' },
} as const;

/** The second step of the sign-in: a code of the authenticator app, or a recovery code. */
export function SecondStep({ username, isBusy, refusal, onSubmit, onKey, onBack }: SecondStepProps) {
  const t = useMessages(messages);
  const [kind, setKind] = useState<keyof typeof KINDS>('code');
  const [otp, setOtp] = useState('');
  const [isMissing, setMissing] = useState(false);
  const { label, note, other, inputMode } = KINDS[kind];
  return (
    <form
      className={styles['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setMissing(otp.trim() === '');
        // A refused code is never valid later: clear the field.
        if (otp.trim() !== '' && !isBusy) void onSubmit(otp).then(() => setOtp(''));
      }}
    >
      <h1>{t('welcome')}</h1>
      <p className={styles['hint']}>{t('codeHint', { name: username })}</p>
      {refusal ? <Alert type="error" showIcon title={refusal} role="alert" className={styles['refusal'] ?? ''} /> : null}
      {onKey ? (
        <>
          <Button block size="large" autoFocus icon={<KeyRound size={16} aria-hidden="true" />} loading={isBusy} onClick={onKey}>
            {t('useKey')}
          </Button>
          <p className={styles['hint']}>{t('keyHint')}</p>
        </>
      ) : null}
      <Field id="otp" label={t(label)} error={isMissing ? t('codeRequired') : undefined} help={t(note)}>
        <Input
          key={kind}
          id="otp"
          size="large"
          autoFocus={onKey === undefined}
          autoComplete="one-time-code"
          inputMode={inputMode}
          maxLength={32}
          className="mono"
          prefix={<Smartphone size={16} aria-hidden="true" />}
          value={otp}
          aria-invalid={isMissing}
          aria-describedby="otp-error"
          {...(isMissing ? { status: 'error' as const } : {})}
          onChange={(event) => {
            setOtp(event.target.value);
            setMissing(false);
          }}
        />
      </Field>
      <Button block type="primary" size="large" htmlType="submit" loading={isBusy} className={styles['submit'] ?? ''}>
        {t('logIn')}
      </Button>
      <p className={styles['others']}>
        <Button
          type="link"
          onClick={() => {
            setKind(kind === 'code' ? 'recovery' : 'code');
            setOtp('');
            setMissing(false);
          }}
        >
          {t(other)}
        </Button>
        <Button type="link" onClick={onBack}>
          {t('back')}
        </Button>
      </p>
    </form>
  );
}
