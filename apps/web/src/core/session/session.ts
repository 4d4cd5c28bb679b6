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
  /** The dialog "Login expired" is open. */
  expired: boolean;
}

function load<T>(key: string): T | null {
  try {
    // Only this module writes these keys; an unreadable value counts as absent.
    return JSON.parse(localStorage.getItem(key) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

/** The signed-in user, kept in local storage under the prefix of the product. A session exists when a user with an id exists. */
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
 * Follows other tabs by the storage event: a new token of the same user is adopted and closes the dialog "Login expired"; a sign-in of
 * another user calls `onOther`.
 */
export function followOtherTabs(onOther: () => void): void {
  addEventListener('storage', ({ key }) => {
    const [user, token] = [load<SessionUser>(USER_KEY), load<StoredToken>(TOKEN_KEY)];
    const mine = useSession.getState().user;
    // The user is stored before the token: when the token changes, both are complete.
    if (key !== TOKEN_KEY || !mine || !user || !token) return;
    if (user.id === mine.id) useSession.setState({ user, token, expired: false });
    else onOther();
  });
}

/** Reads the token from local storage: another tab may have renewed it. */
export function reloadToken(): StoredToken | null {
  const token = load<StoredToken>(TOKEN_KEY);
  useSession.setState({ token });
  return token;
}

/** Value of the Authorization header: `token_type access_token`. */
export function authorization(): string | undefined {
  const { token } = useSession.getState();
  return token ? `${token.token_type} ${token.access_token}` : undefined;
}

/** Updates the name in the header after a change of the profile. */
export function renameUser(name: string): void {
  const { user, token } = useSession.getState();
  if (user && token) saveSession({ ...user, name }, token);
}
