import { DecodeError } from '../codec/decode-error.ts';
import { toHex } from '../codec/hex.ts';
import { equalInConstantTime, keySizeOf, SYSTEM_TITLE_LENGTH, type Cipher, type SecuritySuite } from '../security/cipher.ts';
import { COMPRESSED } from '../security/compression.ts';
import {
  keyKindOf,
  protect,
  isProtectedTag,
  protectionOverhead,
  readCipheredApdu,
  SIGNING_OVERHEAD,
  unprotect,
  type Protection,
  type CipheredApdu,
  type KeyKind,
  type SecurityKeys,
  type SecurityPolicy,
} from '../security/protection.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import {
  unprotectGeneralCiphering,
  verifyGeneralSigning,
  protectGeneralCiphering,
  applyGeneralSigning,
  type GeneralUnprotectOptions,
  type KeyChoice,
} from '../security/general-protection.ts';
import { AssociationError } from './association-error.ts';

/** Keys of general ciphering, in addition to the global keys. */
export interface GeneralKeys extends Pick<GeneralUnprotectOptions, 'kek' | 'agreementKey' | 'peerAgreementKey' | 'peerSigningKey'> {
  /** Key-Info of the APDUs we send. */
  choice: KeyChoice;
}

/** Our private signing key, and the public signing key X ‖ Y of the peer. */
export interface SigningKeys {
  privateKey: Uint8Array;
  peerPublicKey: Uint8Array;
}

export interface SecureChannelOptions {
  /** Enables general signing. */
  signing?: SigningKeys | undefined;
  cipher: Cipher;
  /** Enables general ciphering; requests in it are answered in it. */
  general?: GeneralKeys | undefined;
  keys: SecurityKeys;
  policy: SecurityPolicy;
  /** Defaults to 0. */
  suite?: SecuritySuite | undefined;
  /** Valid for this association only. */
  dedicatedKey?: Uint8Array | undefined;
  /** Compresses what is sent, where that makes it shorter. Suites 1 and 2 only. */
  compression?: boolean | undefined;
  /** Sends under the broadcast key. */
  broadcast?: boolean | undefined;
  ownTitle: Uint8Array;
  /** System title of the peer, once known. */
  peerTitle?: Uint8Array | undefined;
  /** Highest counter accepted from the peer; -1 for none. */
  peerCounter: number;
  /** Must never return the same number twice for one key. */
  nextCounter(): number;
  onPeerCounter?: ((counter: number) => void) | undefined;
}

/** Replaced keys, accepted until the peer uses the new ones. */
interface FormerKeys {
  keys: SecurityKeys;
  peerCounter: number;
  onNewKeysUsed: () => void;
}

/** Protects and unprotects the APDUs of one side of a ciphered association. */
export class SecureChannel {
  readonly #options: SecureChannelOptions;
  /** The form of the APDUs we send; the peer may use any form. */
  form: 'service-specific' | 'general' = 'service-specific';
  #keys: SecurityKeys;
  #nextCounter: () => number;
  #former: FormerKeys | undefined;
  #dedicatedKey: Uint8Array | undefined;
  #usesDedicatedKey = false;
  #usesGeneralCiphering = false;
  #receivedGeneralCiphering = false;
  #usesCompression = false;
  #receivedCompressed = false;
  #usesGeneralSigning = false;
  #receivedSigned = false;
  #signatures = 0;
  /** A dedicated key is new in each association, so its counters start at 0. */
  #dedicatedCounter = 0;
  #peerTitle: Uint8Array | undefined;
  readonly #peerCounters: Record<KeyKind, number>;
  #receivedKeyKind: KeyKind | undefined;

  constructor(options: SecureChannelOptions) {
    this.#options = options;
    this.#keys = options.keys;
    this.#nextCounter = () => options.nextCounter();
    this.#peerTitle = options.peerTitle;
    this.#usesCompression = options.compression === true;
    this.#peerCounters = { unicast: options.peerCounter, broadcast: -1, dedicated: -1 };
    for (const key of [options.keys.ek, options.keys.ak]) this.#checkSize(key);
    if (options.dedicatedKey !== undefined) this.setDedicatedKey(options.dedicatedKey);
  }

