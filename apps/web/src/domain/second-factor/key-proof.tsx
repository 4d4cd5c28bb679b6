import { proof } from '@hes/contract/auth/second-factor.ts';
import { Alert, Button } from 'antd';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { askSecurityKey } from '#core/session/security-key.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';

/** The button that gives own proof by a security key. */
export function KeyProof({ onGiven }: { onGiven: () => void }) {
  const t = useMessages(messages);
  const [hasFailed, setFailed] = useState(false);
  const ask = useApiMutation(proof.key);
  const give = useApiMutation(proof.give, { success: onGiven });
  const isBusy = ask.isPending || give.isPending;
  const start = async () => {
    setFailed(false);
    const options = await ask.mutateAsync({}).catch(() => undefined);
    const assertion = options && (await askSecurityKey(options));
    if (options !== undefined && assertion === undefined) setFailed(true);
    if (assertion !== undefined) give.mutate({ body: { assertion } });
  };
  const problem = (ask.error ?? give.error)?.message ?? (hasFailed ? t('keyFailed') : undefined);
  return (
    <>
      <Button block autoFocus type="primary" icon={<KeyRound size={15} aria-hidden="true" />} loading={isBusy} onClick={() => void start()}>
        {t('useKey')}
      </Button>
      {problem ? <Alert type="error" showIcon title={problem} role="alert" /> : null}
    </>
  );
}
