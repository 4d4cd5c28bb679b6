import { token as tokenRoutes } from '@hes/contract/auth/token.ts';
import type { BodyOf } from '@hes/contract/core/route.ts';
import { whiteList } from '@hes/contract/white/list.ts';
import { useRef, useState } from 'react';
import { safeRedirect } from '#shared/api/addresses.ts';
import { api } from '#shared/api/client.ts';
import { clientCredentials, rememberIssued } from '#shared/api/refresh.ts';
import type { messages } from './messages.ts';

type Word = keyof typeof messages;

/** The name of who signed in here last, if it was wanted. */
const LAST_NAME_KEY = 'HES_LAST_USER_NAME';
export const lastName = (): string => localStorage.getItem(LAST_NAME_KEY) ?? '';

function keepName(username: string, isWanted: boolean): void {
  if (isWanted) localStorage.setItem(LAST_NAME_KEY, username);
  else localStorage.removeItem(LAST_NAME_KEY);
}

export interface Draft {
  username: string;
  password: string;
  agreed: boolean;
  /** The user name stands here the next time. */
  remembered: boolean;
}

export type Problems = Partial<Record<'username' | 'password' | 'agreement' | 'slider', Word>>;

/** What a field left empty asks for; what was said before goes when it is filled. */
export function problemOnLeaving(field: 'username' | 'password', value: string): Problems {
  const words = { username: 'enterUserName', password: 'enterPassword' } as const;
  return value.trim() === '' ? { [field]: words[field] } : {};
}

/** What was wrong with a part of the form is no longer said once that part is changed. */
export function withoutFixed(problems: Problems, change: Partial<Draft>): Problems {
  const { username, password, agreement, slider } = problems;
  return {
    ...(username && change.username === undefined ? { username } : {}),
    ...(password && change.password === undefined ? { password } : {}),
    ...(agreement && change.agreed === undefined ? { agreement } : {}),
    ...(slider ? { slider } : {}),
  };
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

export interface SignInProps {
  /** Where the address asks to go on. */
  redirect: string | null;
  /** The slider was drawn: somebody is about to sign in. */
  onVerified?: () => void;
  /** `path` is one of the console's own. */
  onSignedIn: (path: string) => void | Promise<void>;
}

/** The steps of signing in: the slider fetches the nonce, the form sends it with name and password; who has a second factor sends a code after it. */
export function useLogin({ redirect, onVerified, onSignedIn }: SignInProps) {
  const [nonce, setNonce] = useState<string | undefined>();
  /** The password was right, and a code is asked for. */
  const [ticket, setTicket] = useState<string | undefined>();
  const [isJudging, setIsJudging] = useState(false);
  const [isEntering, setIsEntering] = useState(false);
  const [problems, setProblems] = useState<Problems>({});
  const [refusal, setRefusal] = useState<string | undefined>();
  const judgement = useRef<Promise<string | undefined>>(undefined);

  const judge = async (): Promise<string | undefined> => {
    setIsJudging(true);
    setRefusal(undefined);
    const answer = await api.get(whiteList.api);
    setIsJudging(false);
    if (!answer.ok) {
      setRefusal(answer.error.message);
      return undefined;
    }
    setNonce(answer.data.slider.nonce);
    onVerified?.();
    setProblems((known) => ({ ...known, slider: undefined }) as Problems); // absent and undefined are the same here
    return answer.data.slider.nonce;
  };

  const verify = () => void (judgement.current = judge());

  const issue = async (fields: Partial<BodyOf<typeof tokenRoutes.issue>>, draft: Draft) => {
    const answer = await api.post(tokenRoutes.issue, {
      headers: { Authorization: clientCredentials },
      body: { grant_type: 'password', ...fields },
    });
    // The nonce is used up, whatever the answer was.
    setNonce(undefined);
    if (!answer.ok) {
      const { status, code, message } = answer.error;
      // A ticket is used up by an answer; one that goes on comes with it.
      setTicket((old) => (status === 0 ? old : answer.error.ticket));
      if (code !== 'MFA_REQUIRED') setRefusal(message);
      return;
    }
    rememberIssued(answer.data);
    keepName(draft.username.trim(), draft.remembered);
    await onSignedIn(safeRedirect(redirect));
  };

  const enter = async (work: () => Promise<void>) => {
    if (isEntering) return;
    setRefusal(undefined);
    setIsEntering(true);
    await work();
    setIsEntering(false);
  };

  const submit = async (draft: Draft) => {
    if (isEntering) return;
    // Who has drawn the slider has done his part: what is still judged is waited for.
    const judged = isJudging ? judgement.current : Promise.resolve(nonce);
    const found = problemsOf(draft, isJudging ? '' : nonce);
    setProblems(found);
    setRefusal(undefined);
    if (Object.keys(found).length > 0) return;
    await enter(async () => {
      const slider = await judged;
      if (slider !== undefined) await issue({ username: draft.username.trim(), password: draft.password, slider }, draft);
    });
  };

  const submitCode = (otp: string, draft: Draft) => enter(() => issue({ ticket, otp }, draft));
  const goBack = () => {
    setTicket(undefined);
    setRefusal(undefined);
  };

  const leave = (field: 'username' | 'password', value: string) =>
    setProblems(({ [field]: _, ...others }) => ({ ...others, ...problemOnLeaving(field, value) }));

  const fix = (change: Partial<Draft>) => setProblems((known) => withoutFixed(known, change));

  const needsCode = ticket !== undefined;
  return { nonce, isJudging, isEntering, problems, refusal, needsCode, verify, submit, submitCode, goBack, leave, fix };
}
