import { jwtVerify, SignJWT } from 'jose';
import type { WallClock } from './clock.ts';
import type { Secrets } from './secrets.ts';

export const ACCESS_TOKEN_SECONDS = 15 * 60;
const ISSUER = 'hes';
const AUDIENCE = 'hes-api';
const ALGORITHM = 'HS256';

/** Short-lived signed reference to a session. Each call checks the session itself as well. */
export interface AccessTokens {
  issue(sessionId: string): Promise<string>;
  /** Session id of a valid, unexpired token of this server; otherwise undefined. */
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
      // All failures are equivalent: the caller must sign in again.
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
