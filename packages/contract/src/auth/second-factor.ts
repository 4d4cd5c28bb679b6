import { z } from 'zod';
import { assertionOptions, otp, ownProof } from '../core/own-proof.ts';
import { instant } from '../core/page.ts';
import { route } from '../core/route.ts';

/** Number of recovery codes issued at enrolment; each can be used once. */
export const RECOVERY_CODES = 10;
/** Minutes for which own proof is valid in a session. */
export const PROOF_MINUTES = 5;

const password = z.string().min(1).max(256);

export const ownFactor = z.object({
  isOn: z.boolean(),
  since: instant.nullable(),
  /** Number of unused recovery codes. */
  recoveryLeft: z.number().int(),
  /** End of the validity of own proof in this session; null: none is valid. */
  provedUntil: instant.nullable(),
});
export type OwnFactor = z.infer<typeof ownFactor>;

/** Step-up authentication before dangerous calls; valid for the session and `PROOF_MINUTES`. */
export const proof = {
  give: route({
    method: 'POST',
    path: '/auth/proof',
    summary: 'Give own proof: a code or a security key, or the password if no second factor is set up',
    allow: 'signed-in',
    endangers: 'account',
    body: z.object(ownProof),
    response: z.object({ provedUntil: instant }),
    errors: [
      'VALIDATION',
      'OLD_PASSWORD_WRONG',
      'OTP_REQUIRED',
      'OTP_WRONG',
      'OTP_WRONG_TRIES',
      'KEY_REFUSED',
      'LOCKED',
      'RATE_LIMIT',
      'TOO_BUSY',
    ],
  }),
  /** The challenge is bound to the session and used once. */
  key: route({
    method: 'POST',
    path: '/auth/proof/key',
    summary: 'Ask for a challenge for one of my security keys',
    allow: 'signed-in',
    endangers: 'nothing',
    response: assertionOptions,
    errors: ['NOT_FOUND', 'KEYS_NEED_ADDRESS'],
  }),
};

/** Codes as second factor of the caller, of an authenticator app (RFC 6238). */
export const secondFactor = {
  own: route({
    method: 'GET',
    path: '/auth/second-factor',
    summary: 'My second factor',
    allow: 'signed-in',
    response: ownFactor,
  }),
  /** Each call returns a new secret; only the last one is valid. */
  begin: route({
    method: 'POST',
    path: '/auth/second-factor',
    summary: 'Start to set up a second factor',
    allow: 'signed-in',
    endangers: 'account',
    body: z.object({ password }),
    response: z.object({
      /** Secret in Base32 (RFC 4648), for typing. */
      secret: z.string(),
      /** Secret as `otpauth` URI, for a QR code. */
      uri: z.string(),
    }),
    errors: ['VALIDATION', 'OLD_PASSWORD_WRONG', 'PROOF_REQUIRED', 'NOTHING_TO_DO', 'EXTERNAL_ACCOUNT', 'RATE_LIMIT', 'TOO_BUSY'],
  }),
  confirm: route({
    method: 'PUT',
    path: '/auth/second-factor',
    summary: 'Confirm the new second factor with a code; other sessions end, and the recovery codes are returned once',
    allow: 'signed-in',
    endangers: 'account',
    body: z.object({ otp }),
    response: z.object({ recoveryCodes: z.array(z.string()) }),
    errors: ['VALIDATION', 'OTP_WRONG', 'NOTHING_TO_DO', 'RATE_LIMIT', 'TOO_BUSY'],
  }),
  remove: route({
    method: 'POST',
    path: '/auth/second-factor/remove',
    summary: 'Remove my second factor; other sessions end',
    allow: 'signed-in',
    endangers: 'account',
    body: z.object({ password, otp }),
    response: z.undefined(),
    status: 204,
    errors: ['VALIDATION', 'OLD_PASSWORD_WRONG', 'OTP_WRONG', 'NOTHING_TO_DO', 'RATE_LIMIT', 'TOO_BUSY'],
  }),
};
