import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { AssociationError, isRefusedRequest } from '@hes/dlms/association/association-error.ts';
import { ClientAssociation, type AttributeRef, type MethodRef } from '@hes/dlms/association/client.ts';
import type { ShortNameOptions } from '@hes/dlms/association/client-options.ts';
import { WAIT, type Exchange } from '@hes/dlms/association/exchange.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import type { AttributeName, AttributeValue, CosemClass, MethodArgument, MethodName, MethodResult } from '@hes/dlms/cosem/cosem-class.ts';
import type { Selection } from '@hes/dlms/cosem/selective-access.ts';
import type { Cipher, SecuritySuite } from '@hes/dlms/security/cipher.ts';
import type { Mechanism } from '@hes/dlms/security/hls.ts';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import { measures } from '#platform/measures.ts';
import { inSpan, type SpanStart } from '#platform/spans.ts';
import { withoutSecrets } from '#storage/explain-frame.ts';
import type { FrameOpener } from '#storage/frames.ts';
import { attributeRef, codecOf, methodRef, type CosemObject } from '@hes/dlms/xdlms/cosem-object.ts';
import type { FrameReport } from '@hes/dlms-node/framing.ts';
import { ExchangeError, type Channel, type Answer, type ChannelPriority, type Target } from './channel.ts';
import type { CounterJump, Counters } from './counters.ts';
import { decodedAnswer } from './decoded.ts';
import type { Credentials, Device } from './devices.ts';
import { failedAction, failedResult, isSecurityException, outcomeOf, refusalOf } from './link-failure.ts';
import type { DeviceStateWriter } from './device-state-writer.ts';
import { withheldServices } from './quirks.ts';
import type { Trace } from './trace.ts';

const NO_TITLE = new Uint8Array(0);
/** An exchange with it sends nothing and takes the next response. */
const NO_REQUEST = new Uint8Array(0);
/** Invocation counters that one round trip may use: for a protected APDU and for the GMAC of the authentication. */
const COUNTERS_PER_STEP = 4;
/** Consecutive timeouts before a link gives up. At 5 % frame loss (10 % per round trip), four in a row are 1 in 10,000. */
export const MAX_TIMEOUTS = 4;
/** An association takes two round trips; a loss in the second one restarts it. */
const MAX_ATTEMPTS = 6;
/** Failures caused by a late response to an earlier association request, because its challenge is no longer the current one. */
const LATE_RESPONSE_REASONS: ReadonlySet<ReasonCode> = new Set(['AUTH_FAILED', 'DECRYPT_FAILED', 'BAD_ANSWER']);

/** Negotiated properties of an open association. */
export interface NegotiatedLink {
  mechanism: Mechanism;
  /** Security suite of the services; undefined: unprotected. */
  suite: SecuritySuite | undefined;
  /** Names of the conformance block that the device granted. */
  conformance: readonly string[];
  /** Largest APDU that the device accepts, in octets. */
  maxPduSize: number;
  systemTitle: Uint8Array | undefined;
}

/** A failure after which the identity of the responding device is in doubt. */
export interface IdentityDoubt {
  device: Device;
  outcome: { ok: false; reason: ReasonCode; detail?: string };
  traceId: string;
  /** Reads the logical device name at the address of the device without keys; undefined: no name. */
  askName(): Promise<string | undefined>;
}

export interface LinkTools {
  channel: Channel;
  counters: Counters;
  deviceState: DeviceStateWriter;
  cipher: Cipher;
  /** Client system title of the head-end. */
  systemTitle: Uint8Array;
  now(): number;
  /** Whether the password of low-level security, which is not encrypted, may be sent over this connection. */
  mayShowPassword: boolean;
  /** Finds out which device responded, raises an event, and returns the more precise reason. */
  explainDoubt(answer: IdentityDoubt): Promise<Outcome<never>>;
  /** The cached base names of a meter with short names, and their storage when the meter returned others. */
  shortNamesOf(device: Device): ShortNameOptions;
  /** The device has been authenticated, or has returned the expected name. */
  onAuthenticated(device: Device): void;
  /** Raises an event for a counter that was raised on an unauthenticated demand; `isProved`: the next association succeeded. */
  reportCounterJump(device: Device, jump: CounterJump, use: { traceId: string; isProved: boolean }): Promise<void>;
}

/** The current user of a link. */
export interface LinkUse {
  priority: ChannelPriority;
  trace: Trace;
  /** The association stays open for some seconds after this use. */
  lingers?: boolean;
}

export type ReadOutcome = Outcome<Uint8Array>;

