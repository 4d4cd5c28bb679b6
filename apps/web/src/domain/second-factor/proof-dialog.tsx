import { proof } from '@hes/contract/auth/second-factor.ts';
import { Alert, Button, Input } from 'antd';
import { useId, useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useProofRequest, type ProofKind } from '#core/session/own-proof.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { AskedAtProvider } from './provider-proof.tsx';
import { KeyProof } from './key-proof.tsx';
import { messages } from './messages.ts';
import { ProofFrame } from './proof-frame.tsx';
import styles from './second-factor.module.css';

const NOTES = { code: 'proofCodeNote', key: 'proofKeyNote', password: 'proofPasswordNote' } as const;

function Asked({ kind, finish }: { kind: Exclude<ProofKind, 'provider'>; finish: (isGiven: boolean) => void }) {
  const t = useMessages({ ...common, ...messages });
  const id = useId();
  const [text, setText] = useState('');
  const [isMissing, setMissing] = useState(false);
  const give = useApiMutation(proof.give, { success: () => finish(true), failure: () => setText('') });
  const isCode = kind !== 'password';
  const send = () => {
    setMissing(text === '');
    if (text !== '') give.mutate({ body: isCode ? { otp: text } : { password: text } });
  };
  return (
    <ProofFrame
      onCancel={() => finish(false)}
      give={
        <Button type="primary" loading={give.isPending} onClick={send}>
          {t('proofGive')}
        </Button>
      }
    >
      <p className={styles['note']}>{t(NOTES[kind])}</p>
      {kind === 'key' ? <KeyProof onGiven={() => finish(true)} /> : null}
      <label className={styles['label']} htmlFor={id}>
        {t(isCode ? 'codeOrRecovery' : 'password')}
      </label>
      <Input
        id={id}
        autoFocus={kind !== 'key'}
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
    </ProofFrame>
  );
}

/** Asks for own proof when the server requires it before a dangerous action; the waiting call then continues. */
export function ProofDialog() {
  const { kind, finish } = useProofRequest();
  if (kind === undefined) return null;
  return kind === 'provider' ? <AskedAtProvider finish={finish} /> : <Asked kind={kind} finish={finish} />;
}
