import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose';
import { Provider, type Configuration } from 'oidc-provider';

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
export const CLIENT = { id: 'hes', secret: 'a secret of the head-end & its issuer' };

export interface IssuerPerson {
  sub: string;
  username: string;
  name?: string;
  email?: string;
  isEmailVerified?: boolean;
  groups?: string[];
}

export interface Issuer {
  address: string;
  /** The person who signs in next, without a page; undefined: the person refuses. */
  person: IssuerPerson | undefined;
  /** `acr` of the next sign-in. */
  acr: string | undefined;
  /** Answers of the provider are not given while true. */
  isDown: boolean;
  /** Replaces the keys of its signatures. */
  rotateKeys(): Promise<void>;
  /** Tells the head-end by the back channel that a session of a person has ended. */
  logout(subject: string, sid: string): Promise<void>;
  /** A logout token with these claims beside those that each has, signed by the provider. */
  logoutToken(claims: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: Math.random().toString(36).slice(2) };
}

interface Options {
  redirectUri: string;
  logoutUri?: () => string;
  port?: number;
}

/** A certified OpenID provider in this process, on real HTTP. Its persons sign in without a page. */
export async function startIssuer({ redirectUri, logoutUri, port = 0 }: Options): Promise<Issuer> {
  const persons = new Map<string, IssuerPerson>();
  let provider: Provider;
  const server = createServer((request, answer) => {
    if (issuer.isDown) return void request.socket.destroy();
    if (request.url?.startsWith('/interaction/'))
      return void signIn(request, answer).catch((error: unknown) => answer.writeHead(500).end(String(error)));
    void provider.callback()(request, answer);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = () => ({
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    redirect_uris: [redirectUri],
    ...(logoutUri === undefined ? {} : { backchannel_logout_uri: logoutUri(), backchannel_logout_session_required: true }),
  });
  let key: JWK;
  const configuration = async (): Promise<Configuration> => ({
    clients: [client()],
    jwks: { keys: [(key = await newKey())] },
    cookies: { keys: ['of a test'] },
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'groups'],
      email: ['email', 'email_verified'],
      acr: null,
      auth_time: null,
      sid: null,
      iss: null,
    },
    acrValues: ['low', 'high'],
    // Its own one refuses addresses of this machine.
    fetch: (url, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown } = {}) => fetch(url, options),
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => {
        const { username, name = username, email, isEmailVerified = true, groups = [] } = persons.get(sub) ?? { username: sub };
        return {
          sub,
          preferred_username: username,
          name,
          groups,
          ...(email === undefined ? {} : { email, email_verified: isEmailVerified }),
        };
      },
    }),
    // The head-end is known: nobody is asked for a consent.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId ?? '', accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    ttl: { Interaction: 600, Session: 3600, Grant: 3600, AccessToken: 600, IdToken: 600 },
  });
  const start = async () => {
    provider = new Provider(address, await configuration());
  };
  const signIn = async (
    request: Parameters<Provider['interactionFinished']>[0],
    answer: Parameters<Provider['interactionFinished']>[1],
  ) => {
    const { person, acr } = issuer;
    if (person === undefined) return provider.interactionFinished(request, answer, { error: 'access_denied' });
    persons.set(person.sub, person);
    const login = { accountId: person.sub, ...(acr === undefined ? {} : { acr }) };
    return provider.interactionFinished(request, answer, { login });
  };
  const issuer: Issuer = {
    address,
    person: undefined,
    acr: undefined,
    isDown: false,
    rotateKeys: start,
    async logout(subject, sid) {
      const found = await provider.Client.find(CLIENT.id);
      // as: the types of the library lack this method of its clients
      await (found as unknown as { backchannelLogout(sub: string, sid: string): Promise<void> }).backchannelLogout(subject, sid);
    },
    async logoutToken(claims) {
      const content = {
        iss: address,
        aud: CLIENT.id,
        iat: Math.floor(Date.now() / 1000),
        jti: randomUUID(),
        events: { [LOGOUT_EVENT]: {} },
      };
      return new SignJWT({ ...content, ...claims })
        .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', kid: key.kid ?? '' })
        .sign(await importJWK(key, 'RS256'));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await start();
  return issuer;
}

/** Follows the redirections of the issuer as a browser does, until one leads to the head-end. Returns its query. */
export async function passIssuer(address: string, cookies = new Map<string, string>()): Promise<string> {
  const origin = new URL(address).origin;
  let next = address;
  for (let steps = 0; steps < 10; steps += 1) {
    if (!next.startsWith(origin)) return new URL(next).search.slice(1);
    const answer = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      if (pair.length === at + 1) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`The issuer answered ${answer.status}: ${await answer.text()}`);
    next = new URL(location, next).href;
  }
  throw new Error('The issuer redirects without end');
}
