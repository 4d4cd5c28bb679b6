import { newOctets } from '../codec/new-octets.ts';

/**
 * The cryptographic primitives of DLMS as a port that each platform implements. Keys have 16 octets (suites 0 and 1) or 32 (suite 2). An
 * implementation must not keep references to its arguments after it returns.
 */
export interface Cipher {
  /** AES-GCM with a 12-octet tag. Returns ciphertext ‖ tag. */
  seal(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, plain: Uint8Array): Uint8Array;
  /**
   * AES-GCM decryption of `sealed` (ciphertext ‖ tag); undefined when authentication fails. The ciphertext begins at `from` (default 0),
   * which saves a view into the APDU.
   */
  open(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, sealed: Uint8Array, from?: number): Uint8Array | undefined;
  /** Cryptographically secure random octets. */
  random(count: number): Uint8Array;
  /** RFC 3394. */
  wrapKey?(kek: Uint8Array, key: Uint8Array): Uint8Array;
  /** RFC 3394; undefined when the wrapped key is not intact. */
  unwrapKey?(kek: Uint8Array, wrapped: Uint8Array): Uint8Array | undefined;
  /** AES-128 in ECB mode on whole blocks of 16 octets; manufacturers use it for HLS mechanism 2. */
  encryptBlocks?(key: Uint8Array, blocks: Uint8Array): Uint8Array;
  md5?(octets: Uint8Array): Uint8Array;
  sha1?(octets: Uint8Array): Uint8Array;
  sha256?(octets: Uint8Array): Uint8Array;
  sha384?(octets: Uint8Array): Uint8Array;
  /** Returns the ECDSA signature r ‖ s. A private key of 32 octets selects P-256 with SHA-256, one of 48 octets P-384 with SHA-384. */
  sign?(privateKey: Uint8Array, octets: Uint8Array): Uint8Array;
  /** Verifies the ECDSA signature r ‖ s of `octets` with the public key X ‖ Y. */
  verify?(publicKey: Uint8Array, octets: Uint8Array, signature: Uint8Array): boolean;
  /** ECDH: the x coordinate of the shared point; undefined when the public key is not on the curve. */
  computeSharedSecret?(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined;
  /** The public key X ‖ Y of a private key. */
  publicKeyOf?(privateKey: Uint8Array): Uint8Array;
}

/** Security suites: 0 and 1 use AES-128, 2 uses AES-256. Signatures use P-256 in suite 1 and P-384 in suite 2. */
export type SecuritySuite = 0 | 1 | 2;

/** Key length of a suite in octets, for wrapping keys as well. @spec GB 9.2 */
export const keySizeOf = (suite: number): number => (suite === 2 ? 32 : 16);

/** Returns a value that the caller cannot do without, such as an optional member of the cipher. Throws `Error` when it is absent. */
export function required<T>(member: T | undefined, name: string): T {
  if (member === undefined) throw new Error(`Missing: ${name}`);
  return member;
}

/** Length of the GCM tag in octets, the same in every suite. @spec GB 9.2 */
export const GCM_TAG_LENGTH = 12;

/** Length of a system title in octets. @spec GB 9.2 */
export const SYSTEM_TITLE_LENGTH = 8;

/** Concatenates octet strings. */
export const concatOctets = (...pieces: Uint8Array[]): Uint8Array => joinOctets(pieces);

/** Concatenates a list of octet strings. */
export function joinOctets(pieces: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const piece of pieces) size += piece.length;
  const whole = newOctets(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Compares two secrets in constant time, which does not leak the position of the first difference. */
export function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