/** Outcomes of attributes by name. */
type ReadAttributes<C extends CosemClass, N extends AttributeName<C>> = { [K in N]: Outcome<AttributeValue<C, K>> };

/** Expected size of a response. */
export interface ExpectedAnswer {
  octets: number;
}

interface ExchangeOptions {
  connecting?: boolean;
  mayRetransmit?: boolean;
  expected?: ExpectedAnswer;
}

/** Larger than nearly all responses of unknown size. */
const USUAL_ANSWER: ExpectedAnswer = { octets: 65_536 };
/** Round trips of one read that are sent with the priority of an operator; later ones are queued with those of collection. */
const URGENT_ROUND_TRIPS = 16;
/** Octets of a block without data: security header and tag, and the headers of block, gateway and wrapper. */
const BLOCK_OVERHEAD = 64;

/**
 * An association with one device over the channel of its DCU. Malformed responses, timeouts and refusals are returned as outcomes and never
 * thrown; after one that ends the exchange the link is no longer usable.
 */
export class DeviceLink {
  readonly device: Device;
  readonly #tools: LinkTools;
  readonly #credentials: Credentials;
  readonly #target: Target;
  #association: ClientAssociation;
  #use: LinkUse;
  #broken = false;
  /** Whether the device answered its last request with an EXCEPTION-RESPONSE. */
  #wasRefused = false;
  /** Latency of the last request since it was first sent, without the time in the queue of the channel. */
  roundTripMs = 0;
  #plainDown: Uint8Array | undefined;
  /** Key and system titles with which the frame view deciphers stored frames again. */
  readonly #opener: FrameOpener | undefined;
  /** Lowest invocation counter that the device accepts, from its last exception response. */
  #demandedCounter: number | undefined;
  /** Consecutive timeouts. */
  #timeouts = 0;
  #timedOutMs = 0;
  #lastRequest: Uint8Array = NO_REQUEST;
  #roundTrips = 0;
  /** Duration of the current exchange without the time in the queue, and its limit. */
  #spentMs = 0;
  #limitMs = Number.POSITIVE_INFINITY;
  /** Last request that was answered after a retransmission, and its latency since the first transmission. */
  #lateResponse: { request: Uint8Array; ms: number } | undefined;

  constructor(device: Device, credentials: Credentials, tools: LinkTools, use: LinkUse) {
    this.device = device;
    this.#credentials = credentials;
    this.#tools = tools;
    this.#use = use;
    this.#target = { clientSap: device.clientSap, serverSap: device.serverSap, address: device.address };
    const { keys, systemTitle: up = NO_TITLE } = device;
    this.#opener = keys && { key: keys.sealedEk, down: tools.systemTitle, up };
    this.#association = this.#createAssociation();
  }

  get isUsable(): boolean {
    return !this.#broken && this.#association.state === 'associated';
  }

  get negotiated(): NegotiatedLink {
    const { conformance, maxPduSize, serverTitle: systemTitle } = this.#association.negotiated;
    return {
      mechanism: this.#credentials.mechanism,
      suite: this.device.isCiphered ? this.device.suite : undefined,
      conformance,
      maxPduSize,
      systemTitle,
    };
  }

