import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const IV_OCTETS = 12;
const TAG_OCTETS = 16;
const VERSION = 1;

/** Encryption at rest with the master key: AES-256-GCM, stored as version ‖ iv ‖ tag ‖ ciphertext. */
export interface Secrets {
  /** `purpose` binds the secret to its place, so that one row's secret cannot be moved into another: `meter/123/ek`. */
  seal(plain: Uint8Array, purpose: string): Buffer;
  /** Throws when the master key is another one or the secret was moved. */
  open(sealed: Uint8Array, purpose: string): Buffer;
  /** A key of its own for another use, from the same master key. */
  derive(purpose: string): Buffer;
}

/** The key of the hashes that chain the audit log and the command log. */
export const chainKeyOf = (secrets: Secrets): Buffer => secrets.derive('chains of logs');

export function createSecrets(masterKey: Uint8Array): Secrets {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', masterKey, 'hes', purpose, 32));
  const key = derive('secrets at rest');
  return {
    derive,
    seal(plain, purpose) {
      const iv = randomBytes(IV_OCTETS);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), body]);
    },
    open(sealed, purpose) {
      if (sealed[0] !== VERSION || sealed.length < 1 + IV_OCTETS + TAG_OCTETS) throw new Error(`Not a sealed secret: ${purpose}`);
      const iv = sealed.subarray(1, 1 + IV_OCTETS);
      const tag = sealed.subarray(1 + IV_OCTETS, 1 + IV_OCTETS + TAG_OCTETS);
      const decipher = createDecipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose)).setAuthTag(tag);
      const plain = decipher.update(sealed.subarray(1 + IV_OCTETS + TAG_OCTETS));
      // Gives no octets in this mode, and throws when the tag does not fit.
      decipher.final();
      return plain;
    },
  };
}
