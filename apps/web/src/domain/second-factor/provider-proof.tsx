import { external } from '@hes/contract/auth/external.ts';
import { Alert, Button } from 'antd';
import { useEffect, useState } from 'react';
import { failureText } from '#core/api/errors.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { PROOF_CHANNEL } from '#core/session/own-proof.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';
import { ProofFrame } from './proof-frame.tsx';
import styles from './second-factor.module.css';

const WINDOW = 'popup,width=560,height=720';

/** Own proof by a new sign-in at the identity provider, in a window of its own so that the input of this page stays. */
export function AskedAtProvider({ finish }: { finish: (isGiven: boolean) => void }) {
  const t = useMessages({ ...common, ...messages });
  const [isWaiting, setWaiting] = useState(false);
  const [isBlocked, setBlocked] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const begin = useApiMutation(external.prove);
  useEffect(() => {
    const channel = new BroadcastChannel(PROOF_CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<string | null>) => {
      if (data === null) return finish(true);
      setWaiting(false);
      setRefusal(data);
    };
    return () => channel.close();
  }, [finish]);
  const open = () => {
    // Opened at the click: a window after an answer would be blocked.
    const opened = window.open('about:blank', '_blank', WINDOW);
    setRefusal(undefined);
    setBlocked(opened === null);
    if (opened === null) return;
    setWaiting(true);
    begin.mutate(
      {},
      {
        onSuccess: ({ address }) => opened.location.replace(address),
        onError: () => {
          setWaiting(false);
          opened.close();
        },
      },
    );
  };
  const problem = begin.error === null ? refusal : failureText(begin.error);
  return (
    <ProofFrame
      onCancel={() => finish(false)}
      give={
        <Button type="primary" autoFocus onClick={open}>
          {t('proofProviderGive')}
        </Button>
      }
    >
      <p className={styles['note']}>{t(isWaiting ? 'proofWaiting' : 'proofProviderNote')}</p>
      {isBlocked ? <Alert type="warning" showIcon title={t('proofBlocked')} role="alert" /> : null}
      {problem ? <Alert type="error" showIcon title={problem} role="alert" /> : null}
    </ProofFrame>
  );
}
