import type { GeneralHeader, KeyInfo } from '../xdlms/general-ciphering.ts';
import { concatOctets, keySizeOf, required, type Cipher, type SecuritySuite } from './cipher.ts';

type Agreed = Extract<KeyInfo, { kind: 'agreed' }>;
type AgreementChoice =
  | { kind: 'onePass'; signingKey: Uint8Array; peerAgreementKey: Uint8Array }
  | { kind: 'static'; agreementKey: Uint8Array; peerAgreementKey: Uint8Array };

/** Keys of the receiver of an agreed key. */
export interface AgreementKeys {
  agreementKey?: Uint8Array;
  peerAgreementKey?: Uint8Array;
  peerSigningKey?: Uint8Array;
}

// key-parameters: one-pass Diffie-Hellman C(1e, 1s), or static unified model C(0e, 2s). @spec GB 9.2
const ONE_PASS = 0x01;
const STATIC = 0x02;
const FIRST_ROUND = Uint8Array.of(0, 0, 0, 1);
/** AlgorithmID of the key derivation: an object identifier without its tag, whose last octet states purpose and key size. */
const ALGORITHM = Uint8Array.of(0x60, 0x85, 0x74, 0x05, 0x08, 0x03);
const PURPOSES = { apdu: { 16: 0, 32: 1 }, wrap: { 16: 2, 32: 3 } } as const;

/** Concatenation key derivation function of NIST SP 800-56A. One hash round yields enough octets for every suite. */
export function deriveKey(
  cipher: Cipher,
  suite: SecuritySuite,
  { secret, parties, purpose = 'apdu' }: { secret: Uint8Array; parties: Uint8Array; purpose?: keyof typeof PURPOSES },
): Uint8Array {
  const size = keySizeOf(suite) === 32 ? 32 : 16;
  const algorithm = concatOctets(ALGORITHM, Uint8Array.of(PURPOSES[purpose][size]));
  const digest = required(suite === 2 ? cipher.sha384 : cipher.sha256, 'digest of this suite');
  return digest(concatOctets(FIRST_ROUND, secret, algorithm, parties)).subarray(0, size);
}

/** Generates an ephemeral private key; `size` selects the curve. */
export function generatePrivateKey(cipher: Cipher, size: number): Uint8Array {
  const key = cipher.random(size);
  // A private key must be below the order of the curve; a cleared first bit ensures this.
  key[0] = (key[0] ?? 0) & 0x7f;
  return key;
}

const onePassParties = ({ originatorSystemTitle, recipientSystemTitle }: GeneralHeader): Uint8Array =>
  concatOctets(originatorSystemTitle, recipientSystemTitle);

/** PartyInfo of the static model. Both keys are static, so the transaction id, with its length, makes each derived key unique. */
const staticParties = ({ originatorSystemTitle, transactionId, recipientSystemTitle }: GeneralHeader): Uint8Array =>
  concatOctets(originatorSystemTitle, Uint8Array.of(transactionId.length), transactionId, recipientSystemTitle);

/** Derives a key for one APDU, and the Key-Info that the receiver needs. Throws `Error` when the public key of the receiver is invalid. */
export function agreeOnKey(
  cipher: Cipher,
  suite: SecuritySuite,
  head: GeneralHeader,
  choice: AgreementChoice,
): { key: Uint8Array; keyInfo: Agreed } {
  const computeSharedSecret = required(cipher.computeSharedSecret, 'ECDH');
  if (choice.kind === 'static') {
    const secret = required(computeSharedSecret(choice.agreementKey, choice.peerAgreementKey), 'point for this public key');
    const key = deriveKey(cipher, suite, { secret, parties: staticParties(head) });
    return { key, keyInfo: { kind: 'agreed', keyParameters: Uint8Array.of(STATIC), keyCipheredData: new Uint8Array(0) } };
  }
  const ephemeral = generatePrivateKey(cipher, choice.signingKey.length);
  const point = required(cipher.publicKeyOf, 'ECDH')(ephemeral);
  const signature = required(cipher.sign, 'ECDSA')(choice.signingKey, point);
  const secret = required(computeSharedSecret(ephemeral, choice.peerAgreementKey), 'point for this public key');
  const key = deriveKey(cipher, suite, { secret, parties: onePassParties(head) });
  return { key, keyInfo: { kind: 'agreed', keyParameters: Uint8Array.of(ONE_PASS), keyCipheredData: concatOctets(point, signature) } };
}

/** Derives the key of a received APDU. Undefined when a key is missing or invalid, or the ephemeral key is not signed by the sender. */
export function recoverAgreedKey(
  cipher: Cipher,
  suite: SecuritySuite,
  head: GeneralHeader,
  { keyParameters, keyCipheredData }: Agreed,
  { agreementKey, peerAgreementKey, peerSigningKey }: AgreementKeys,
): Uint8Array | undefined {
  if (agreementKey === undefined || keyParameters.length !== 1) return undefined;
  const computeSharedSecret = required(cipher.computeSharedSecret, 'ECDH');
  if (keyParameters[0] === STATIC) {
    const secret = peerAgreementKey && computeSharedSecret(agreementKey, peerAgreementKey);
    return secret && deriveKey(cipher, suite, { secret, parties: staticParties(head) });
  }
  const size = 2 * agreementKey.length;
  if (keyParameters[0] !== ONE_PASS || keyCipheredData.length !== 2 * size || peerSigningKey === undefined) return undefined;
  const [point, signature] = [keyCipheredData.subarray(0, size), keyCipheredData.subarray(size)];
  if (!required(cipher.verify, 'ECDSA')(peerSigningKey, point, signature)) return undefined;
  const secret = computeSharedSecret(agreementKey, point);
  return secret && deriveKey(cipher, suite, { secret, parties: onePassParties(head) });
}
