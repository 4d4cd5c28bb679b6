import type { PlainKey } from '#core/i18n/use-messages.ts';
import { token as tokenRoutes } from '@hes/contract/auth/token.ts';
import type { BodyOf } from '@hes/contract/core/route.ts';
import { whiteList } from '@hes/contract/white/list.ts';
import { useRef, useState } from 'react';
import { safeRedirect } from '#core/url/addresses.ts';
import type { AssertionOptions } from '@hes/contract/core/own-proof.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { askSecurityKey } from '#core/session/security-key.ts';
import { api } from '#core/api/client.ts';
import { clientCredentials, rememberIssued } from '#core/session/refresh.ts';
import { messages } from './messages.ts';

type Word = PlainKey<typeof messages>;

/** The last user name, if the user chose to remember it. */
const LAST_NAME_KEY = 'HES_LAST_USER_NAME';
export const lastName = (): string => localStorage.getItem(LAST_NAME_KEY) ?? '';

function keepName(username: string, isWanted: boolean): void {
  if (isWanted) localStorage.setItem(LAST_NAME_KEY, username);
  else localStorage.removeItem(LAST_NAME_KEY);
}

export interface Draft {
  username: string;
  password: string;
  /** The directory that judges name and password; undefined: this system. */
  directory: string | undefined;
  agreed: boolean;
  /** Whether the user name is remembered for the next sign-in. */
  remembered: boolean;
}

const providerOf = ({ directory }: Draft) => (directory === undefined ? {} : { provider: directory });

export type Problems = Partial<Record<'username' | 'password' | 'agreement' | 'slider', Word>>;

/** The error of an empty field on blur; empty clears the previous error. */
export function problemOnLeaving(field: 'username' | 'password', value: string): Problems {
  const words = { username: 'enterUserName', password: 'enterPassword' } as const;
  return value.trim() === '' ? { [field]: words[field] } : {};
}

/** Errors of a part of the form disappear when that part changes. */
export function withoutFixed(problems: Problems, change: Partial<Draft>): Problems {
  const { username, password, agreement, slider } = problems;
  return {
    ...(username && change.username === undefined ? { username } : {}),
    ...(password && change.password === undefined ? { password } : {}),
    ...(agreement && change.agreed === undefined ? { agreement } : {}),
    ...(slider ? { slider } : {}),
  };
}

/** Errors of the fields, then of the agreement, then of the slider. */
export function problemsOf(draft: Draft, nonce: string | undefined): Problems {
  const problems: Problems = {};
  if (draft.username.trim() === '') problems.username = 'userNameRequired';
  if (draft.password === '') problems.password = 'passwordRequired';
  if (!draft.agreed) problems.agreement = 'agreementRequired';
  if (nonce === undefined) problems.slider = 'sliderRequired';
  return problems;
}

export interface SignInProps {
  /** The path in the address to open after the sign-in. */
  redirect: string | null;
  /** Called when the slider is complete, shortly before the sign-in. */
  onVerified?: () => void;
  /** `path` is within the console. */
  onSignedIn: (path: string) => void | Promise<void>;
}

/**
 * The sign-in flow: the slider fetches a nonce, the form sends it with name and password, and users with a second factor then send a code.
 */
export function useLogin({ redirect, onVerified, onSignedIn }: SignInProps) {
  const noKey = useMessages(messages)('keyFailed');
  const [nonce, setNonce] = useState<string | undefined>();
  /** Set after a correct password when a code is required. */
  const [ticket, setTicket] = useState<string | undefined>();
  /** What to ask a security key of the user; it is spent with the ticket. */
  const [key, setKey] = useState<AssertionOptions | undefined>();
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
    // A nonce is valid for one attempt only.
    setNonce(undefined);
    if (!answer.ok) {
      const { status, code, message } = answer.error;
      // Each response invalidates the ticket; to continue, it contains a new one.
      setTicket((old) => (status === 0 ? old : answer.error.ticket));
      setKey((old) => (status === 0 ? old : answer.error.key));
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
    // Submitting while the slider is being verified waits for the result.
    const judged = isJudging ? judgement.current : Promise.resolve(nonce);
    const found = problemsOf(draft, isJudging ? '' : nonce);
    setProblems(found);
    setRefusal(undefined);
    if (Object.keys(found).length > 0) return;
    await enter(async () => {
      const slider = await judged;
      if (slider !== undefined)
        await issue({ username: draft.username.trim(), password: draft.password, slider, ...providerOf(draft) }, draft);
    });
  };

  const submitCode = (otp: string, draft: Draft) => enter(() => issue({ ticket, otp }, draft));
  const submitKey = (draft: Draft) =>
    enter(async () => {
      const assertion = key && (await askSecurityKey(key));
      if (assertion === undefined) return setRefusal(noKey);
      return issue({ ticket, assertion: JSON.stringify(assertion) }, draft);
    });
  const goBack = () => {
    setTicket(undefined);
    setRefusal(undefined);
  };

  const leave = (field: 'username' | 'password', value: string) =>
    setProblems(({ [field]: _, ...others }) => ({ ...others, ...problemOnLeaving(field, value) }));

  const fix = (change: Partial<Draft>) => setProblems((known) => withoutFixed(known, change));

  const needsCode = ticket !== undefined;
  const hasKey = key !== undefined;
  return { nonce, isJudging, isEntering, problems, refusal, needsCode, hasKey, verify, submit, submitCode, submitKey, goBack, leave, fix };
}
