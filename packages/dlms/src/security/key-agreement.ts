import type { GeneralHeader, KeyInfo } from '../xdlms/general-ciphering.ts';
import { concatOctets, keySizeOf, needed, type Cipher, type SecuritySuite } from './cipher.ts';

type Agreed = Extract<KeyInfo, { kind: 'agreed' }>;
type AgreementChoice =
  | { kind: 'onePass'; signingKey: Uint8Array; peerAgreementKey: Uint8Array }
  | { kind: 'static'; agreementKey: Uint8Array; peerAgreementKey: Uint8Array };

/** What the receiver of an agreed key has. */
export interface AgreementKeys {
  agreementKey?: Uint8Array;
  peerAgreementKey?: Uint8Array;
  peerSigningKey?: Uint8Array;
}

// key-parameters: one-pass Diffie-Hellman C(1e, 1s), or static unified model C(0e, 2s). @spec GB 9.2
const ONE_PASS = 0x01;
const STATIC = 0x02;
const FIRST_ROUND = Uint8Array.of(0, 0, 0, 1);
/** What the derived key is for: AES-GCM-128 or AES-GCM-256, as object identifiers without their tag. */
const ALGORITHM = {
  16: Uint8Array.of(0x60, 0x85, 0x74, 0x05, 0x08, 0x03, 0x00),
  32: Uint8Array.of(0x60, 0x85, 0x74, 0x05, 0x08, 0x03, 0x01),
};

/** Concatenation key derivation of NIST SP 800-56A; one round gives enough. */
function derive(cipher: Cipher, suite: SecuritySuite, secret: Uint8Array, parties: Uint8Array): Uint8Array {
  const size = keySizeOf(suite);
  const algorithm = size === 32 ? ALGORITHM[32] : ALGORITHM[16];
  const digest = needed(suite === 2 ? cipher.sha384 : cipher.sha256, 'digest of this suite');
  return digest(concatOctets(FIRST_ROUND, secret, algorithm, parties)).subarray(0, size);
}

const onePassParties = ({ originatorSystemTitle, recipientSystemTitle }: GeneralHeader): Uint8Array =>
  concatOctets(originatorSystemTitle, recipientSystemTitle);

/** Both ends have nothing but static keys: the transaction id, with its length before it, makes each derived key another one. */
const staticParties = ({ originatorSystemTitle, transactionId, recipientSystemTitle }: GeneralHeader): Uint8Array =>
  concatOctets(originatorSystemTitle, Uint8Array.of(transactionId.length), transactionId, recipientSystemTitle);

/** A key for one APDU, and what the receiver needs to come to the same. Throws `Error` when the receiver's key is none. */
export function agreedKey(
  cipher: Cipher,
  suite: SecuritySuite,
  head: GeneralHeader,
  choice: AgreementChoice,
): { key: Uint8Array; keyInfo: Agreed } {
  const agree = needed(cipher.agree, 'ECDH');
  if (choice.kind === 'static') {
    const secret = needed(agree(choice.agreementKey, choice.peerAgreementKey), 'point for this public key');
    const key = derive(cipher, suite, secret, staticParties(head));
    return { key, keyInfo: { kind: 'agreed', keyParameters: Uint8Array.of(STATIC), keyCipheredData: new Uint8Array(0) } };
  }
  const ephemeral = cipher.random(choice.signingKey.length);
  // A number above the order of the curve is no key; clearing its first bit keeps it below.
  ephemeral[0] = (ephemeral[0] ?? 0) & 0x7f;
  const point = needed(cipher.publicKeyOf, 'ECDH')(ephemeral);
  const signature = needed(cipher.sign, 'ECDSA')(choice.signingKey, point);
  const secret = needed(agree(ephemeral, choice.peerAgreementKey), 'point for this public key');
  const key = derive(cipher, suite, secret, onePassParties(head));
  return { key, keyInfo: { kind: 'agreed', keyParameters: Uint8Array.of(ONE_PASS), keyCipheredData: concatOctets(point, signature) } };
}

/** The key that the sender came to; undefined when it cannot be agreed on, or its part is not signed by the sender. */
export function keyFromAgreement(
  cipher: Cipher,
  suite: SecuritySuite,
  head: GeneralHeader,
  { keyParameters, keyCipheredData }: Agreed,
  { agreementKey, peerAgreementKey, peerSigningKey }: AgreementKeys,
): Uint8Array | undefined {
  if (agreementKey === undefined || keyParameters.length !== 1) return undefined;
  const agree = needed(cipher.agree, 'ECDH');
  if (keyParameters[0] === STATIC) {
    const secret = peerAgreementKey && agree(agreementKey, peerAgreementKey);
    return secret && derive(cipher, suite, secret, staticParties(head));
  }
  const size = 2 * agreementKey.length;
  if (keyParameters[0] !== ONE_PASS || keyCipheredData.length !== 2 * size || peerSigningKey === undefined) return undefined;
  const [point, signature] = [keyCipheredData.subarray(0, size), keyCipheredData.subarray(size)];
  if (!needed(cipher.verify, 'ECDSA')(peerSigningKey, point, signature)) return undefined;
  const secret = agree(agreementKey, point);
  return secret && derive(cipher, suite, secret, onePassParties(head));
}
