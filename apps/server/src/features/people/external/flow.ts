import { z } from 'zod';
import type { Secrets } from '#platform/secrets.ts';

/** Time for the person to sign in at the provider. */
export const FLOW_MINUTES = 10;
const PURPOSE = 'flow of an external sign-in';

const flow = z.object({
  providerId: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  returnTo: z.string().nullable(),
  /** Session that gives own proof; null for a sign-in. */
  sessionId: z.string().nullable(),
});
/** A sign-in under way. It is kept, encrypted, in a cookie of the browser that began it, so that no other browser can finish it. */
export type Flow = z.infer<typeof flow>;

const cookieName = (isSecure: boolean) => (isSecure ? '__Host-hes_flow' : 'hes_flow');

/** The cookie of the flow. `isSecure`: browsers use TLS. */
export function flowCookie(secrets: Secrets, isSecure: boolean) {
  const name = cookieName(isSecure);
  const set = (value: string, maxAgeS: number) =>
    `${name}=${value}; Path=${isSecure ? '/' : '/api/auth'}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    name,
    set: (given: Flow) => set(secrets.seal(Buffer.from(JSON.stringify(given)), PURPOSE).toString('base64url'), FLOW_MINUTES * 60),
    clear: () => set('', 0),
    read(cookie: string | undefined): Flow | undefined {
      try {
        return flow.parse(JSON.parse(secrets.open(Buffer.from(cookie ?? '', 'base64url'), PURPOSE).toString()));
      } catch {
        return undefined;
      }
    },
  };
}
