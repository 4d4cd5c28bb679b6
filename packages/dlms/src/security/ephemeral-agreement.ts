import type { GlobalKeyId } from '../cosem/classes/security-setup.ts';
import { concatOctets, required, type Cipher, type SecuritySuite } from './cipher.ts';
import { deriveKey, generatePrivateKey } from './key-agreement.ts';

/** The contribution of one side to an agreed global key: the private key, which it keeps, and the octets it sends. */
export interface EphemeralOffer {
  privateKey: Uint8Array;
  /** The ephemeral public key X ‖ Y and its signature. */
  keyData: Uint8Array;
}

/** Key ids as key_agreement encodes them. @spec BB 4 (class_id 64) */
const KEY_NUMBERS = {
  globalUnicastEncryption: 0,
  globalBroadcastEncryption: 1,
  authentication: 2,
  master: 3,
} as const satisfies Record<GlobalKeyId, number>;

/** The signature covers the key id too: an offer cannot be replayed for another key. */
const signedPart = (keyId: GlobalKeyId, publicKey: Uint8Array): Uint8Array => concatOctets(Uint8Array.of(KEY_NUMBERS[keyId]), publicKey);

/** Generates an ephemeral key pair and signs its public key. @spec GB 9.2 (ephemeral unified model C(2e, 0s)) */
export function createEphemeralOffer(cipher: Cipher, keyId: GlobalKeyId, signingKey: Uint8Array): EphemeralOffer {
  const privateKey = generatePrivateKey(cipher, signingKey.length);
  const publicKey = required(cipher.publicKeyOf, 'ECDH')(privateKey);
  const signature = required(cipher.sign, 'ECDSA')(signingKey, signedPart(keyId, publicKey));
  return { privateKey, keyData: concatOctets(publicKey, signature) };
}

/** Derives the global key from both offers. Undefined unless the peer signed its offer for this key id. */
export function deriveKeyFromOffers(
  cipher: Cipher,
  suite: SecuritySuite,
  offers: { keyId: GlobalKeyId; own: EphemeralOffer; peerKeyData: Uint8Array; peerSigningKey: Uint8Array },
  titles: { client: Uint8Array; server: Uint8Array },
): Uint8Array | undefined {
  const { keyId, own, peerKeyData, peerSigningKey } = offers;
  const size = peerSigningKey.length;
  if (peerKeyData.length !== 2 * size || own.keyData.length !== 2 * size) return undefined;
  const [publicKey, signature] = [peerKeyData.subarray(0, size), peerKeyData.subarray(size)];
  if (!required(cipher.verify, 'ECDSA')(peerSigningKey, signedPart(keyId, publicKey), signature)) return undefined;
  const secret = required(cipher.computeSharedSecret, 'ECDH')(own.privateKey, publicKey);
  const parties = concatOctets(titles.client, titles.server);
  return secret && deriveKey(cipher, suite, { secret, parties, purpose: keyId === 'master' ? 'wrap' : 'apdu' });
}
