import { secondFactor } from '@hes/contract/auth/second-factor.ts';
import { Input } from 'antd';
import { useId, useState } from 'react';
import type { RequestFailed } from '#shared/api/errors.ts';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMe } from '#shared/api/may.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { clockTime } from '#shared/time/format.ts';
import { messages } from './messages.ts';
import styles from './second-factor.module.css';

export interface Proof {
  /** What is sent with the order. */
  value: { password: string; otp: string };
  asks: 'password' | 'otp' | undefined;
  /** Until when a code that was given holds. */
  until: string | null;
  isMissing: boolean;
  set: (text: string) => void;
  /** The server wants another one. */
  refuse: (error: RequestFailed) => void;
}

/** That the person is there: a code of who has a second factor, unless one was given within five minutes; else the password. */
export function useOwnProof(): Proof {
  const hasFactor = useMe().data?.hasSecondFactor === true;
  const own = useApiQuery(secondFactor.own, { enabled: hasFactor });
  const [text, set] = useState('');
  const until = hasFactor ? (own.data?.provedUntil ?? null) : null;
  const asks = !hasFactor ? 'password' : until === null ? 'otp' : undefined;
  return {
    value: { password: asks === 'password' ? text : '', otp: asks === 'otp' ? text : '' },
    asks,
    until,
    isMissing: asks !== undefined && text === '',
    set,
    refuse: ({ failure: { code } }) => {
      // No code counts twice, and what held a moment ago may have ended.
      if (code?.startsWith('OTP_')) {
        set('');
        void own.refetch();
      }
    },
  };
}

/** Who sits here says so once more, before something dangerous is ordered. */
export function OwnProof({ proof, isTried = false }: { proof: Proof; isTried?: boolean }) {
  const t = useMessages(messages);
  const id = useId();
  const { asks, value, until, set } = proof;
  if (asks === undefined) return <p className={styles['held']}>{t('held', { until: until === null ? '' : clockTime(until) })}</p>;
  const isWrong = isTried && proof.isMissing;
  return (
    <div>
      <label className={styles['label']} htmlFor={id}>
        {t(asks === 'otp' ? 'codeOrRecovery' : 'password')}
      </label>
      <Input
        id={id}
        type={asks === 'otp' ? 'text' : 'password'}
        autoComplete={asks === 'otp' ? 'one-time-code' : 'current-password'}
        className={asks === 'otp' ? 'mono' : ''}
        value={value[asks]}
        status={isWrong ? 'error' : ''}
        aria-invalid={isWrong}
        aria-describedby={`${id}-missing`}
        onChange={(event) => set(event.target.value)}
      />
      <p id={`${id}-missing`} className={styles['missing']}>
        {isWrong ? t('missing') : null}
      </p>
    </div>
  );
}
