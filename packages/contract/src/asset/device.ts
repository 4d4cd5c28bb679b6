import { z } from 'zod';
import { RULES } from '../core/rules.ts';
import type { SecretName } from '../states/device.ts';
import { isGuessable } from './guessable-key.ts';
import { keyHex, spokenSecret } from './spoken.ts';

/** System title, eight octets: identifies the sender of ciphered messages. */
export const systemTitle = z
  .string()
  .trim()
  .regex(/^([0-9A-Fa-f]{16})?$/, RULES.systemTitle.en)
  .transform((value) => (value === '' ? null : value.toUpperCase()))
  .nullable()
  .default(null);

/** Absent: unchanged; null: deleted. */
const optional = <S extends z.ZodType>(name: SecretName, secret: S) => spokenSecret(name, secret.nullable().optional());

const key = keyHex.refine((value) => !isGuessable(value), RULES.guessableKey.en);

/** Secrets of a device; the API accepts them and never returns them. */
export const deviceKeys = z
  .object({
    /** Password of LLS, or secret of HLS with MD5, SHA-1 or SHA-256. */
    password: optional('password', z.string().min(1).max(32)),
    masterKey: optional('masterKey', key),
    /** Global unicast encryption key. */
    ek: optional('ek', key),
    /** Authentication key. */
    ak: optional('ak', key),
  })
  .refine((keys) => (keys.ek === undefined) === (keys.ak === undefined) && (keys.ek === null) === (keys.ak === null), {
    path: ['ak'],
    message: RULES.keyPair.en,
  })
  .refine((keys) => (keys.ek ?? '').length === (keys.ak ?? '').length, { path: ['ak'], message: RULES.keyPair.en });
export type DeviceKeys = z.infer<typeof deviceKeys>;

/** Whether each secret is stored. */
export const storedKeys = z.object({
  password: z.boolean(),
  masterKey: z.boolean(),
  ek: z.boolean(),
  ak: z.boolean(),
} satisfies Record<SecretName, z.ZodBoolean>);
export type StoredKeys = z.infer<typeof storedKeys>;
