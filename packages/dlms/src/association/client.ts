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
import type { Conformance } from '../xdlms/conformance.ts';
import type { AttributeDescriptor, MethodDescriptor } from '../xdlms/descriptors.ts';
import { AssociationError, isRefusedRequest, securityFailureOf } from './association-error.ts';
import { MAX_STREAM_OCTETS } from './block-stream.ts';
import { accessItems, type AccessItem, type AccessResult } from './client-access.ts';
import type { Returned } from './client-credentials.ts';
import { agreeKeys, transferKeys, type KeyAgreement, type KeyChange, type RekeyContext } from './client-keys.ts';
import { initiateOf, openAssociation } from './client-open.ts';
import type { ClientOptions, Negotiated } from './client-options.ts';
import { getAttribute, getWithList, type ReadResult } from './client-services.ts';
import {
  invokeMethod,
  invokeWithList,
  setAttribute,
  setWithList,
  type InvokeItem,
  type InvokeResult,
  type Limits,
  type SetItem,
  type SetResult,
} from './client-writes.ts';
import { ClientDialogue } from './client-dialogue.ts';
import type { Exchange } from './exchange.ts';
import { SecureChannel } from './secure-channel.ts';

export type AttributeRef = AttributeDescriptor;
export type MethodRef = MethodDescriptor;

