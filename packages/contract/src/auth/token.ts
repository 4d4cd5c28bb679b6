import { z } from 'zod';
import { id } from '../core/page.ts';
import { otp } from '../core/own-proof.ts';
import { route } from '../core/route.ts';
import { sessionUser } from './session-user.ts';

export const OAUTH_CLIENT = 'hes-console';

/** Answer to a sign-in or refresh (RFC 6749 5.1). */
export const signedIn = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.number().int(),
  user: sessionUser.extend({ mustChangePassword: z.boolean() }),
});

export const token = {
  /**
   * RFC 6749 4.3 with `Authorization: Basic base64("hes-console:")`. The refresh token is an HttpOnly cookie and is rotated at each use.
   * For users with a second factor the call fails with `MFA_REQUIRED` and a `ticket`; the client repeats it with `otp` or the `assertion` of
   * a security key, and the ticket in place of name, password and slider.
   *
   * RFC 6749 4.4 for programs: `grant_type=client_credentials`, with the user name of the service account as client id and its token as
   * client secret, in the Authorization header or in the body.
   */
  issue: route({
    method: 'POST',
    path: '/auth/oauth2/token',
    summary: 'Sign in, or refresh an access token',
    allow: 'public',
    endangers: 'nothing',
    bodyType: 'form',
    body: z.object({
      grant_type: z.string(),
      username: z.string().max(64).optional(),
      password: z.string().max(256).optional(),
      slider: z.string().max(128).optional(),
      /** Directory that judges name and password; absent: this system. */
      provider: id.optional(),
      ticket: z.string().max(128).optional(),
      otp: otp.optional(),
      /** The answer of a security key to the ticket, as JSON in place of `otp`. */
      assertion: z.string().max(16_384).optional(),
      client_id: z.string().max(64).optional(),
      client_secret: z.string().max(128).optional(),
    }),
    v1: {
      description:
        'Issues an access token of fifteen minutes to a program: client credentials of OAuth 2.0 (RFC 6749 4.4). The client id is the user name of the service account, the client secret is its token; send both as Basic authorization or in the body. Ask for a new access token before the old one ends. The other grants are for the console.',
      example: {
        body: { grant_type: 'client_credentials', client_id: 'mdm-import', client_secret: 'hes_17_<the secret shown once>' },
        response: {
          access_token: 'eyJhbGciOiJIUzI1NiJ9.e30.signature',
          token_type: 'Bearer',
          expires_in: 900,
          user: { id: '42', username: 'mdm-import', name: 'Meter data management', mustChangePassword: false },
        },
      },
    },
    response: signedIn,
    errors: [
      'INVALID_CLIENT',
      'INVALID_GRANT',
      'INVALID_GRANT_TRIES',
      'SLIDER_INVALID',
      'MFA_REQUIRED',
      'MFA_EXPIRED',
      'OTP_WRONG',
      'OTP_WRONG_TRIES',
      'KEY_REFUSED',
      'UNSUPPORTED_GRANT',
      'LOCKED',
      'LOCAL_SIGN_IN_OFF',
      'PROVIDER_FAILED',
      'PROVIDER_REFUSED',
      'NO_ROLE_OF_PROVIDER',
      'NAME_TAKEN',
      'CHANGED_OUTSIDE',
      'ADDRESS_REFUSED',
      'RATE_LIMIT',
      'TOO_BUSY',
    ],
  }),
  revoke: route({
    method: 'POST',
    path: '/auth/oauth2/revoke',
    summary: 'Sign out',
    allow: 'public',
    endangers: 'nothing',
    response: z.undefined(),
    status: 204,
  }),
};