  #checkSize(key: Uint8Array): void {
    const size = keySizeOf(this.#options.suite ?? 0);
    if (key.length !== size) throw new RangeError(`A key of ${key.length} octets in a suite with keys of ${size}`);
  }

  get keys(): SecurityKeys {
    return this.#keys;
  }

  get peerTitle(): Uint8Array | undefined {
    return this.#peerTitle;
  }

  get peerCounter(): number {
    return this.#peerCounters.unicast;
  }

  /** The key of the last APDU received. */
  get receivedKeyKind(): KeyKind | undefined {
    return this.#receivedKeyKind;
  }

  /** Sets the dedicated key of this association. A request under it is answered under it. */
  setDedicatedKey(dedicatedKey: Uint8Array): void {
    this.#checkSize(dedicatedKey);
    this.#dedicatedKey = new Uint8Array(dedicatedKey);
  }

  /** Whether APDUs are sent in general ciphering. */
  useGeneralCiphering(wanted: boolean): void {
    this.#usesGeneralCiphering = wanted;
  }

  /** Whether the last APDU received used general ciphering. */
  get receivedGeneralCiphering(): boolean {
    return this.#receivedGeneralCiphering;
  }

  /** Whether APDUs are compressed before they are protected. */
  useCompression(wanted: boolean): void {
    this.#usesCompression = wanted;
  }

  /** Whether the last APDU received was compressed. */
  get receivedCompressed(): boolean {
    return this.#receivedCompressed;
  }

