import { z } from 'zod';

/** Code of an authenticator app, or recovery code; spaces and hyphens are ignored. */
export const otp = z.string().trim().max(32);

/** Octets in base64url, as keys of browsers exchange them. */
export const CREDENTIAL_TEXT = z
  .string()
  .max(8192)
  .regex(/^[\w-]*$/);

/** Signature of a security key over a challenge (WebAuthn Level 3, 6.3.3) in JSON. */
export const assertion = z.object({
  id: CREDENTIAL_TEXT,
  rawId: CREDENTIAL_TEXT,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: CREDENTIAL_TEXT,
    authenticatorData: CREDENTIAL_TEXT,
    signature: CREDENTIAL_TEXT,
    userHandle: CREDENTIAL_TEXT.nullish(),
  }),
});
export type Assertion = z.infer<typeof assertion>;

/** Options of `navigator.credentials.get` (WebAuthn Level 3, 5.5) in JSON. */
export const assertionOptions = z.object({
  challenge: CREDENTIAL_TEXT,
  rpId: z.string(),
  timeout: z.number().int(),
  userVerification: z.literal('required'),
  allowCredentials: z.array(z.object({ id: CREDENTIAL_TEXT, type: z.literal('public-key'), transports: z.array(z.string()) })),
});
export type AssertionOptions = z.infer<typeof assertionOptions>;

/** Kinds of own proof. `key`: a security key; a code counts as well. */
export const proofKind = z.enum(['code', 'key', 'password', 'provider']);
export type ProofKind = z.infer<typeof proofKind>;

/** Own proof of the caller, which protects unattended screens: a code or key if a second factor is set up, otherwise the password. */
export const ownProof = {
  password: z.string().max(256).default(''),
  otp: otp.default(''),
  /** The answer of a security key to the challenge of `POST /auth/proof/key`. */
  assertion: assertion.optional(),
};
