import { z } from 'zod';
import { RULES } from '../core/rules.ts';

/** Eight octets: whom a device's messages come from. */
export const systemTitle = z
  .string()
  .trim()
  .regex(/^([0-9A-Fa-f]{16})?$/, RULES.systemTitle.en)
  .transform((value) => (value === '' ? null : value.toUpperCase()))
  .nullable()
  .default(null);

/** A key in hexadecimal: 16 octets for suites 0 and 1, 32 for suite 2. */
export const keyHex = z
  .string()
  .trim()
  .regex(/^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{64})$/, RULES.key.en);

/** Absent: stays; null: is taken away. */
const key = keyHex.nullable().optional();

/** Secrets of a device: they travel towards the server and never back. */
export const deviceKeys = z
  .object({
    /** Of low level security. */
    password: z.string().min(1).max(32).nullable().optional(),
    masterKey: key,
    /** Encrypts. */
    ek: key,
    /** Authenticates. */
    ak: key,
  })
  .refine((keys) => (keys.ek === undefined) === (keys.ak === undefined) && (keys.ek === null) === (keys.ak === null), {
    path: ['ak'],
    message: RULES.keyPair.en,
  })
  .refine((keys) => (keys.ek ?? '').length === (keys.ak ?? '').length, { path: ['ak'], message: RULES.keyPair.en });
export type DeviceKeys = z.infer<typeof deviceKeys>;

/** Which secrets are stored. */
export const storedKeys = z.object({ password: z.boolean(), masterKey: z.boolean(), ek: z.boolean(), ak: z.boolean() });
export type StoredKeys = z.infer<typeof storedKeys>;
