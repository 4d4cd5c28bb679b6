import { securityKey, type OwnKey } from '@hes/contract/auth/security-key.ts';
import { Alert, Button } from 'antd';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { makeSecurityKey } from '#core/session/security-key.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { LabelledInput } from './labelled-input.tsx';
import { messages } from './messages.ts';
import styles from './second-factor.module.css';

const texts = { ...common, ...messages };

interface NewKeyProps {
  onBack: () => void;
  /** The recovery codes of the first second factor; otherwise none. */
  onDone: (recoveryCodes: string[]) => void;
}

/** Asks for name and password, then for the new key. */
export function NewKeyForm({ onBack, onDone }: NewKeyProps) {
  const t = useMessages(texts);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [hasFailed, setFailed] = useState(false);
  const begin = useApiMutation(securityKey.begin);
  const finish = useApiMutation(securityKey.finish, { success: ({ recoveryCodes }) => onDone(recoveryCodes) });
  const add = async () => {
    setFailed(false);
    finish.reset();
    const options = await begin.mutateAsync({ body: { password } }).catch(() => undefined);
    const attestation = options && (await makeSecurityKey(options));
    if (options !== undefined && attestation === undefined) setFailed(true);
    if (attestation !== undefined) finish.mutate({ body: { name: name.trim(), attestation } });
  };
  const problem = (begin.error ?? finish.error)?.message ?? (hasFailed ? t('keyFailed') : undefined);
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <p className={styles['note']}>{t('newKeyNote')}</p>
      <LabelledInput kind="name" label={t('keyName')} autoFocus value={name} onChange={setName} />
      <LabelledInput kind="password" label={t('password')} value={password} onChange={setPassword} />
      {problem ? <Alert type="error" showIcon role="alert" title={problem} /> : null}
      <div className={styles['buttons']}>
        <span />
        <Button onClick={onBack}>{t('cancel')}</Button>
        <Button
          type="primary"
          htmlType="submit"
          disabled={name.trim() === '' || password === ''}
          loading={begin.isPending || finish.isPending}
        >
          {t('addKey')}
        </Button>
      </div>
    </form>
  );
}

/** Asks for the password before a key is removed. */
export function KeyRemoval({ ownKey, onBack, onDone }: { ownKey: OwnKey; onBack: () => void; onDone: () => void }) {
  const t = useMessages(texts);
  const [password, setPassword] = useState('');
  const remove = useApiMutation(securityKey.remove, { success: onDone, failure: () => setPassword('') });
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        remove.mutate({ params: { id: ownKey.id }, body: { password } });
      }}
    >
      <p className={styles['note']}>{t('removeKeyNote', { name: ownKey.name })}</p>
      <LabelledInput kind="password" label={t('password')} autoFocus value={password} onChange={setPassword} />
      {remove.error ? <Alert type="error" showIcon role="alert" title={remove.error.message} /> : null}
      <div className={styles['buttons']}>
        <span />
        <Button onClick={onBack}>{t('cancel')}</Button>
        <Button danger type="primary" htmlType="submit" disabled={password === ''} loading={remove.isPending}>
          {t('removeKey')}
        </Button>
      </div>
    </form>
  );
}
