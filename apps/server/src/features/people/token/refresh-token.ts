import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '#platform/secrets.ts';

const SECRET_OCTETS = 32;
const RANDOM_OCTETS = 16;
const BROWSER_SECONDS = 400 * 86_400;

/** Content of the cookie: the session and a secret. The database stores only the hash of the secret. */
export interface RefreshToken {
  sessionId: string;
  secret: string;
}

export const newSecret = (): string => randomBytes(SECRET_OCTETS).toString('base64url');
export const newBrowserSecret = newSecret;

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export const isSecretOf = (secret: string, hash: Buffer | null): boolean => hash !== null && timingSafeEqual(hashSecret(secret), hash);

/** Secrets of refresh tokens with a MAC, which distinguishes a forged secret from a replaced one. */
export interface RefreshSecrets {
  issue(sessionId: string): string;
  /** Whether this server ever issued this secret for its session. */
  isOf(token: RefreshToken): boolean;
}

export function createRefreshSecrets(secrets: Secrets): RefreshSecrets {
  const key = secrets.derive('refresh tokens');
  const macOf = (sessionId: string, random: Uint8Array) =>
    createHmac('sha256', key)
      .update(sessionId)
      .update(random)
      .digest()
      .subarray(0, SECRET_OCTETS - RANDOM_OCTETS);
  return {
    issue(sessionId) {
      const random = randomBytes(RANDOM_OCTETS);
      return Buffer.concat([random, macOf(sessionId, random)]).toString('base64url');
    },
    isOf({ sessionId, secret }) {
      const octets = Buffer.from(secret, 'base64url');
      if (octets.length !== SECRET_OCTETS) return false;
      const [random, mac] = [octets.subarray(0, RANDOM_OCTETS), octets.subarray(RANDOM_OCTETS)];
      return timingSafeEqual(macOf(sessionId, random), mac);
    },
  };
}

export function readRefreshToken(cookie: string | undefined): RefreshToken | undefined {
  const match = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(cookie ?? '');
  return match?.[1] === undefined || match[2] === undefined ? undefined : { sessionId: match[1], secret: match[2] };
}

export const readBrowserSecret = (cookie: string | undefined): string | undefined =>
  cookie !== undefined && /^[\w-]{43}$/.test(cookie) ? cookie : undefined;

/** Cookies are hidden from scripts and are not sent by other sites. */
export interface Cookies {
  refresh: string;
  browser: string;
  /** The `Set-Cookie` value of the refresh token; undefined deletes the cookie. */
  setRefresh(token: RefreshToken | undefined, maxAgeS: number): string;
  setBrowser(secret: string): string;
}

/** `isSecure`: browsers use TLS. The prefix `__Host-` then prevents sibling hosts from setting these cookies, and requires the path `/`. */
export function cookiesOf(isSecure: boolean): Cookies {
  const prefix = isSecure ? '__Host-' : '';
  const [refresh, browser] = [`${prefix}hes_refresh`, `${prefix}hes_browser`];
  const set = (name: string, value: string, maxAgeS: number) =>
    `${name}=${value}; Path=${isSecure ? '/' : '/api/auth'}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    refresh,
    browser,
    setRefresh: (token, maxAgeS) =>
      token === undefined ? set(refresh, '', 0) : set(refresh, `${token.sessionId}.${token.secret}`, maxAgeS),
    setBrowser: (secret) => set(browser, secret, BROWSER_SECONDS),
  };
}
