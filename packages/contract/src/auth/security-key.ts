import { z } from 'zod';
import { id, idParams, instant } from '../core/page.ts';
import { route } from '../core/route.ts';
import { nameOf } from '../core/rules.ts';
import { CREDENTIAL_TEXT } from '../core/own-proof.ts';

/** Keys that one user can have. */
export const MAX_SECURITY_KEYS = 10;

const password = z.string().min(1).max(256);
const octets = CREDENTIAL_TEXT;
const transports = z.array(z.string().max(32)).max(10);

export const ownKey = z.object({
  id,
  name: z.string(),
  addedAt: instant,
  lastUsedAt: instant.nullable(),
  /** False: it was added under another address of the console, and works there only. */
  isUsable: z.boolean(),
});
export type OwnKey = z.infer<typeof ownKey>;

/** Options of `navigator.credentials.create` (WebAuthn Level 3, 5.4) in JSON. */
const creationOptions = z.object({
  challenge: octets,
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: octets, name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number().int() })),
  timeout: z.number().int(),
  attestation: z.literal('none'),
  excludeCredentials: z.array(z.object({ id: octets, type: z.literal('public-key'), transports: z.array(z.string()) })),
  authenticatorSelection: z.object({ residentKey: z.literal('discouraged'), userVerification: z.literal('required') }),
});

const attestation = z.object({
  id: octets,
  rawId: octets,
  type: z.literal('public-key'),
  response: z.object({ clientDataJSON: octets, attestationObject: octets, transports: transports.optional() }),
});
export type Attestation = z.infer<typeof attestation>;

/** Passkeys and security keys of the caller: a second factor that works at the console's own address only (WebAuthn Level 3). */
export const securityKey = {
  list: route({
    method: 'GET',
    path: '/auth/security-key',
    summary: 'My security keys',
    allow: 'signed-in',
    response: z.object({
      keys: z.array(ownKey),
      /** False: browsers reach the console at an address for which there are no keys. */
      isPossible: z.boolean(),
    }),
  }),
  begin: route({
    method: 'POST',
    path: '/auth/security-key',
    summary: 'Start to add a security key; the browser passes the options to the key',
    allow: 'signed-in',
    endangers: 'account',
    body: z.object({ password }),
    response: creationOptions,
    errors: [
      'VALIDATION',
      'OLD_PASSWORD_WRONG',
      'PROOF_REQUIRED',
      'KEYS_NEED_ADDRESS',
      'TOO_MANY_KEYS',
      'EXTERNAL_ACCOUNT',
      'RATE_LIMIT',
      'TOO_BUSY',
    ],
  }),
  finish: route({
    method: 'PUT',
    path: '/auth/security-key',
    summary: 'Add the security key; other sessions end, and recovery codes are returned once with the first second factor',
    allow: 'signed-in',
    endangers: 'account',
    body: z.object({ name: nameOf(64), attestation }),
    response: z.object({ recoveryCodes: z.array(z.string()) }),
    errors: ['VALIDATION', 'KEY_REFUSED', 'KEYS_NEED_ADDRESS', 'TOO_MANY_KEYS', 'EXTERNAL_ACCOUNT', 'RATE_LIMIT', 'TOO_BUSY'],
  }),
  remove: route({
    method: 'POST',
    path: '/auth/security-key/{id}/remove',
    summary: 'Remove one of my security keys; other sessions end',
    allow: 'signed-in',
    endangers: 'account',
    params: idParams,
    body: z.object({ password }),
    response: z.undefined(),
    status: 204,
    errors: ['VALIDATION', 'NOT_FOUND', 'OLD_PASSWORD_WRONG', 'PROOF_REQUIRED', 'RATE_LIMIT', 'TOO_BUSY'],
  }),
};
