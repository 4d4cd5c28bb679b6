import { decode, encode, sequence } from '../codec/codec.ts';
import { DecodeError, type DecodeFault } from '../codec/decode-error.ts';
import { generalCiphering, generalHeader, type GeneralCiphering, type GeneralHeader, type KeyInfo } from '../xdlms/general-ciphering.ts';
import { generalSigning, type GeneralSigning } from '../xdlms/general-signing.ts';
import { compress, COMPRESSED, decompress, reasonAgainstCompression, uncompressed } from './compression.ts';
import { concatOctets, equalInConstantTime, keySizeOf, required, SYSTEM_TITLE_LENGTH, type Cipher, type SecuritySuite } from './cipher.ts';
import { agreeOnKey, recoverAgreedKey } from './key-agreement.ts';
import { initializationVector, unprotectBody, POLICY_BITS, protectBody, type SecurityKeys, type SecurityPolicy } from './protection.ts';

const SUITE_MASK = 0x0f;
const header = sequence(generalHeader);
const NOTHING = new Uint8Array(0);

/** Key-Info: how the receiver finds the key of a general-ciphering APDU. */
export type KeyChoice =
  /** A global key that both sides hold. */
  | { kind: 'identified'; key: 'unicast' | 'broadcast' }
  /** A fresh key, wrapped with the master key. */
  | { kind: 'wrapped'; kek: Uint8Array }
  /** One-pass Diffie-Hellman: an ephemeral, signed key of ours and the static key of the receiver. */
  | { kind: 'onePass'; signingKey: Uint8Array; peerAgreementKey: Uint8Array }
  /** Static unified model: the static agreement keys of both sides, diversified by the transaction id. */
  | { kind: 'static'; agreementKey: Uint8Array; peerAgreementKey: Uint8Array };

/** Parameters of the sender of a general-ciphering APDU. */
export interface GeneralProtection {
  cipher: Cipher;
  suite: SecuritySuite;
  policy: SecurityPolicy;
  keys: SecurityKeys;
  choice: KeyChoice;
  /** Compress the APDU by V.44 first, if that makes it shorter. */
  compressed?: boolean | undefined;
  /** Must rise over all APDUs to this receiver. A replayed APDU brings its own fresh key, so the key gives no replay protection. */
  counter: number;
  header: { transactionId: Uint8Array; originatorSystemTitle: Uint8Array; recipientSystemTitle: Uint8Array } & Partial<GeneralHeader>;
}

const fullHeader = (given: GeneralProtection['header']): GeneralHeader => ({ dateTime: NOTHING, otherInformation: NOTHING, ...given });

function keyFor({ cipher, suite, keys, choice }: GeneralProtection, head: GeneralHeader): { key: Uint8Array; keyInfo: KeyInfo } {
  switch (choice.kind) {
    case 'identified': {
      const key = choice.key === 'unicast' ? keys.ek : required(keys.bk, 'broadcast key');
      const keyId = choice.key === 'unicast' ? 'globalUnicastEncryption' : 'globalBroadcastEncryption';
      return { key, keyInfo: { kind: 'identified', keyId } };
    }
    case 'wrapped': {
      const key = cipher.random(keySizeOf(suite));
      return { key, keyInfo: { kind: 'wrapped', kekId: 'master', keyCipheredData: required(cipher.wrapKey, 'wrapKey')(choice.kek, key) } };
    }
    default:
      return agreeOnKey(cipher, suite, head, choice);
  }
}

/** Applies general ciphering to a plain APDU. @spec GB 9.2 (general-ciphering) */
export function protectGeneralCiphering(plain: Uint8Array, protection: GeneralProtection): Uint8Array {
  const { cipher, suite, policy, keys, counter } = protection;
  const head = fullHeader(protection.header);
  const { key, keyInfo } = keyFor(protection, head);
  const { content, flag } = protection.compressed === true ? compress(plain, suite, POLICY_BITS[policy]) : uncompressed(plain);
  const securityControl = POLICY_BITS[policy] | flag | suite;
  const iv = initializationVector(head.originatorSystemTitle, counter);
  const body = protectBody(cipher, { key, ak: keys.ak, iv, securityControl, header: encode(header, head) }, content);
  return encode(generalCiphering, { ...head, keyInfo, service: { securityControl, invocationCounter: counter, body } });
}

/** Keys and state of the receiver of a general-ciphering APDU. */
export interface GeneralUnprotectOptions {
  cipher: Cipher;
  suite: SecuritySuite;
  /** Minimum protection that is accepted. */
  policy: SecurityPolicy;
  keys: SecurityKeys;
  /** Master key, for wrapped keys. */
  kek?: Uint8Array;
  /** For agreed keys: our private key, and the public keys X ‖ Y of the sender for agreement and for signatures. */
  agreementKey?: Uint8Array;
  peerAgreementKey?: Uint8Array;
  peerSigningKey?: Uint8Array;
  ownTitle: Uint8Array;
  peerTitle: Uint8Array;
  /** Highest counter accepted from this sender under the broadcast key or under all other keys; -1 for none. */
  lastCounter(kind: 'unicast' | 'broadcast'): number;
}

