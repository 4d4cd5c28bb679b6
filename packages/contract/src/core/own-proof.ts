import { z } from 'zod';

/** A code of an authenticator app, or a recovery code; spaces and hyphens are as people type them. */
export const otp = z.string().trim().max(32);

/** The caller's own, so that an unattended screen orders nothing: who has a second factor gives a code, who has none the password. */
export const ownProof = { password: z.string().max(256).default(''), otp: otp.default('') };
