import { OAUTH_CLIENT, token as tokenRoutes } from '@hes/contract/auth/token.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { reloadToken, saveSession, useSession } from './session.ts';

type Issued = ResponseOf<typeof tokenRoutes.issue>;

const LOCK = 'hes-token';
const TOKEN_URL = `/api${tokenRoutes.issue.path}`;
/** Renew the token this long before it expires. */
const MARGIN_MS = 60_000;
const LONGEST_TIMER_MS = 2_000_000_000;

export const clientCredentials = `Basic ${btoa(`${OAUTH_CLIENT}:`)}`;

export function rememberIssued(issued: Issued): void {
  saveSession(issued.user, {
    access_token: issued.access_token,
    token_type: issued.token_type,
    expiresAt: Date.now() + issued.expires_in * 1000,
  });
}

async function renew(sentWith: string): Promise<boolean> {
  // Each renewal consumes the cookie: when another tab was faster, its token in local storage is valid here too.
  const stored = reloadToken();
  if (stored && stored.access_token !== sentWith) return true;
  const response = await fetch(TOKEN_URL, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { Authorization: clientCredentials },
    body: new URLSearchParams({ grant_type: 'refresh_token' }),
  });
  if (!response.ok) return false;
  rememberIssued((await response.json()) as Issued); // the token route's own answer
  return true;
}

let underWay: Promise<boolean> | undefined;

/** Renews the access token by the cookie; one renewal at a time across all tabs. False: the user must sign in again. */
export function refreshToken(sentWith: string): Promise<boolean> {
  underWay ??= locked(() => renew(sentWith))
    .catch(() => false)
    .finally(() => {
      underWay = undefined;
    });
  return underWay;
}

/** `navigator.locks` exists in secure contexts only. Without it tabs may race, and the loser signs in again. */
const locked = (work: () => Promise<boolean>): Promise<boolean> => ('locks' in navigator ? navigator.locks.request(LOCK, work) : work());

/** Renews the token before it expires, until the page is closed. */
export function startRenewal(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const plan = () => {
    clearTimeout(timer);
    const { token } = useSession.getState();
    if (!token) return;
    const wait = Math.min(LONGEST_TIMER_MS, Math.max(1000, token.expiresAt - Date.now() - MARGIN_MS));
    timer = setTimeout(() => void refreshToken(token.access_token), wait);
  };
  plan();
  useSession.subscribe((state, previous) => {
    if (state.token !== previous.token) plan();
  });
}