export interface UnprotectedService {
  plain: Uint8Array;
  envelope: GeneralCiphering;
  kind: 'unicast' | 'broadcast';
  counter: number;
}

/**
 * Verifies and deciphers an APDU. Throws `DecodeError`: `NOT_AUTHENTIC` when sender, recipient or tag do not match, `COUNTER_NOT_RISING`
 * for a replay, `BAD_VALUE` for less protection than the policy requires.
 */
export function unprotectGeneralCiphering(apdu: Uint8Array, options: GeneralUnprotectOptions): UnprotectedService {
  const envelope = decode(generalCiphering, apdu);
  const { cipher, keys, ownTitle, peerTitle, policy, suite } = options;
  const { securityControl, invocationCounter: counter, body } = envelope.service;
  const wanted = POLICY_BITS[policy];
  const isCompressed = (securityControl & COMPRESSED) !== 0;
  const why = isCompressed ? reasonAgainstCompression(suite, securityControl) : undefined;
  if (why !== undefined) fail({ code: 'BAD_VALUE', reason: why });
  if ((securityControl & SUITE_MASK) !== suite) fail({ code: 'BAD_VALUE', reason: 'another security suite' });
  if ((securityControl & wanted) !== wanted) fail({ code: 'BAD_VALUE', reason: 'less protection than the policy requires' });
  checkTitles(envelope, { ownTitle, peerTitle });
  const info = envelope.keyInfo ?? { kind: 'identified', keyId: 'globalUnicastEncryption' };
  const kind = info.kind === 'identified' && info.keyId === 'globalBroadcastEncryption' ? 'broadcast' : 'unicast';
  const last = options.lastCounter(kind);
  if (counter <= last) fail({ code: 'COUNTER_NOT_RISING', counter, last });
  const head = headerOf(envelope);
  const key = keyOf(info, head, options);
  const iv = initializationVector(envelope.originatorSystemTitle, counter);
  const content = key && unprotectBody(cipher, { key, ak: keys.ak, iv, securityControl, header: encode(header, head) }, body);
  if (content === undefined) fail({ code: 'NOT_AUTHENTIC' });
  return { plain: isCompressed ? decompress(content) : content, envelope, kind, counter };
}

function checkTitles(
  { originatorSystemTitle, recipientSystemTitle }: GeneralHeader,
  own: { ownTitle: Uint8Array; peerTitle: Uint8Array },
): void {
  // An empty recipient title addresses every receiver: a broadcast.
  const forUs = recipientSystemTitle.length === 0 || equalInConstantTime(recipientSystemTitle, own.ownTitle);
  const known = originatorSystemTitle.length === SYSTEM_TITLE_LENGTH && equalInConstantTime(originatorSystemTitle, own.peerTitle);
  if (!forUs || !known) fail({ code: 'NOT_AUTHENTIC' });
}

const headerOf = ({
  transactionId,
  originatorSystemTitle,
  recipientSystemTitle,
  dateTime,
  otherInformation,
}: GeneralHeader): GeneralHeader => ({
  transactionId,
  originatorSystemTitle,
  recipientSystemTitle,
  dateTime,
  otherInformation,
});

function keyOf(info: KeyInfo, head: GeneralHeader, options: GeneralUnprotectOptions): Uint8Array | undefined {
  const { cipher, suite, keys, kek } = options;
  switch (info.kind) {
    case 'identified':
      return info.keyId === 'globalUnicastEncryption' ? keys.ek : keys.bk;
    case 'wrapped': {
      const key = kek && required(cipher.unwrapKey, 'unwrapKey')(kek, info.keyCipheredData);
      return key?.length === keySizeOf(suite) ? key : undefined;
    }
    default:
      return recoverAgreedKey(cipher, suite, head, info, options);
  }
}

/** Adds a digital signature, which gives non-repudiation. @spec GB 9.2 (general-signing) */
export function applyGeneralSigning(
  content: Uint8Array,
  { cipher, privateKey, header: given }: { cipher: Cipher; privateKey: Uint8Array; header: GeneralProtection['header'] },
): Uint8Array {
  const head = fullHeader(given);
  const signature = required(cipher.sign, 'ECDSA')(privateKey, concatOctets(encode(header, head), content));
  return encode(generalSigning, { ...head, content, signature });
}

/** Verifies a signed APDU. Throws `DecodeError`; `NOT_AUTHENTIC` when sender, recipient or signature do not match. */
export function verifyGeneralSigning(
  apdu: Uint8Array,
  known: { cipher: Cipher; publicKey: Uint8Array; ownTitle: Uint8Array; peerTitle: Uint8Array },
): GeneralSigning {
  const envelope = decode(generalSigning, apdu);
  checkTitles(envelope, known);
  const signed = concatOctets(encode(header, headerOf(envelope)), envelope.content);
  if (!required(known.cipher.verify, 'ECDSA')(known.publicKey, signed, envelope.signature)) fail({ code: 'NOT_AUTHENTIC' });
  return envelope;
}

function fail(fault: DecodeFault): never {
  throw new DecodeError(fault, { offset: 0, path: 'general' });
}
