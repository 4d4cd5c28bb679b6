import { DecodeError } from '../codec/decode-error.ts';
import { toHex } from '../codec/hex.ts';
import { equalInConstantTime, type Cipher } from '../security/cipher.ts';
import { protect, readEnvelope, unprotect, type SecurityKeys, type SecurityPolicy } from '../security/protection.ts';
import { AssociationError } from './association-error.ts';

export interface SecureChannelOptions {
  cipher: Cipher;
  keys: SecurityKeys;
  policy: SecurityPolicy;
  ownTitle: Uint8Array;
  /** Of the other side, once it is known. */
  peerTitle?: Uint8Array | undefined;
  /** Highest counter accepted from the other side; -1: none. */
  peerCounter: number;
  /** Never the same twice with one key. */
  nextCounter(): number;
  onPeerCounter?: ((counter: number) => void) | undefined;
}

/** Both directions of protected APDUs between two titles: what one side of a ciphered association sends and accepts. */
export class SecureChannel {
  readonly #options: SecureChannelOptions;
  /** How our APDUs are wrapped; the other side may do as it likes. */
  form: 'glo' | 'general' = 'glo';
  #peerTitle: Uint8Array | undefined;
  #peerCounter: number;

  constructor(options: SecureChannelOptions) {
    this.#options = options;
    this.#peerTitle = options.peerTitle;
    this.#peerCounter = options.peerCounter;
  }

  get peerTitle(): Uint8Array | undefined {
    return this.#peerTitle;
  }

  get peerCounter(): number {
    return this.#peerCounter;
  }

  /** The other side says who it is. Fails with `WRONG_TITLE` when it was pinned to another, or takes our own. */
  meet(title: Uint8Array): void {
    this.#checkTitle(title);
    if (equalInConstantTime(title, this.#options.ownTitle)) throw new AssociationError('WRONG_TITLE', 'the peer uses our own system title');
    this.#peerTitle = Uint8Array.from(title);
  }

  #checkTitle(title: Uint8Array): void {
    if (this.#peerTitle === undefined || equalInConstantTime(title, this.#peerTitle)) return;
    throw new AssociationError('WRONG_TITLE', `${toHex(title)} instead of ${toHex(this.#peerTitle)}`);
  }

  seal(plain: Uint8Array, form: 'glo' | 'general' = this.form): Uint8Array {
    const { cipher, keys, policy, ownTitle, nextCounter } = this.#options;
    return protect(plain, { cipher, keys, policy, systemTitle: ownTitle, counter: nextCounter(), form });
  }

  /**
   * The proved plain APDU. Fails with `WRONG_TITLE`, `COUNTER_REPLAY` or `DECRYPT_FAILED`; throws `DecodeError` on
   * broken bytes. Nothing changes unless it succeeds.
   */
  open(apdu: Uint8Array): Uint8Array {
    const envelope = readEnvelope(apdu);
    if (envelope.systemTitle !== undefined) this.#checkTitle(envelope.systemTitle);
    const systemTitle = this.#peerTitle ?? envelope.systemTitle;
    if (systemTitle === undefined) throw new AssociationError('DECRYPT_FAILED', 'the system title of the peer is not known');
    const { cipher, keys, policy } = this.#options;
    try {
      const plain = unprotect(envelope, { cipher, keys, policy, systemTitle, lastCounter: this.#peerCounter });
      this.#peerCounter = envelope.invocationCounter;
      this.#options.onPeerCounter?.(envelope.invocationCounter);
      return plain;
    } catch (error) {
      throw failureOf(error);
    }
  }
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof DecodeError)) return error;
  const { fault } = error;
  if (fault.code === 'COUNTER_NOT_RISING')
    return new AssociationError('COUNTER_REPLAY', `counter ${fault.counter} after ${fault.last}`, { cause: error });
  return new AssociationError('DECRYPT_FAILED', fault.code === 'BAD_VALUE' ? fault.reason : 'not protected with our keys', {
    cause: error,
  });
}
