import { createRemoteJWKSet, customFetch as joseFetch, errors as joseErrors, jwtVerify, type JWTPayload } from 'jose';
import * as oidc from 'openid-client';
import { FetchFailed, guardedFetch } from '#platform/guarded-fetch.ts';
import type { Flow } from './flow.ts';
import { ProviderFailed, type ProviderClient } from './provider-failure.ts';

const TIMEOUT_S = 15;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** A logout token that is older may be a repeated one. */
const LOGOUT_TOKEN_S = 300;
const SKEW_S = 60;
/** Algorithms of logout tokens: signatures alone, because a shared secret is no signature of the provider. */
const SIGNATURES = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** The refusal of an authorization response, or a person who gave up there. `why` is an error code of RFC 6749. */
export class SignInRefused extends Error {
  readonly why: string;

  constructor(why: string) {
    super(why);
    this.name = 'SignInRefused';
    this.why = why;
  }
}

/** Codes of RFC 6749 are words with underscores; other texts of a provider are not shown. */
const codeOf = (text: unknown): string => (typeof text === 'string' && /^[a-z_]{1,64}$/.test(text) ? text : 'error');

/** Libraries wrap the failure of a request in errors of their own. */
function causeOf<E>(error: unknown, kind: new (...args: never[]) => E): E | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof kind) return cause;
  return undefined;
}

function failureOf(error: unknown): ProviderFailed | SignInRefused {
  const fetched = causeOf(error, FetchFailed);
  if (fetched !== undefined) return new ProviderFailed(fetched.failure, fetched.detail, error);
  if (error instanceof oidc.AuthorizationResponseError) return new SignInRefused(codeOf(error.error));
  if (error instanceof oidc.ResponseBodyError) {
    const code = codeOf(error.error);
    // A used or foreign code is a matter of this sign-in, a wrong secret one of the settings.
    return code === 'invalid_grant' ? new SignInRefused(code) : new ProviderFailed('refused', code, error);
  }
  return new ProviderFailed('invalid_answer', error instanceof Error ? error.message.slice(0, 200) : null, error);
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error);
  }
}

/** Authenticates the client as the provider supports it: in the header if it can, otherwise in the body. */
function authenticationOf(secret: string): oidc.ClientAuth {
  if (secret === '') return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, client, body, headers);
  };
}

/** Reads the metadata at each use, so that changes of the provider hold at once. The issuer is compared by the library. */
const discover = ({ config: { issuer, clientId, ca }, secret, networks }: ProviderClient): Promise<oidc.Configuration> =>
  oidc.discovery(new URL(issuer), clientId, undefined, authenticationOf(secret), {
    timeout: TIMEOUT_S,
    [oidc.customFetch]: guardedFetch({ ca, networks }),
    execute: [
      // Signatures are verified although TLS protects the answer, so that a proxy in between cannot name a person.
      oidc.enableNonRepudiationChecks,
      // The guard of addresses permits HTTP to configured networks alone.
      ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
    ],
  });

/** Address of the provider that the browser opens. Another scheme could run a script. */
function requireWebAddress(url: URL, issuer: string): string {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && issuer.startsWith('http:')))
    throw new ProviderFailed('invalid_answer', 'authorization_endpoint is no web address');
  return url.href;
}

/** Begins the flow: the address to open, with what must be kept until the answer. */
export const beginFlow = (client: ProviderClient, given: Pick<Flow, 'redirectUri' | 'state'>, isProof: boolean) =>
  translated(async () => {
    const server = await discover(client);
    const verifier = oidc.randomPKCECodeVerifier();
    const nonce = oidc.randomNonce();
    const { scopes, signInAcr, proofAcr, issuer } = client.config;
    const acr = isProof ? proofAcr : signInAcr;
    const address = oidc.buildAuthorizationUrl(server, {
      redirect_uri: given.redirectUri,
      scope: scopes.split(/ +/).includes('openid') ? scopes : `openid ${scopes}`,
      state: given.state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(acr === '' ? {} : { acr_values: acr }),
      ...(isProof ? { max_age: '0', prompt: 'login' } : {}),
    });
    return { address: requireWebAddress(address, issuer), verifier, nonce };
  });

