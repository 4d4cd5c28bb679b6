import type { SessionUser } from '@hes/contract/auth/session-user.ts';
import { create } from 'zustand';

const PREFIX = 'HES_';
const USER_KEY = `${PREFIX}USER`;
const TOKEN_KEY = `${PREFIX}TOKEN`;

export interface StoredToken {
  access_token: string;
  token_type: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

interface Session {
  user: SessionUser | null;
  token: StoredToken | null;
  /** The dialog "login expired" is open: at most once. */
  expired: boolean;
}

function load<T>(key: string): T | null {
  try {
    // What we stored ourselves; anything else is treated as absent.
    return JSON.parse(localStorage.getItem(key) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

/** Who is signed in: kept in local storage under the product's prefix. A session exists when a user with an id exists. */
export const useSession = create<Session>()(() => ({
  user: load<SessionUser>(USER_KEY),
  token: load<StoredToken>(TOKEN_KEY),
  expired: false,
}));

export function saveSession(user: SessionUser, token: StoredToken): void {
  localStorage.setItem(USER_KEY, JSON.stringify({ id: user.id, username: user.username, name: user.name }));
  localStorage.setItem(TOKEN_KEY, JSON.stringify(token));
  useSession.setState({ user, token, expired: false });
}

export function clearSession(): void {
  localStorage.removeItem(USER_KEY);
  localStorage.removeItem(TOKEN_KEY);
  useSession.setState({ user: null, token: null, expired: false });
}

/**
 * What another tab does to the session holds here, too: a new token of the same person is ours, and ends a dialog that asks to sign in
 * again. When somebody else has signed in, nothing on this page is his: `onOther`.
 */
export function followOtherTabs(onOther: () => void): void {
  addEventListener('storage', ({ key }) => {
    const [user, token] = [load<SessionUser>(USER_KEY), load<StoredToken>(TOKEN_KEY)];
    const mine = useSession.getState().user;
    // The user is stored before the token: with the token both are there.
    if (key !== TOKEN_KEY || !mine || !user || !token) return;
    if (user.id === mine.id) useSession.setState({ user, token, expired: false });
    else onOther();
  });
}

/** Another tab may have refreshed meanwhile. */
export function reloadToken(): StoredToken | null {
  const token = load<StoredToken>(TOKEN_KEY);
  useSession.setState({ token });
  return token;
}

/** `token_type access_token`, as the header wants it. */
export function authorization(): string | undefined {
  const { token } = useSession.getState();
  return token ? `${token.token_type} ${token.access_token}` : undefined;
}

/** The name in the header follows a changed profile. */
export function renameUser(name: string): void {
  const { user, token } = useSession.getState();
  if (user && token) saveSession({ ...user, name }, token);
}
