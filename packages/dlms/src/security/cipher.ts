import { newOctets } from '../codec/new-octets.ts';

/**
 * The cryptography that DLMS needs, as a port: this package knows the rules, a platform brings the algorithms.
 * Keys are 16 octets (suites 0 and 1) or 32 (suite 2). What is handed over is read before a call returns, and not kept.
 */
export interface Cipher {
  /** AES-GCM with a 12-octet tag: ciphertext ‖ tag. */
  seal(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, plain: Uint8Array): Uint8Array;
  /**
   * The plain text of `sealed` (ciphertext ‖ tag), or undefined when it is not authentic. It begins at `from`, or with
   * the first octet: who has it within an APDU need not cut it out.
   */
  open(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, sealed: Uint8Array, from?: number): Uint8Array | undefined;
  /** Unpredictable octets. */
  random(count: number): Uint8Array;
  /** RFC 3394. */
  wrapKey?(kek: Uint8Array, key: Uint8Array): Uint8Array;
  /** RFC 3394; undefined when the wrapped key is not intact. */
  unwrapKey?(kek: Uint8Array, wrapped: Uint8Array): Uint8Array | undefined;
  /** AES-128 of whole blocks of 16 octets, each on its own: what manufacturers make of HLS mechanism 2. */
  encryptBlocks?(key: Uint8Array, blocks: Uint8Array): Uint8Array;
  md5?(octets: Uint8Array): Uint8Array;
  sha1?(octets: Uint8Array): Uint8Array;
  sha256?(octets: Uint8Array): Uint8Array;
  sha384?(octets: Uint8Array): Uint8Array;
  /** ECDSA, r ‖ s. A private key of 32 octets is one of P-256 with SHA-256, one of 48 of P-384 with SHA-384. */
  sign?(privateKey: Uint8Array, octets: Uint8Array): Uint8Array;
  /** Whether r ‖ s is the signature of `octets` under the public key X ‖ Y. */
  verify?(publicKey: Uint8Array, octets: Uint8Array, signature: Uint8Array): boolean;
  /** ECDH: the x coordinate both sides come to; undefined when the public key is no point of the curve. */
  computeSharedSecret?(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined;
  /** X ‖ Y of a private key. */
  publicKeyOf?(privateKey: Uint8Array): Uint8Array;
}

/** Security suites: 0 and 1 with AES-128, 2 with AES-256; signatures with P-256 in suite 1, with P-384 in suite 2. */
export type SecuritySuite = 0 | 1 | 2;

/** Octets of every key of a suite, wrapping keys included. @spec GB 9.2 */
export const keySizeOf = (suite: number): number => (suite === 2 ? 32 : 16);

/** A member of the port that this platform may not bring. Throws `Error` when it does not: that is no peer's fault. */
export function required<T>(member: T | undefined, name: string): T {
  if (member === undefined) throw new Error(`The cipher of this platform has no ${name}`);
  return member;
}

/** Octets of the GCM tag in every security suite. @spec GB 9.2 */
export const GCM_TAG_LENGTH = 12;

/** Octets of a system title. @spec GB 9.2 */
export const SYSTEM_TITLE_LENGTH = 8;

/** Octets of several pieces, one after the other. */
export const concatOctets = (...pieces: Uint8Array[]): Uint8Array => joinOctets(pieces);

/** Octets of any number of pieces, one after the other. */
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

/** Whether two secrets are the same, in a time that does not tell where they differ. */
export function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
