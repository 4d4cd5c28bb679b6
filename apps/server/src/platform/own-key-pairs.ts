import { createECDH } from 'node:crypto';
import type { CertificateSuite } from '@hes/contract/states/certificate.ts';
import type { Secrets } from './secrets.ts';

/** Curve and octets of a private key by security suite. */
const CURVES = { 1: { name: 'prime256v1', octets: 32 }, 2: { name: 'secp384r1', octets: 48 } } as const;

/** A private key is bound to its public key, which names the row. */
const purpose = (publicKey: Uint8Array): string => `head-end/${Buffer.from(publicKey).toString('hex')}`;

/** A new key pair of the head-end: its public key X ‖ Y, and its private key sealed for storage. */
export function generateKeyPair(secrets: Secrets, suite: CertificateSuite): { publicKey: Buffer; sealed: Buffer } {
  const { name, octets } = CURVES[suite];
  const ecdh = createECDH(name);
  // Without the first octet, which states that the point is not compressed.
  const publicKey = ecdh.generateKeys().subarray(1);
  const privateKey = Buffer.alloc(octets);
  const key = ecdh.getPrivateKey();
  key.copy(privateKey, octets - key.length);
  return { publicKey, sealed: secrets.seal(privateKey, purpose(publicKey)) };
}

/** Opens a private key of the head-end. Throws when it is sealed with another master key, or belongs to another public key. */
export const openPrivateKey = (secrets: Secrets, publicKey: Uint8Array, sealed: Uint8Array): Buffer =>
  secrets.open(sealed, purpose(publicKey));
