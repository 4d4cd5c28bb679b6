import { z } from 'zod';
import { otp, ownProof } from '../core/own-proof.ts';
import { instant } from '../core/page.ts';
import { route } from '../core/route.ts';

/** Handed out at enrolment; each is taken once. */
export const RECOVERY_CODES = 10;
/** So long a session that gave a code orders what is dangerous without another one. */
export const PROOF_MINUTES = 5;

const password = z.string().min(1).max(256);

export const ownFactor = z.object({
  isOn: z.boolean(),
  since: instant.nullable(),
  /** Recovery codes that were not used yet. */
  recoveryLeft: z.number().int(),
  /** Until then this session is not asked for a code again; null: it is. */
  provedUntil: instant.nullable(),
});
export type OwnFactor = z.infer<typeof ownFactor>;

/** The step-up before something dangerous: it holds for this session and `PROOF_MINUTES`. */
export const proof = {
  give: route({
    method: 'POST',
    path: '/auth/proof',
    summary: 'Prove to be there: by a code, or by the password where no second factor is set up',
    allow: 'signed-in',
    endangers: 'account',
    body: z.object(ownProof),
    response: z.object({ provedUntil: instant }),
    errors: ['VALIDATION', 'OLD_PASSWORD_WRONG', 'OTP_REQUIRED', 'OTP_WRONG', 'OTP_WRONG_TRIES', 'LOCKED', 'RATE_LIMIT', 'TOO_BUSY'],
  }),
};

/** The caller's second factor: codes of an authenticator app (RFC 6238). */
export const secondFactor = {
  own: route({
    method: 'GET',
    path: '/auth/second-factor',
    summary: 'My second factor',
    allow: 'signed-in',
    response: ownFactor,
  }),
  /** Begun again, it gives another secret; only the last one counts. */
  begin: route({
    method: 'POST',
    path: '/auth/second-factor',
    summary: 'Begin to set up a second factor',
    allow: 'signed-in',
    endangers: 'account',
    body: z.object({ password }),
    response: z.object({
      /** Base32 (RFC 4648), to be typed. */
      secret: z.string(),
      /** The same as an `otpauth` address, to be scanned. */
      uri: z.string(),
    }),
    errors: ['VALIDATION', 'OLD_PASSWORD_WRONG', 'NOTHING_TO_DO', 'RATE_LIMIT', 'TOO_BUSY'],
  }),
  confirm: route({
    method: 'PUT',
    path: '/auth/second-factor',
    summary: 'Prove the new second factor by a code; other sessions end, and recovery codes are shown once',
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
