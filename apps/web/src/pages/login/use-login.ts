import { token as tokenRoutes } from '@hes/contract/auth/token.ts';
import { whiteList } from '@hes/contract/white/list.ts';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { safeRedirect } from '#shared/api/addresses.ts';
import { api } from '#shared/api/client.ts';
import { clientCredentials, rememberIssued } from '#shared/api/refresh.ts';
import type { messages } from './messages.ts';

type Word = keyof typeof messages;

export interface Draft {
  username: string;
  password: string;
  agreed: boolean;
}

export type Problems = Partial<Record<'username' | 'password' | 'agreement' | 'slider', Word>>;

/** What a field left empty asks for; what was said before goes when it is filled. */
export function problemOnLeaving(field: 'username' | 'password', value: string): Problems {
  const words = { username: 'enterUserName', password: 'enterPassword' } as const;
  return value.trim() === '' ? { [field]: words[field] } : {};
}

/** Fields first, then the agreement, then the slider. */
export function problemsOf(draft: Draft, nonce: string | undefined): Problems {
  const problems: Problems = {};
  if (draft.username.trim() === '') problems.username = 'userNameRequired';
  if (draft.password === '') problems.password = 'passwordRequired';
  if (!draft.agreed) problems.agreement = 'agreementRequired';
  if (nonce === undefined) problems.slider = 'sliderRequired';
  return problems;
}

/** The steps of signing in: the slider fetches the nonce, the form sends it with name and password. */
export function useLogin() {
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const [nonce, setNonce] = useState<string | undefined>();
  const [busy, setBusy] = useState<'slider' | 'login' | undefined>();
  const [problems, setProblems] = useState<Problems>({});
  const [refusal, setRefusal] = useState<string | undefined>();

  const verify = async () => {
    setBusy('slider');
    setRefusal(undefined);
    const answer = await api.get(whiteList.api);
    setBusy(undefined);
    if (!answer.ok) return setRefusal(answer.error.message);
    setNonce(answer.data.slider.nonce);
    return setProblems((known) => ({ ...known, slider: undefined }) as Problems); // absent and undefined are the same here
  };

  const submit = async (draft: Draft) => {
    const found = problemsOf(draft, nonce);
    setProblems(found);
    setRefusal(undefined);
    if (Object.keys(found).length > 0) return;
    setBusy('login');
    const answer = await api.post(tokenRoutes.issue, {
      headers: { Authorization: clientCredentials },
      body: { grant_type: 'password', username: draft.username.trim(), password: draft.password, slider: nonce },
    });
    setBusy(undefined);
    // The nonce is used up, whatever the answer was.
    setNonce(undefined);
    if (!answer.ok) {
      setRefusal(answer.error.message);
      return;
    }
    rememberIssued(answer.data);
    await navigate(safeRedirect(search.get('redirect')), { replace: true });
  };

  const leave = (field: 'username' | 'password', value: string) =>
    setProblems(({ [field]: _, ...others }) => ({ ...others, ...problemOnLeaving(field, value) }));

  return { nonce, busy, problems, refusal, verify, submit, leave };
}