export interface Answered {
  claims: Record<string, unknown>;
  /** The provider's name of the session. */
  sid: string | undefined;
  acr: string | undefined;
  /** Epoch seconds of the authentication. */
  authTime: number | undefined;
}

/** Exchanges the code of an answer. The ID token is verified by signature, issuer, audience, nonce and time. */
export const finishFlow = (client: ProviderClient, flow: Flow, answer: URLSearchParams): Promise<Answered> =>
  translated(async () => {
    const server = await discover(client);
    const address = new URL(flow.redirectUri);
    address.search = answer.toString();
    const tokens = await oidc.authorizationCodeGrant(server, address, {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
      ...(flow.sessionId === null ? {} : { maxAge: SKEW_S }),
    });
    const token = tokens.claims();
    if (token === undefined) throw new ProviderFailed('invalid_answer', 'no ID token');
    const { groupsClaim, usernameClaim } = client.config;
    const isComplete = [groupsClaim, usernameClaim].every(
      (path) => Object.hasOwn(token, path.split('.')[0] ?? '') || Object.hasOwn(token, path),
    );
    const more =
      isComplete || server.serverMetadata().userinfo_endpoint === undefined
        ? {}
        : await oidc.fetchUserInfo(server, tokens.access_token, token.sub);
    return {
      claims: { ...more, ...token },
      sid: typeof token['sid'] === 'string' ? token['sid'] : undefined,
      acr: typeof token.acr === 'string' ? token.acr : undefined,
      authTime: token.auth_time,
    };
  });

/** Reads metadata and keys. */
export const testProvider = (client: ProviderClient): Promise<void> =>
  translated(async () => {
    const { jwks_uri: keys } = (await discover(client)).serverMetadata();
    if (keys === undefined) throw new ProviderFailed('invalid_answer', 'no jwks_uri');
    const answer = await guardedFetch({ ca: client.config.ca, networks: client.networks })(keys);
    if (answer.status !== 200) throw new ProviderFailed('invalid_answer', `${answer.status} for jwks_uri`);
  });

export interface LogoutOrder {
  subject: string | undefined;
  sid: string | undefined;
  /** Name of the token, which is used once. */
  jti: string;
  /** Epoch milliseconds after which the token is refused by its age. */
  endsAt: number;
}

function orderOf(payload: JWTPayload): LogoutOrder | undefined {
  const { sub, jti, iat = 0, events, nonce } = payload as JWTPayload & { events?: unknown; nonce?: unknown };
  const sid = typeof payload['sid'] === 'string' ? payload['sid'] : undefined;
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, LOGOUT_EVENT);
  // A nonce is forbidden, so that an ID token is never taken for a logout token.
  if (!isLogout || nonce !== undefined || jti === undefined || (sub === undefined && sid === undefined)) return undefined;
  return { subject: sub, sid, jti, endsAt: (iat + LOGOUT_TOKEN_S + SKEW_S) * 1000 };
}

/** Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6). Undefined: it is not valid. `now`: epoch milliseconds. */
export const verifyLogout = (client: ProviderClient, token: string, now: number): Promise<LogoutOrder | undefined> =>
  translated(async () => {
    const { config, networks } = client;
    const { issuer, jwks_uri: keys } = (await discover(client)).serverMetadata();
    if (keys === undefined) throw new ProviderFailed('invalid_answer', 'no jwks_uri');
    const jwks = createRemoteJWKSet(new URL(keys), { [joseFetch]: guardedFetch({ ca: config.ca, networks }) as typeof fetch });
    try {
      const { payload } = await jwtVerify(token, jwks, {
        issuer,
        audience: config.clientId,
        algorithms: SIGNATURES,
        requiredClaims: ['iat', 'jti'],
        maxTokenAge: LOGOUT_TOKEN_S,
        clockTolerance: SKEW_S,
        currentDate: new Date(now),
      });
      return orderOf(payload);
    } catch (error) {
      if (error instanceof joseErrors.JOSEError && causeOf(error, FetchFailed) === undefined) return undefined;
      throw error;
    }
  });
