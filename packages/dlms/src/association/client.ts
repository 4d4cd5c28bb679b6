import { rlre } from '../acse/rlre.ts';
import { rlrq } from '../acse/rlrq.ts';
import { decode, encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import type { Selection } from '../cosem/selective-access.ts';
import { required } from '../security/cipher.ts';
import type { TransferableKeys } from '../security/key-transfer.ts';
import type { SecurityKeys } from '../security/protection.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import { isCipheredTag } from '../xdlms/ciphered.ts';
import type { AttributeDescriptor, MethodDescriptor } from '../xdlms/descriptors.ts';
import { AssociationError, isRefusedRequest, securityFailureOf } from './association-error.ts';
import { MAX_STREAM_OCTETS } from './block-stream.ts';
import { accessItems, type AccessItem, type AccessResult } from './client-access.ts';
import type { Returned } from './client-credentials.ts';
import { agreeKeys, transferKeys, type KeyAgreement, type KeyChange, type RekeyContext } from './client-keys.ts';
import { LogicalNameServices } from './client-logical-names.ts';
import { initiateOf, openAssociation } from './client-open.ts';
import type { ClientOptions, Negotiated } from './client-options.ts';
import type { ObjectAddress, ReferencedServices } from './client-referencing.ts';
import type { ReadResult } from './client-services.ts';
import { ShortNameServices } from './client-short-names.ts';
import type { UnconfirmedRequest } from './client-unconfirmed.ts';
import type { InvokeItem, InvokeResult, SetItem, SetResult } from './client-writes.ts';
import { ClientDialogue } from './client-dialogue.ts';
import type { Exchange } from './exchange.ts';
import { assertGranted, type Granted } from './request-limits.ts';
import { SecureChannel } from './secure-channel.ts';

export type AttributeRef = AttributeDescriptor;
export type MethodRef = MethodDescriptor;

const NORMAL_RELEASE = 0;
const LAST_LONG_INVOKE_ID = 0xff_ffff;

function channelOf(options: ClientOptions): SecureChannel | undefined {
  const { keys, cipher, policy = 'authEnc', suite, dedicatedKey, systemTitle, peer } = options;
  if (keys === undefined || (!options.ciphered && options.mechanism !== 'hlsGmac')) return undefined;
  return new SecureChannel({
    cipher,
    keys,
    policy,
    suite,
    dedicatedKey,
    general: options.generalCiphering,
    signing: options.generalSigning === true ? options.signing : undefined,
    ownTitle: systemTitle,
    peerTitle: peer.systemTitle,
    peerCounter: peer.counter,
    broadcast: options.preEstablished?.broadcast,
    compression: options.compression,
    nextCounter: () => options.nextCounter(),
    onPeerCounter: (counter) => options.onPeerCounter?.(counter),
  });
}

/**
 * The client side of one association, without I/O. Exchanges run one at a time; after a dropped exchange the next may start, and the late
 * response is skipped by its invoke id. `EXCEPTION` and `NOT_GRANTED` refuse one request and keep the association open; after any other
 * error, or in state `released`, create a new object.
 */
export class ClientAssociation {
  readonly #options: ClientOptions;
  readonly #dialogue: ClientDialogue;
  readonly #services: ReferencedServices;
  #keys: SecurityKeys | undefined;
  #longInvokeId = 0;
  #state: 'idle' | 'connecting' | 'associated' | 'released' = 'idle';
  #negotiated: Negotiated = { conformance: [], maxPduSize: 0, serverTitle: undefined };

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#dialogue = new ClientDialogue(channelOf(options), options);
    const granted = () => this.#granted;
    const { shortNames } = options;
    this.#services =
      shortNames === undefined
        ? new LogicalNameServices(this.#dialogue, granted)
        : new ShortNameServices(this.#dialogue, granted, shortNames);
  }

  get state(): 'idle' | 'connecting' | 'associated' | 'released' {
    return this.#state;
  }

  /** The negotiated parameters; empty before `open`. */
  get negotiated(): Negotiated {
    return this.#negotiated;
  }

  /** System title of the server, available from its AARE on. */
  get serverTitle(): Uint8Array | undefined {
    return this.#dialogue.serverTitle;
  }

  /** Opens the association: AARQ, AARE, and HLS passes 3 and 4 where the mechanism requires them. */
  *open(): Exchange<void> {
    if (this.#state !== 'idle') throw new Error('An association is opened once');
    this.#state = 'connecting';
    try {
      this.#negotiated = yield* openAssociation(this.#dialogue, this.#options);
    } catch (error) {
      this.#noteFailure(error);
      throw error;
    }
    this.#state = 'associated';
  }

  /** Reads one attribute; each block is one step of the exchange. */
  get(ref: AttributeRef, selection?: Selection): Exchange<ReadResult> {
    return this.#request(() => this.#services.get(ref, selection));
  }

  /** Reads several attributes in as few round trips as the conformance allows; results keep the order of `refs`. */
  getList(refs: readonly AttributeRef[]): Exchange<ReadResult[]> {
    return this.#request(() => this.#services.getList(refs));
  }

  /** Writes one attribute; `data` is one encoded Data. */
  set(ref: AttributeRef, data: Uint8Array, selection?: Selection): Exchange<SetResult> {
    return this.#request(() => this.#services.set({ ref, data, selection }));
  }

  /** Writes several attributes, with one service if the conformance allows it; results keep the order of `items`. */
  setList(items: readonly SetItem[]): Exchange<SetResult[]> {
    return this.#request(() => this.#services.setList(items));
  }

  /** Invokes one method; `argument` is one encoded Data. */
  invoke(ref: MethodRef, argument?: Uint8Array): Exchange<InvokeResult> {
    return this.#request(() => this.#services.invoke({ ref, argument }));
  }

  /** Invokes several methods, with one service if the conformance allows it; results keep the order of `items`. */
  invokeList(items: readonly InvokeItem[]): Exchange<InvokeResult[]> {
    return this.#request(() => this.#services.invokeList(items));
  }

  /**
   * Performs reads, writes and invocations with one ACCESS service, in order; results keep the order of `items`. `breakOnError` stops at
   * the first failure.
   */
  *access(items: readonly AccessItem[], { breakOnError = false }: { breakOnError?: boolean } = {}): Exchange<AccessResult[]> {
    this.#needAssociation();
    assertGranted(this.#granted, ['access']);
    this.#longInvokeId = (this.#longInvokeId + 1) & LAST_LONG_INVOKE_ID;
    const options = { longInvokeId: this.#longInvokeId, breakOnError };
    return yield* this.#request(() => accessItems(this.#dialogue, items, options));
  }

  /**
   * Returns the APDU of a write or an invocation without response, to be sent at any time, also while an exchange runs. Whether the meter
   * received and accepted it shows only in a later read. Throws `AssociationError`: `NOT_GRANTED`, or `BLOCK_ERROR` if it does not fit one APDU.
   */
  buildUnconfirmed(request: UnconfirmedRequest): Uint8Array {
    this.#needOpen();
    const { ref } = 'set' in request ? request.set : request.invoke;
    // A broadcast cannot ask: it takes the known base names as they are.
    if (!this.isLocated(ref) && this.#options.preEstablished?.broadcast !== true)
      throw new Error(`The base name of ${ref.classId}/${ref.instance} is not known in this association: run locate before`);
    const overhead = this.#options.ciphered ? (this.#dialogue.channel?.overhead ?? 0) : 0;
    return this.#dialogue.protectUnconfirmed(this.#services.encodeUnconfirmed(request, this.#negotiated.maxPduSize - overhead));
  }

  /** Whether `buildUnconfirmed` can address an object: always with logical names, after `locate` or another service with short names. */
  isLocated(target: ObjectAddress): boolean {
    return this.#services.isLocated(target);
  }

  /** Asks the server for the base names of objects, where `buildUnconfirmed` needs them. Does nothing with logical names. */
  locate(targets: readonly ObjectAddress[]): Exchange<void> {
    return this.#request(() => this.#services.locate(targets));
  }

  /** Transfers new keys to the meter and continues with them; see `KeyChange`. */
  *transferKeys(change: KeyChange): Exchange<InvokeResult> {
    const session = this.#rekeyContext();
    const result = yield* transferKeys(session, change);
    if (result.ok) this.#keys = session.channel?.keys;
    return result;
  }

  /** Agrees on new keys with the meter and continues with them; see `KeyAgreement`. */
  *agreeKeys(change: Omit<KeyAgreement, 'suite' | 'clientTitle' | 'serverTitle'>): Exchange<Returned<Partial<TransferableKeys>>> {
    const session = this.#rekeyContext();
    const { suite = 0, systemTitle: clientTitle } = this.#options;
    const serverTitle = required(this.#negotiated.serverTitle, 'system title of the server');
    const result = yield* agreeKeys(session, { ...change, suite, clientTitle, serverTitle });
    if (result.ok) this.#keys = session.channel?.keys;
    return result;
  }

  #rekeyContext(): RekeyContext {
    this.#needAssociation();
    const { keys } = this;
    if (keys === undefined) throw new Error('There are no keys to change');
    return {
      cipher: this.#options.cipher,
      channel: this.#dialogue.channel,
      keys,
      invoke: (ref, argument) => this.invoke(ref, argument),
    };
  }

  /** The keys in use: those of the options until a key change replaces them. */
  get keys(): SecurityKeys | undefined {
    return this.#keys ?? this.#options.keys;
  }

  /**
   * Releases the association. It ends with any response, because some servers answer incorrectly. `isProved` states whether the RLRE of a
   * ciphered association was authenticated, which not every server supports.
   */
  *release(): Exchange<{ isProved: boolean }> {
    const request = this.buildRlrq();
    if (request === undefined) return { isProved: false };
    try {
      const { userInformation } = decode(rlre, yield* this.#dialogue.exchangeAcse(request, APDU_TAGS.rlre));
      const channel = this.#options.ciphered ? this.#dialogue.channel : undefined;
      if (channel === undefined || !isCipheredTag(userInformation?.[0] ?? 0)) return { isProved: false };
      channel.unprotect(userInformation ?? new Uint8Array(0));
      return { isProved: true };
    } catch (error) {
      if (!(error instanceof AssociationError || error instanceof DecodeError)) throw error;
      return { isProved: false };
    }
  }

  /**
   * Marks the association as released and returns the RLRQ, for callers that do not await the RLRE. Undefined: the association is
   * pre-established and remains open at the server.
   */
  buildRlrq(): Uint8Array | undefined {
    this.#needOpen();
    this.#state = 'released';
    if (this.#options.preEstablished !== undefined) return undefined;
    const { channel } = this.#dialogue;
    const proof = this.#options.ciphered ? channel?.protectInitiate(initiateOf(this.#options)) : undefined;
    return encode(rlrq, { reason: NORMAL_RELEASE, ...(proof === undefined ? {} : { userInformation: proof }) });
  }

  get #granted(): Granted {
    const { channel, blocks } = this.#dialogue;
    const { conformance, maxPduSize } = this.#negotiated;
    const overhead = this.#options.ciphered && channel !== undefined ? channel.overhead : 0;
    // General block transfer splits longer APDUs of any service.
    return { conformance, room: blocks === undefined ? maxPduSize - overhead : MAX_STREAM_OCTETS };
  }

  #needOpen(): void {
    if (this.#state !== 'associated') throw new Error(`No association: ${this.#state}`);
  }

  #needAssociation(): void {
    this.#needOpen();
    if (this.#options.preEstablished?.broadcast === true) throw new Error('A broadcast has no response: use buildUnconfirmed');
  }

  /** Requests services in an open association. Nothing is checked or sent before the exchange begins. */
  *#request<T>(services: () => Exchange<T>): Exchange<T> {
    this.#needAssociation();
    try {
      return yield* services();
    } catch (error) {
      this.#noteFailure(error);
      throw error;
    }
  }

  /** Releases the association on any failure except the refusal of one request. */
  #noteFailure(error: unknown): void {
    if (this.#state !== 'associated' || !isRefusedRequest(error)) this.#state = 'released';
    const failure = securityFailureOf(error);
    if (failure !== undefined) this.#options.onSecurityFailure?.(failure);
  }
}