  /** Whether APDUs are sent with general signing. */
  useGeneralSigning(wanted: boolean): void {
    if (wanted && this.#options.signing === undefined)
      throw new Error('General signing needs a private key, and the public key of the peer');
    this.#usesGeneralSigning = wanted;
  }

  /** Whether the last APDU received was signed. */
  get receivedSigned(): boolean {
    return this.#receivedSigned;
  }

  /** Maximum octets that our protection adds. */
  get overhead(): number {
    return (
      protectionOverhead(this.#options.general === undefined ? this.form : 'generalCiphering') +
      (this.#usesGeneralSigning ? SIGNING_OVERHEAD : 0)
    );
  }

  /** Whether APDUs are sent under the dedicated key. */
  useDedicatedKey(wanted: boolean): void {
    this.#usesDedicatedKey = wanted;
  }

  /**
   * Replaces the global keys from the next APDU on. `restart` resets the counter accepted from the peer; `nextCounter` replaces ours. With
   * `onNewKeysUsed` the old keys remain accepted until the peer uses the new ones, which the callback reports.
   */
  rekey(keys: SecurityKeys, options: { restart: boolean; nextCounter?: () => number; onNewKeysUsed?: () => void }): void {
    for (const key of [keys.ek, keys.ak]) this.#checkSize(key);
    const { onNewKeysUsed, nextCounter } = options;
    this.#former = onNewKeysUsed === undefined ? undefined : { keys: this.#keys, peerCounter: this.#peerCounters.unicast, onNewKeysUsed };
    this.#keys = keys;
    if (nextCounter !== undefined) this.#nextCounter = nextCounter;
    if (options.restart) this.#peerCounters.unicast = -1;
  }

  /** Checks and stores the system title of the peer. Fails with `WRONG_TITLE` when it differs from the pinned title or equals ours. */
  verifySystemTitle(title: Uint8Array): void {
    this.#checkTitle(title);
    if (equalInConstantTime(title, this.#options.ownTitle)) throw new AssociationError('WRONG_TITLE', 'the peer uses our own system title');
    this.#peerTitle = new Uint8Array(title);
  }

  #checkTitle(title: Uint8Array): void {
    if (this.#peerTitle === undefined || equalInConstantTime(title, this.#peerTitle)) return;
    throw new AssociationError('WRONG_TITLE', `${toHex(title)} instead of ${toHex(this.#peerTitle)}`);
  }

  protect(plain: Uint8Array, form: 'service-specific' | 'general' = this.form): Uint8Array {
    const ciphered = this.#encipher(plain, form);
    const { signing, cipher, ownTitle } = this.#options;
    if (!this.#usesGeneralSigning || signing === undefined) return ciphered;
    const transactionId = new Uint8Array(SYSTEM_TITLE_LENGTH);
    new DataView(transactionId.buffer).setUint32(SYSTEM_TITLE_LENGTH - COUNTER_SIZE, ++this.#signatures);
    const header = { transactionId, originatorSystemTitle: ownTitle, recipientSystemTitle: this.#peerTitle ?? new Uint8Array(0) };
    return applyGeneralSigning(ciphered, { cipher, privateKey: signing.privateKey, header });
  }

  #encipher(plain: Uint8Array, form: 'service-specific' | 'general'): Uint8Array {
    const { general } = this.#options;
    if (this.#usesGeneralCiphering && general !== undefined) return this.#protectGeneralCiphering(plain, general.choice);
    const compressed = this.#usesCompression;
    const dedicatedKey = this.#usesDedicatedKey ? this.#dedicatedKey : undefined;
    const counter = dedicatedKey === undefined ? this.#nextCounter() : this.#dedicatedCounter++;
    return this.#encipherWith(plain, { form, compressed, dedicatedKey, counter });
  }

  #protectGeneralCiphering(plain: Uint8Array, choice: KeyChoice): Uint8Array {
    const { cipher, policy, suite = 0, ownTitle: originatorSystemTitle } = this.#options;
    const counter = this.#nextCounter();
    const transactionId = new Uint8Array(SYSTEM_TITLE_LENGTH);
    new DataView(transactionId.buffer).setUint32(SYSTEM_TITLE_LENGTH - COUNTER_SIZE, counter);
    const header = { transactionId, originatorSystemTitle, recipientSystemTitle: this.#peerTitle ?? new Uint8Array(0) };
    const compressed = this.#usesCompression;
    return protectGeneralCiphering(plain, { cipher, policy, suite, compressed, keys: this.#keys, choice, counter, header });
  }

  #unprotectGeneralCiphering(apdu: Uint8Array): Uint8Array {
    const { cipher, policy, suite = 0, ownTitle, general, onPeerCounter } = this.#options;
    const { choice: _, ...agreement } = general ?? { choice: undefined };
    const peerTitle = this.#peerTitle;
    if (peerTitle === undefined) throw new AssociationError('DECRYPT_FAILED', 'the system title of the peer is unknown');
    try {
      const lastCounter = (kind: 'unicast' | 'broadcast') => this.#peerCounters[kind];
      const opening = { cipher, policy, suite, keys: this.#keys, ownTitle, peerTitle, lastCounter, ...agreement };
      const { plain, kind, counter, envelope } = unprotectGeneralCiphering(apdu, opening);
      this.#receivedCompressed = (envelope.service.securityControl & COMPRESSED) !== 0;
      this.#peerCounters[kind] = counter;
      this.#receivedKeyKind = kind;
      this.#receivedGeneralCiphering = true;
      if (kind === 'unicast') onPeerCounter?.(counter);
      return plain;
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Protects an initiate APDU, which always uses the global key and the service-specific form. */
  protectInitiate(plain: Uint8Array): Uint8Array {
    return this.#encipherWith(plain, { form: 'service-specific', counter: this.#nextCounter() });
  }

  #encipherWith(plain: Uint8Array, how: Pick<Protection, 'form' | 'counter' | 'dedicatedKey' | 'compressed'>): Uint8Array {
    const { cipher, policy, suite, broadcast, ownTitle: systemTitle } = this.#options;
    return protect(plain, { cipher, keys: this.#keys, policy, suite, broadcast, systemTitle, ...how });
  }

  /**
   * Verifies and deciphers an APDU. Fails with `WRONG_TITLE`, `COUNTER_REPLAY` or `DECRYPT_FAILED`; throws `DecodeError` on broken octets.
   * State changes only on success.
   */
  unprotect(apdu: Uint8Array): Uint8Array {
    const isSigned = apdu[0] === APDU_TAGS.generalSigning;
    const plain = this.#decipher(isSigned ? this.#verifySignature(apdu) : apdu);
    this.#receivedSigned = isSigned;
    return plain;
  }

  /** Unprotects a response, which must be signed when our requests are. */
  unprotectResponse(apdu: Uint8Array): Uint8Array {
    if (this.#usesGeneralSigning && apdu[0] !== APDU_TAGS.generalSigning)
      throw new AssociationError('DECRYPT_FAILED', 'the response is not signed');
    return this.unprotect(apdu);
  }

  /** Verifies the signature and returns the protected APDU inside, whose counter prevents a replay. */
  #verifySignature(apdu: Uint8Array): Uint8Array {
    const { signing, cipher, ownTitle } = this.#options;
    if (signing === undefined) throw new AssociationError('DECRYPT_FAILED', 'signed, but no key to verify it');
    const peerTitle = this.#peerTitle;
    if (peerTitle === undefined) throw new AssociationError('DECRYPT_FAILED', 'the system title of the peer is unknown');
    try {
      const { content } = verifyGeneralSigning(apdu, { cipher, publicKey: signing.peerPublicKey, ownTitle, peerTitle });
      if (isProtectedTag(content[0] ?? 0) && content[0] !== APDU_TAGS.generalSigning) return content;
    } catch (error) {
      throw failureOf(error);
    }
    throw new AssociationError('DECRYPT_FAILED', 'signed, but not protected');
  }

  #decipher(apdu: Uint8Array): Uint8Array {
    if (apdu[0] === APDU_TAGS.generalCiphering) return this.#unprotectGeneralCiphering(apdu);
    const ciphered = readCipheredApdu(apdu);
    if (ciphered.systemTitle !== undefined) this.#checkTitle(ciphered.systemTitle);
    const systemTitle = this.#peerTitle ?? ciphered.systemTitle;
    if (systemTitle === undefined) throw new AssociationError('DECRYPT_FAILED', 'the system title of the peer is unknown');
    try {
      return this.#decipherWith(this.#keys, ciphered, systemTitle);
    } catch (error) {
      const former = this.#decipherWithFormerKeys(ciphered, systemTitle);
      if (former !== undefined) return former;
      throw failureOf(error);
    }
  }

  #decipherWith(keys: SecurityKeys, ciphered: CipheredApdu, systemTitle: Uint8Array): Uint8Array {
    const { cipher, policy, suite, onPeerCounter } = this.#options;
    const kind = keyKindOf(ciphered);
    const lastCounter = this.#peerCounters[kind];
    const plain = unprotect(ciphered, { cipher, keys, policy, suite, systemTitle, lastCounter, dedicatedKey: this.#dedicatedKey });
    this.#peerCounters[kind] = ciphered.invocationCounter;
    this.#receivedKeyKind = kind;
    this.#receivedGeneralCiphering = false;
    this.#receivedCompressed = (ciphered.securityControl & COMPRESSED) !== 0;
    if (kind === 'unicast') {
      onPeerCounter?.(ciphered.invocationCounter);
      this.#former?.onNewKeysUsed();
      this.#former = undefined;
    }
    return plain;
  }

  /** Accepts a response under the replaced keys, which may have been in flight. */
  #decipherWithFormerKeys(ciphered: CipheredApdu, systemTitle: Uint8Array): Uint8Array | undefined {
    const former = this.#former;
    if (former === undefined || keyKindOf(ciphered) !== 'unicast') return undefined;
    const { cipher, policy, suite } = this.#options;
    const { keys, peerCounter: lastCounter } = former;
    try {
      const plain = unprotect(ciphered, { cipher, keys, policy, suite, systemTitle, lastCounter });
      former.peerCounter = ciphered.invocationCounter;
      return plain;
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  }
}

const COUNTER_SIZE = 4;

function failureOf(error: unknown): unknown {
  if (!(error instanceof DecodeError)) return error;
  const { fault } = error;
  if (fault.code === 'COUNTER_NOT_RISING')
    return new AssociationError('COUNTER_REPLAY', `counter ${fault.counter} after ${fault.last}`, { cause: error });
  return new AssociationError('DECRYPT_FAILED', fault.code === 'BAD_VALUE' ? fault.reason : 'not protected with our keys', {
    cause: error,
  });
}
