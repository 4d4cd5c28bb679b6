import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const REFRESH_COOKIE = 'hes_refresh';
const COOKIE_PATH = '/api/auth';
const SECRET_OCTETS = 32;

/** What the cookie holds: the session and a secret of which only the hash is stored. */
export interface RefreshToken {
  sessionId: string;
  secret: string;
}

export const newSecret = (): string => randomBytes(SECRET_OCTETS).toString('base64url');

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export const isSecretOf = (secret: string, hash: Buffer | null): boolean => hash !== null && timingSafeEqual(hashSecret(secret), hash);

export function readRefreshToken(cookie: string | undefined): RefreshToken | undefined {
  const match = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(cookie ?? '');
  return match?.[1] === undefined || match[2] === undefined ? undefined : { sessionId: match[1], secret: match[2] };
}

/** The `Set-Cookie` value: no script reads it, no other site sends it, no other path sees it. */
export function refreshCookie(token: RefreshToken | undefined, maxAgeS: number, isSecure: boolean): string {
  const value = token === undefined ? '' : `${token.sessionId}.${token.secret}`;
  return `${REFRESH_COOKIE}=${value}; Path=${COOKIE_PATH}; Max-Age=${token === undefined ? 0 : maxAgeS}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}
