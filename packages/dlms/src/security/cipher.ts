/**
 * The cryptography that DLMS needs, as a port: this package knows the rules, a platform brings the algorithms.
 * Keys are 16 octets (suites 0 and 1) or 32 (suite 2).
 */
export interface Cipher {
  /** AES-GCM with a 12-octet tag: ciphertext ‖ tag. */
  seal(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, plain: Uint8Array): Uint8Array;
  /** The plain text of `sealed` (ciphertext ‖ tag), or undefined when it is not authentic. */
  open(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array | undefined;
  /** Unpredictable octets. */
  random(count: number): Uint8Array;
  /** RFC 3394. */
  wrapKey?(kek: Uint8Array, key: Uint8Array): Uint8Array;
  /** RFC 3394; undefined when the wrapped key is not intact. */
  unwrapKey?(kek: Uint8Array, wrapped: Uint8Array): Uint8Array | undefined;
}

/** Octets of the GCM tag in every security suite. @spec GB 9.2 */
export const TAG_SIZE = 12;

/** Octets of a system title. @spec GB 9.2 */
export const TITLE_SIZE = 8;

/** Octets of several pieces, one after the other. */
export const concatOctets = (...pieces: Uint8Array[]): Uint8Array => joinOctets(pieces);

/** Octets of any number of pieces, one after the other. */
export function joinOctets(pieces: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const piece of pieces) size += piece.length;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Whether two secrets are the same, in a time that does not tell where they differ. */
export function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