/** Octets of a GET-WITH-LIST before its items, and octets of each item without selection. */
const LIST_HEADER_SIZE = 4;
const LIST_ITEM_SIZE = 10;
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
  #keys: SecurityKeys | undefined;
  #longInvokeId = 0;
  #state: 'idle' | 'connecting' | 'associated' | 'released' = 'idle';
  #negotiated: Negotiated = { conformance: [], maxPduSize: 0, serverTitle: undefined };

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#dialogue = new ClientDialogue(channelOf(options), options);
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
    this.#negotiated = yield* this.#orReleased(openAssociation(this.#dialogue, this.#options));
    this.#state = 'associated';
  }

  /** Reads one attribute; each block is one step of the exchange. */
  *get(ref: AttributeRef, selection?: Selection): Exchange<ReadResult> {
    this.#need('get', selection);
    return yield* this.#orReleased(getAttribute(this.#dialogue, ref, selection));
  }

  /** Reads several attributes in as few round trips as the conformance allows; results keep the order of `refs`. */
  *getList(refs: readonly AttributeRef[]): Exchange<ReadResult[]> {
    this.#need('get');
    const results: ReadResult[] = [];
    const fitting = Math.max(1, Math.floor((this.#room - LIST_HEADER_SIZE) / LIST_ITEM_SIZE));
    const atOnce = this.#negotiated.conformance.includes('multipleReferences') ? fitting : 1;
    for (let from = 0; from < refs.length; from += atOnce) {
      const some = refs.slice(from, from + atOnce);
      const [only] = some;
      if (some.length === 1 && only !== undefined) results.push(yield* this.get(only));
      else results.push(...(yield* this.#getTogether(some)));
    }
    return results;
  }

  /** Reads a list with one service. A server without blocks refuses a list whose response is too long, so its members are read one by one. */
  *#getTogether(refs: readonly AttributeRef[]): Exchange<ReadResult[]> {
    const together = yield* this.#orReleased(getWithList(this.#dialogue, refs));
    if (this.#negotiated.conformance.includes('blockTransferGet') || together.some(({ ok }) => ok)) return together;
    const results: ReadResult[] = [];
    for (const ref of refs) results.push(yield* this.get(ref));
    return results;
  }

  /** Writes one attribute; `data` is one encoded Data. */
  *set(ref: AttributeRef, data: Uint8Array, selection?: Selection): Exchange<SetResult> {
    this.#need('set', selection);
    return yield* this.#orReleased(setAttribute(this.#dialogue, this.#limits('blockTransferSet'), { ref, data, selection }));
  }

  /** Writes several attributes, with one service if the conformance allows it; results keep the order of `items`. */
  *setList(items: readonly SetItem[]): Exchange<SetResult[]> {
    this.#need('set', ...items.map(({ selection }) => selection));
    if (items.length > 1 && this.#negotiated.conformance.includes('multipleReferences'))
      return yield* this.#orReleased(setWithList(this.#dialogue, this.#limits('blockTransferSet'), items));
    const results: SetResult[] = [];
    for (const { ref, data, selection } of items) results.push(yield* this.set(ref, data, selection));
    return results;
  }

  /** Invokes one method; `argument` is one encoded Data. */
  *invoke(ref: MethodRef, argument?: Uint8Array): Exchange<InvokeResult> {
    this.#need('action');
    return yield* this.#orReleased(invokeMethod(this.#dialogue, this.#limits('blockTransferAction'), { ref, argument }));
  }

  /** Invokes several methods, with one service if the conformance allows it; results keep the order of `items`. */
  *invokeList(items: readonly InvokeItem[]): Exchange<InvokeResult[]> {
    this.#need('action');
    if (items.length > 1 && this.#negotiated.conformance.includes('multipleReferences'))
      return yield* this.#orReleased(invokeWithList(this.#dialogue, this.#limits('blockTransferAction'), items));
    const results: InvokeResult[] = [];
    for (const { ref, argument } of items) results.push(yield* this.invoke(ref, argument));
    return results;
  }

  /**
   * Performs reads, writes and invocations with one ACCESS service, in order; results keep the order of `items`. `breakOnError` stops at
   * the first failure.
   */
  *access(items: readonly AccessItem[], { breakOnError = false }: { breakOnError?: boolean } = {}): Exchange<AccessResult[]> {
    this.#need('access');
    this.#longInvokeId = (this.#longInvokeId + 1) & LAST_LONG_INVOKE_ID;
    return yield* this.#orReleased(accessItems(this.#dialogue, items, { longInvokeId: this.#longInvokeId, breakOnError }));
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
    this.#needAssociation();
    this.#state = 'released';
    if (this.#options.preEstablished !== undefined) return undefined;
    const { channel } = this.#dialogue;
    const proof = this.#options.ciphered ? channel?.protectInitiate(initiateOf(this.#options)) : undefined;
    return encode(rlrq, { reason: NORMAL_RELEASE, ...(proof === undefined ? {} : { userInformation: proof }) });
  }

  /** Octets of the largest request that fits the PDU size of the server, excluding protection. */
  get #room(): number {
    const { channel, blocks } = this.#dialogue;
    // General block transfer splits longer APDUs of any service.
    if (blocks !== undefined) return MAX_STREAM_OCTETS;
    const overhead = this.#options.ciphered && channel !== undefined ? channel.overhead : 0;
    return this.#negotiated.maxPduSize - overhead;
  }

  #limits(blocks: 'blockTransferSet' | 'blockTransferAction'): Limits {
    return { maxSize: this.#room, blocks: this.#negotiated.conformance.includes(blocks) };
  }

  #needAssociation(): void {
    if (this.#state !== 'associated') throw new Error(`No association: ${this.#state}`);
  }

  /** Refuses locally a service that was not granted: some servers end the association instead of answering. */
  #need(service: Conformance, ...selections: readonly (Selection | undefined)[]): void {
    this.#needAssociation();
    const isSelective = selections.some((selection) => selection !== undefined);
    const services: Conformance[] = isSelective ? [service, 'selectiveAccess'] : [service];
    const missing = services.filter((name) => !this.#negotiated.conformance.includes(name));
    if (missing.length > 0) throw new AssociationError('NOT_GRANTED', `the server does not grant ${missing.join(', ')}`);
  }

  /** Releases the association on any failure except the refusal of one request. */
  *#orReleased<T>(exchange: Exchange<T>): Exchange<T> {
    try {
      return yield* exchange;
    } catch (error) {
      if (this.#state !== 'associated' || !isRefusedRequest(error)) this.#state = 'released';
      const failure = securityFailureOf(error);
      if (failure !== undefined) this.#options.onSecurityFailure?.(failure);
      throw error;
    }
  }
}
