import { OAUTH_CLIENT, token } from '@hes/contract/auth/token.ts';
import { assertion, type Assertion } from '@hes/contract/core/own-proof.ts';
import { relyingPartyOf } from '#features/people/security-key/relying-party.ts';
import { implement, type Wire } from '#http/implement.ts';
import { ACCESS_TOKEN_SECONDS } from '#platform/access-token.ts';
import { ApiError } from '#platform/api-error.ts';
import type { ProgramSignIn } from './program-sign-in.ts';
import { cookiesOf, readBrowserSecret, readRefreshToken } from './refresh-token.ts';
import { IDLE_SECONDS, type Caller, type SignedIn } from './parts.ts';
import type { SignIn } from './service.ts';

interface Client {
  id: string;
  secret: string;
}

/** RFC 6749 2.3.1: client id and secret are form-encoded before they are joined. */
function clientOf(header: string | undefined): Client | undefined {
  const encoded = /^Basic +(\S+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const plain = (part: string) => new URLSearchParams(`x=${part.replaceAll('&', '%26')}`).get('x') ?? '';
  return colon === -1 ? undefined : { id: plain(text.slice(0, colon)), secret: plain(text.slice(colon + 1)) };
}

/** The console's client is public, its secret empty. */
function checkConsole(client: Client | undefined): void {
  if (client?.id !== OAUTH_CLIENT || client.secret !== '') throw new ApiError('INVALID_CLIENT');
}

/** How browsers reach the console. */
export interface ConsoleDoor {
  /** Browsers use TLS. */
  isSecure: boolean;
  /** Scheme, host and port; undefined: those of each call. */
  publicUrl: string | undefined;
}

export const callerOf = (wire: Wire, { isSecure, publicUrl }: ConsoleDoor): Caller => ({
  ip: wire.ip,
  agent: wire.header('user-agent'),
  browser: readBrowserSecret(wire.cookie(cookiesOf(isSecure).browser)),
  party: relyingPartyOf(publicUrl, wire, isSecure),
});

/** Sets the cookies of a sign-in or refresh, and returns its answer. */
export function sendSignedIn({ refresh, browser, accessToken, user }: SignedIn, wire: Wire, isSecure: boolean) {
  const cookies = cookiesOf(isSecure);
  if (refresh !== undefined) wire.setHeader('set-cookie', cookies.setRefresh(refresh, IDLE_SECONDS));
  if (browser !== undefined) wire.setHeader('set-cookie', cookies.setBrowser(browser));
  return { access_token: accessToken, token_type: 'Bearer' as const, expires_in: ACCESS_TOKEN_SECONDS, user };
}

/** A browser has one session, so the session of the replaced cookie ends. */
export const endReplaced = (signIn: SignIn, wire: Wire, door: ConsoleDoor): Promise<void> =>
  signIn.signOut(readRefreshToken(wire.cookie(cookiesOf(door.isSecure).refresh)), callerOf(wire, door));

/** The answer of a key from a form; undefined: the form has none. */
function assertionIn(text: string | undefined): Assertion | undefined {
  if (text === undefined) return undefined;
  try {
    return assertion.parse(JSON.parse(text));
  } catch {
    throw new ApiError('KEY_REFUSED');
  }
}

export function tokenRoutes(signIn: SignIn, programs: ProgramSignIn, door: ConsoleDoor) {
  const { isSecure } = door;
  const cookies = cookiesOf(isSecure);
  return implement(token, {
    issue: async ({ body, wire }) => {
      const client = clientOf(wire.header('authorization'));
      if (body.grant_type === 'client_credentials')
        return programs.signIn(client ?? { id: body.client_id ?? '', secret: body.client_secret ?? '' }, wire.ip);
      checkConsole(client);
      const { grant_type: grant, username = '', password = '', slider = '', ticket, otp = '', provider } = body;
      let signedIn: SignedIn;
      if (grant === 'password' && ticket !== undefined)
        signedIn = await signIn.withTicket({ ticket, otp, assertion: assertionIn(body.assertion) }, callerOf(wire, door));
      else if (grant === 'password')
        signedIn = await signIn.withPassword({ username: username.trim(), password, slider, otp, provider }, callerOf(wire, door));
      else if (grant === 'refresh_token')
        signedIn = await signIn.withRefresh(readRefreshToken(wire.cookie(cookies.refresh)), callerOf(wire, door));
      else throw new ApiError('UNSUPPORTED_GRANT');
      if (grant === 'password') await endReplaced(signIn, wire, door);
      return sendSignedIn(signedIn, wire, isSecure);
    },
    revoke: async ({ wire }) => {
      await endReplaced(signIn, wire, door);
      wire.setHeader('set-cookie', cookies.setRefresh(undefined, 0));
    },
  });
}