  /** The answer to the challenge of GMAC has a counter, too. */
  get #usesCounters(): boolean {
    return this.device.isCiphered || this.#credentials.mechanism === 'hlsGmac';
  }

  /** Sets the user of the following exchanges. */
  setUse(use: LinkUse): void {
    this.#use = use;
  }

  #createAssociation(): ClientAssociation {
    const { device } = this;
    const { keys } = device;
    const { counters, cipher, systemTitle } = this.#tools;
    return new ClientAssociation({
      ...this.#credentials,
      ciphered: device.isCiphered,
      suite: device.suite,
      systemTitle,
      ...(keys === undefined ? {} : { keys }),
      cipher,
      maxPduSize: device.maxPduSize,
      withheld: withheldServices(device.quirks),
      ...(device.hasShortNames ? { shortNames: this.#tools.shortNamesOf(device) } : {}),
      ...(device.isPreEstablished ? { preEstablished: { maxPduSize: device.maxPduSize } } : {}),
      nextCounter: () => counters.takeNext(device),
      peer: { ...(device.systemTitle === undefined ? {} : { systemTitle: device.systemTitle }), counter: device.peerCounter },
      onPeerCounter: (counter) => (device.peerCounter = Math.max(device.peerCounter, counter)),
      onFrame: (direction, _apdu, plain) => {
        if (direction === 'down') this.#plainDown = plain;
        else if (plain !== undefined) this.#explain(plain);
      },
    });
  }

  #explain(plain: Uint8Array): void {
    const { trace } = this.#use;
    trace.explainLast(plain);
    if (this.#opener === undefined) return;
    this.#opener.up = this.#association.serverTitle ?? NO_TITLE;
    trace.setOpener(this.#opener);
  }

  /**
   * Opens the association. Association requests may get lost, so they are retried until `maxTimeouts` consecutive timeouts. When the device
   * demands a higher invocation counter, the counter is raised once and the association is retried.
   */
  async open(maxTimeouts = MAX_TIMEOUTS): Promise<Outcome<void>> {
    if (this.#credentials.mechanism === 'low' && !this.#tools.mayShowPassword) return failed('PASSWORD_IN_CLEAR');
    const jumps: CounterJump[] = [];
    const opened = await this.#open(maxTimeouts, jumps);
    const { counters, reportCounterJump } = this.#tools;
    if (opened.ok && this.#usesCounters) await counters.recordAcceptedCounter(this.device);
    for (const jump of jumps) await reportCounterJump(this.device, jump, { traceId: this.#use.trace.id, isProved: opened.ok });
    return opened;
  }

  async #open(maxTimeouts: number, jumps: CounterJump[]): Promise<Outcome<void>> {
    let isLateResponsePossible = false;
    for (let attempts = 1; ; attempts++) {
      const opened = await this.#runExchange(() => this.#association.open(), { connecting: true });
      if (opened.ok) return opened;
      if (this.#demandedCounter !== undefined && jumps.length === 0) {
        try {
          jumps.push(await this.#tools.counters.jumpTo(this.device, this.#demandedCounter));
        } catch (error) {
          return outcomeOf(error, true);
        }
      } else if (opened.reason === 'METER_TIMEOUT' && this.#timeouts < maxTimeouts && attempts < MAX_ATTEMPTS)
        isLateResponsePossible = true;
      else if (isLateResponsePossible && LATE_RESPONSE_REASONS.has(opened.reason)) {
        isLateResponsePossible = false;
        await this.#drainLateResponse();
      } else return opened;
      this.#broken = false;
      this.#association = this.#createAssociation();
    }
  }

  /**
   * Handles a late AARE for the previous AARQ: feeds its latency to the estimator and drains the AARE of the last AARQ, which would
   * otherwise be taken for the response to the next one.
   */
  async #drainLateResponse(): Promise<void> {
    const { channel } = this.#tools;
    if (this.#lateResponse !== undefined) channel.reportLatency(this.#lateResponse.request, this.#lateResponse.ms);
    await channel.exchange(this.#target, NO_REQUEST, { priority: this.#use.priority, isRetransmission: true }).catch(() => undefined);
  }

  /** Reserves counters for an association that uses them. Returns a promise only when it has to wait, because it is called for each round trip. */
  #reserveCounters(): Promise<void> | undefined {
    return this.#usesCounters ? this.#tools.counters.reserve(this.device, COUNTERS_PER_STEP) : undefined;
  }

  #runExchange<T>(begin: () => Exchange<T>, how: ExchangeOptions = {}): Promise<Outcome<T>> {
    const { kind, id } = this.device;
    const start = (): SpanStart<Outcome<T>> => ({
      kind: 'client',
      attributes: { 'hes.device.kind': kind, [`hes.${kind}.id`]: id },
      judge: (outcome) => ({
        attributes: { 'hes.round_trips': this.#roundTrips, 'hes.air_ms': Math.round(this.#spentMs) },
        ...(outcome.ok ? {} : { error: outcome.reason }),
      }),
    });
    return inSpan(how.connecting === true ? 'DLMS association' : 'DLMS exchange', start, () => this.#runTracedExchange(begin, how));
  }

  async #runTracedExchange<T>(begin: () => Exchange<T>, how: ExchangeOptions): Promise<Outcome<T>> {
    const { now, deviceState } = this.#tools;
    this.#roundTrips = 0;
    this.#spentMs = 0;
    this.#limitMs = Number.POSITIVE_INFINITY;
    try {
      const reserving = this.#reserveCounters();
      if (reserving !== undefined) await reserving;
      const exchange = begin();
      let step = exchange.next();
      while (step.done !== true) {
        this.#enforceLimit(step.value, how.expected);
        let apdu: Uint8Array;
        try {
          apdu = this.#recordAnswer(await this.#sendRequest(step.value));
        } catch (error) {
          apdu = this.#handleTimeout(error, how.mayRetransmit === true);
        }
        const more = this.#reserveCounters();
        if (more !== undefined) await more;
        step = exchange.next(apdu);
        if (apdu !== WAIT && this.device.kind === 'meter') deviceState.recordMeterContact(this.device.id, now(), this.device.peerCounter);
      }
      this.#wasRefused = false;
      return ok(step.value);
    } catch (error) {
      if (this.#isOnlyRefused(error, how.mayRetransmit === true)) {
        this.#wasRefused = true;
        return refusalOf(error);
      }
      this.#broken = true;
      this.#demandedCounter = error instanceof AssociationError ? error.exception?.invocationCounter : undefined;
      return outcomeOf(error, how.connecting === true);
    }
  }

  /**
   * Whether the association remains usable after an error. One refused read does not end it; a second consecutive one may mean that the
   * device has lost the association. An EXCEPTION-RESPONSE has no invoke id, so the result of a write or method is only known by read-back.
   */
  #isOnlyRefused(error: unknown, isReading: boolean): error is AssociationError {
    if (!isRefusedRequest(error) || this.#association.state !== 'associated') return false;
    return error.code === 'NOT_GRANTED' || (isReading && !this.#wasRefused && !isSecurityException(error));
  }

  /** Throws when an exchange exceeds its time limit, which is computed once, from its first request. */
  #enforceLimit(request: Uint8Array, expected: ExpectedAnswer | undefined): void {
    if (expected === undefined) return;
    if (this.#limitMs === Number.POSITIVE_INFINITY) {
      const blockOctets = Math.max(BLOCK_OVERHEAD, this.device.maxPduSize - BLOCK_OVERHEAD);
      this.#limitMs = this.#tools.channel.readLimitMs(request, 1 + Math.ceil(expected.octets / blockOctets));
    } else if (this.#spentMs > this.#limitMs)
      throw new ExchangeError('ANSWER_TOO_LONG', `The response was not complete after ${Math.round(this.#spentMs)} ms`);
  }

  /** Starts a round trip. An empty request follows a late response and waits for the expected one. */
  #sendRequest(request: Uint8Array): Promise<Answer> {
    const { channel } = this.#tools;
    const { trace } = this.#use;
    const priority = this.#roundTrips++ < URGENT_ROUND_TRIPS ? this.#use.priority : 'bulk';
    const plain = this.#plainDown;
    this.#lastRequest = request;
    const report: FrameReport = (octets, direction, isMessage) => {
      trace.add(direction, this.#maskPassword(octets, request), isMessage ? plain : undefined);
      if (plain !== undefined && this.#opener !== undefined) trace.setOpener(this.#opener);
    };
    return channel.exchange(this.#target, request, { priority, report, isRetransmission: this.#timeouts > 0 });
  }

  /** Replaces the clear-text password of low-level security by zeros in the stored frame. */
  #maskPassword(octets: Uint8Array, request: Uint8Array): Uint8Array {
    if (this.#credentials.mechanism !== 'low' || request[0] !== APDU_TAGS.aarq) return octets;
    return withoutSecrets({ at: 0, direction: 'down', octets, plain: undefined }).octets;
  }

  #recordAnswer({ apdu, octets, roundTripMs }: Answer): Uint8Array {
    this.#use.trace.add('up', octets, undefined);
    this.roundTripMs = this.#timedOutMs + roundTripMs;
    this.#spentMs += roundTripMs;
    measures.roundTrip.publish({ ms: roundTripMs });
    if (this.#timeouts > 0) this.#lateResponse = { request: this.#lastRequest, ms: this.roundTripMs };
    this.#timeouts = 0;
    this.#timedOutMs = 0;
    return apdu;
  }

  /** Counts a timeout. Returns `WAIT` when the request may be retransmitted; rethrows every other error. */
  #handleTimeout(error: unknown, mayRetransmit: boolean): Uint8Array {
    // Frames get lost only behind the DCU: TCP retransmits on the connection itself.
    if (!(error instanceof ExchangeError) || error.reason !== 'METER_TIMEOUT') throw error;
    measures.timeout.publish({});
    this.#timeouts++;
    this.#timedOutMs += error.waitedMs;
    this.#spentMs += error.waitedMs;
    // A response by short names has no invoke id: after a retransmission, a late one would be taken for that of the next request.
    if (!mayRetransmit || this.device.hasShortNames || this.#timeouts >= MAX_TIMEOUTS) throw error;
    return WAIT;
  }

  /** Reads and decodes one attribute; BAD_ANSWER where the device returned another type than the class declares. */
  async read<C extends CosemClass, N extends AttributeName<C>>(
    object: CosemObject<C>,
    name: N,
    selection?: Selection,
  ): Promise<Outcome<AttributeValue<C, N>>> {
    return decodedAnswer(codecOf(object.cosemClass, name), await this.get(attributeRef(object, name), selection));
  }

  /** Reads and decodes several attributes of an object in as few round trips as the device grants; each has its own outcome. */
  async readList<C extends CosemClass, N extends AttributeName<C>>(
    object: CosemObject<C>,
    names: readonly N[],
  ): Promise<Outcome<ReadAttributes<C, N>>> {
    const read = await this.getList(names.map((name) => attributeRef(object, name)));
    if (!read.ok) return read;
    const outcomes = names.map((name, index) => [name, decodedAnswer(codecOf(object.cosemClass, name), read.value[index])]);
    return ok(Object.fromEntries(outcomes) as ReadAttributes<C, N>); // as: fromEntries() widens
  }

  /** Writes one attribute. Without a response the result is unknown: read back before writing again. */
  write<C extends CosemClass, N extends AttributeName<C>>(
    object: CosemObject<C>,
    name: N,
    value: AttributeValue<C, N>,
  ): Promise<Outcome<void>> {
    return this.set(attributeRef(object, name), encode(codecOf(object.cosemClass, name), value));
  }

  /** Invokes one method and decodes its result. Without a response its effect is unknown: read back before invoking again. */
  async invoke<C extends CosemClass, N extends MethodName<C>>(
    object: CosemObject<C>,
    name: N,
    argument: MethodArgument<C, N>,
  ): Promise<Outcome<MethodResult<C, N>>> {
    const { argument: codec, result } = object.cosemClass.methods[name] as CosemClass['methods'][string]; // as: the name is one of the class
    const invoked = await this.action(methodRef(object, name), encode(codec, argument));
    if (!invoked.ok) return invoked;
    return result === undefined ? ok(undefined as MethodResult<C, N>) : decodedAnswer(result, invoked); // as: a method without result codec returns nothing
  }

  /** GET of one attribute as encoded Data; a refusal of the object leaves the link usable. */
  async get(ref: AttributeRef, selection?: Selection, expected = USUAL_ANSWER): Promise<ReadOutcome> {
    const read = await this.#runExchange(() => this.#association.get(ref, selection), { mayRetransmit: true, expected });
    if (!read.ok) return read;
    return read.value.ok ? ok(read.value.data) : failedResult(read.value.result);
  }

  /** GET of several attributes in as few round trips as the device grants; each has its own outcome. */
  async getList(refs: AttributeRef[]): Promise<Outcome<ReadOutcome[]>> {
    if (refs.length === 0) return ok([]);
    const read = await this.#runExchange(() => this.#association.getList(refs), { mayRetransmit: true, expected: USUAL_ANSWER });
    if (!read.ok) return read;
    return ok(read.value.map((one) => (one.ok ? ok(one.data) : failedResult(one.result))));
  }

  /** SET of one attribute; `data` is one encoded Data. Without a response the result is unknown, as for `write`. */
  async set(ref: AttributeRef, data: Uint8Array): Promise<Outcome<void>> {
    const written = await this.#runExchange(() => this.#association.set(ref, data));
    if (!written.ok) return written;
    return written.value.ok ? ok(undefined) : failedResult(written.value.result);
  }

  /** ACTION of one method; argument and result are one encoded Data each. Without a response the effect is unknown, as for `invoke`. */
  async action(ref: MethodRef, argument: Uint8Array): Promise<Outcome<Uint8Array | undefined>> {
    const invoked = await this.#runExchange(() => this.#association.invoke(ref, argument));
    if (!invoked.ok) return invoked;
    return invoked.value.ok ? ok(invoked.value.data) : failedAction(invoked.value.result);
  }

  /** ACTION of several methods, in one request where granted, with separate outcomes. Without a response all effects are unknown. */
  async actionList(items: { ref: MethodRef; argument: Uint8Array }[]): Promise<Outcome<Outcome<Uint8Array | undefined>[]>> {
    const invoked = await this.#runExchange(() => this.#association.invokeList(items));
    if (!invoked.ok) return invoked;
    return ok(invoked.value.map((one) => (one.ok ? ok(one.data) : failedAction(one.result))));
  }

  /** Ends the association without a release request, which a device with new keys could not decipher. */
  abandon(): void {
    this.#broken = true;
  }

  /**
   * Ends the association with an unconfirmed release request, which saves one round trip per meter. Its response matches no request and is
   * dropped.
   */
  release(): void {
    if (!this.isUsable) return;
    this.#broken = true;
    const request = this.#association.buildRlrq();
    if (request !== undefined) this.#tools.channel.sendUnconfirmed(this.#target, request);
  }
}
