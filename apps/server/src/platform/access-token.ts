import { jwtVerify, SignJWT } from 'jose';
import type { WallClock } from './clock.ts';
import type { Secrets } from './secrets.ts';

export const ACCESS_TOKEN_SECONDS = 15 * 60;
const ISSUER = 'hes';
const AUDIENCE = 'hes-api';
const ALGORITHM = 'HS256';

/** Short-lived proof of a session. Whether the session still stands is asked at every call all the same. */
export interface AccessTokens {
  issue(sessionId: string): Promise<string>;
  /** The session's id; undefined for anything but an unexpired token of ours. */
  verify(token: string): Promise<string | undefined>;
}

export function createAccessTokens(secrets: Secrets, clock: WallClock): AccessTokens {
  const key = secrets.derive('access tokens');
  async function subjectOf(token: string, verifier: Buffer): Promise<string | undefined> {
    try {
      const { payload } = await jwtVerify(token, verifier, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        typ: 'at+jwt',
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(clock.now()),
      });
      return payload.sub;
    } catch {
      // Whatever is wrong with it, the answer is the same: sign in again.
      return undefined;
    }
  }
  return {
    issue(sessionId) {
      const seconds = Math.floor(clock.now() / 1000);
      return new SignJWT({})
        .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt' })
        .setSubject(sessionId)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + ACCESS_TOKEN_SECONDS)
        .sign(key);
    },
    async verify(token) {
      for (const verifier of secrets.previous === undefined ? [key] : secrets.verifiers('access tokens')) {
        const subject = await subjectOf(token, verifier);
        if (subject !== undefined) return subject;
      }
      return undefined;
    },
  };
}
