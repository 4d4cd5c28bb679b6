import { z } from 'zod';

/** Code of an authenticator app, or recovery code; spaces and hyphens are ignored. */
export const otp = z.string().trim().max(32);

/** Own proof of the caller, which protects unattended screens: a code if a second factor is set up, otherwise the password. */
export const ownProof = { password: z.string().max(256).default(''), otp: otp.default('') };
