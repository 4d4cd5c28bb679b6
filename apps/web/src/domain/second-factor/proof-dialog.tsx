import { proof } from '@hes/contract/auth/second-factor.ts';
import { Alert, Button, Input, Modal } from 'antd';
import { ShieldCheck } from 'lucide-react';
import { useId, useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useProofRequest, type ProofKind } from '#core/session/own-proof.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { AskedAtProvider } from './provider-proof.tsx';
import { messages } from './messages.ts';
import styles from './second-factor.module.css';

const WIDTH = 420;
const ABOVE_OTHER_DIALOGS = 1200;

function Asked({ kind, finish }: { kind: Exclude<ProofKind, 'provider'>; finish: (isGiven: boolean) => void }) {
  const t = useMessages({ ...common, ...messages });
  const id = useId();
  const [text, setText] = useState('');
  const [isMissing, setMissing] = useState(false);
  const give = useApiMutation(proof.give, { success: () => finish(true), failure: () => setText('') });
  const isCode = kind === 'code';
  const send = () => {
    setMissing(text === '');
    if (text !== '') give.mutate({ body: isCode ? { otp: text } : { password: text } });
  };
  return (
    <Modal
      open
      centered
      width={WIDTH}
      zIndex={ABOVE_OTHER_DIALOGS}
      closable={false}
      onCancel={() => finish(false)}
      title={
        <span className={styles['proofHead']}>
          <ShieldCheck size={18} aria-hidden="true" />
          {t('proofTitle')}
        </span>
      }
      footer={
        <>
          <Button onClick={() => finish(false)}>{t('cancel')}</Button>
          <Button type="primary" loading={give.isPending} onClick={send}>
            {t('proofGive')}
          </Button>
        </>
      }
    >
      <p className={styles['note']}>{t(isCode ? 'proofCodeNote' : 'proofPasswordNote')}</p>
      <label className={styles['label']} htmlFor={id}>
        {t(isCode ? 'codeOrRecovery' : 'password')}
      </label>
      <Input
        id={id}
        autoFocus
        type={isCode ? 'text' : 'password'}
        autoComplete={isCode ? 'one-time-code' : 'current-password'}
        className={isCode ? 'mono' : ''}
        value={text}
        status={isMissing ? 'error' : ''}
        aria-invalid={isMissing}
        aria-describedby={`${id}-missing`}
        onChange={(event) => setText(event.target.value)}
        onPressEnter={send}
      />
      <p id={`${id}-missing`} className={styles['missing']}>
        {isMissing ? t('missing') : null}
      </p>
      {give.error ? <Alert type="error" showIcon title={give.error.message} role="alert" /> : null}
    </Modal>
  );
}

/** Asks for own proof when the server requires it before a dangerous action; the waiting call then continues. */
export function ProofDialog() {
  const { kind, finish } = useProofRequest();
  if (kind === undefined) return null;
  return kind === 'provider' ? <AskedAtProvider finish={finish} /> : <Asked kind={kind} finish={finish} />;
}
