import { z } from 'zod';
import { id, idParams, instant } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { signedIn } from './token.ts';

/** Path of the console that providers return to. It is registered with each provider. */
export const RETURN_PATH = `/hes${PAGE_PATH.login}`;

/** Page of the console to open after the sign-in: a path of the console, never another site. */
const returnTo = z
  .string()
  .max(2048)
  .regex(/^\/(?![/\\])[^\\]*$/)
  .optional()
  .catch(undefined);

/** Sign-in and own proof by an identity provider: authorization code flow with PKCE (OpenID Connect Core 1.0). */
export const external = {
  start: route({
    method: 'POST',
    path: '/auth/external/start',
    summary: 'Begin a sign-in at an identity provider; the browser opens the address',
    allow: 'public',
    endangers: 'nothing',
    body: z.object({ providerId: id, returnTo }),
    response: z.object({ address: z.string() }),
    errors: ['VALIDATION', 'NOT_FOUND', 'RATE_LIMIT', 'PROVIDER_FAILED'],
  }),
  /** The browser that began the sign-in has a cookie without which the answer of the provider is refused. */
  finish: route({
    method: 'POST',
    path: '/auth/external/finish',
    summary: 'Finish a sign-in, or own proof, with the answer of the provider',
    allow: 'public',
    endangers: 'nothing',
    body: z.object({ answer: z.string().max(16_384) }),
    response: z.object({ signedIn: signedIn.nullable(), provedUntil: instant.nullable(), returnTo: z.string().nullable() }),
    errors: [
      'VALIDATION',
      'RATE_LIMIT',
      'PROVIDER_FAILED',
      'PROVIDER_REFUSED',
      'FLOW_INVALID',
      'NO_ROLE_OF_PROVIDER',
      'NAME_TAKEN',
      'ASSURANCE_TOO_LOW',
      'LOCKED',
      'TOKEN_INVALID',
    ],
  }),
  prove: route({
    method: 'POST',
    path: '/auth/external/proof',
    summary: 'Begin own proof at the identity provider of the caller; the browser opens the address in a new window',
    allow: 'signed-in',
    endangers: 'account',
    response: z.object({ address: z.string() }),
    errors: ['NOT_FOUND', 'RATE_LIMIT', 'PROVIDER_FAILED'],
  }),
  /** OpenID Connect Back-Channel Logout 1.0, 2.5. */
  logout: route({
    method: 'POST',
    path: '/auth/external/{id}/logout',
    summary: 'Called by an identity provider: sessions of one of its users have ended',
    allow: 'public',
    endangers: 'nothing',
    bodyType: 'form',
    params: idParams,
    body: z.object({ logout_token: z.string().max(16_384) }),
    response: z.undefined(),
    errors: ['VALIDATION', 'NOT_FOUND', 'RATE_LIMIT', 'PROVIDER_FAILED', 'FLOW_INVALID'],
  }),
};
