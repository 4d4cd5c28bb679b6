import { external } from '@hes/contract/auth/external.ts';
import { useEffect, useRef, useState } from 'react';
import { api } from '#core/api/client.ts';
import { PROOF_CHANNEL } from '#core/session/own-proof.ts';
import { rememberIssued } from '#core/session/refresh.ts';
import { safeRedirect } from '#core/url/addresses.ts';
import type { SignInProps } from './use-login.ts';

/** The answer of an identity provider in the address; undefined: the page was opened for a new sign-in. */
function answerIn(search: string): string | undefined {
  const query = new URLSearchParams(search);
  return query.has('state') && (query.has('code') || query.has('error')) ? query.toString() : undefined;
}

/** Sign-in by an identity provider: leads there, and finishes when the browser comes back with its answer. */
export function useProvider({ redirect, onSignedIn }: SignInProps) {
  const [answer] = useState(() => answerIn(location.search));
  const [isBusy, setBusy] = useState(answer !== undefined);
  const [isProved, setProved] = useState(false);
  const [refusal, setRefusal] = useState<string | undefined>();
  const isSent = useRef(false);

  const finish = async (given: string): Promise<void> => {
    // The code stays in no history and no link.
    history.replaceState(null, '', location.pathname);
    const finished = await api.post(external.finish, { body: { answer: given } });
    const channel = new BroadcastChannel(PROOF_CHANNEL);
    channel.postMessage(finished.ok ? null : finished.error.message);
    channel.close();
    setBusy(false);
    if (!finished.ok) return setRefusal(finished.error.message);
    const { signedIn, returnTo } = finished.data;
    if (signedIn === null) {
      setProved(true);
      window.close();
      return undefined;
    }
    rememberIssued(signedIn);
    await onSignedIn(safeRedirect(returnTo));
    return undefined;
  };

  useEffect(() => {
    if (answer === undefined || isSent.current) return;
    isSent.current = true;
    void finish(answer);
  });

  const start = async (providerId: string): Promise<void> => {
    setBusy(true);
    setRefusal(undefined);
    const returnTo = safeRedirect(redirect);
    const begun = await api.post(external.start, { body: { providerId, returnTo } });
    if (begun.ok) return location.assign(begun.data.address);
    setBusy(false);
    return setRefusal(begun.error.message);
  };

  return { isBusy, isProved, refusal, start: (providerId: string) => void start(providerId) };
}
